/* light and dark: by the reader's setting, by a word of the reader, on paper always light. */

export type Look = 'system' | 'light' | 'dark';

const root = document.documentElement;
const dark = matchMedia('(prefers-color-scheme: dark)');
const paper = matchMedia('print');
const listeners = new Set<() => void>();
let wish: Look = 'system';
let printing = paper.matches;

function apply(): void {
  const look = printing ? 'light' : wish === 'system' ? (dark.matches ? 'dark' : 'light') : wish;
  root.dataset.look = look;
  root.toggleAttribute('data-print', printing);
  for (const listener of listeners) listener();
}

function print(on: boolean): void {
  if (on === printing) return;
  printing = on;
  apply();
}

dark.addEventListener('change', apply);
paper.addEventListener('change', (e) => print(e.matches));
addEventListener('beforeprint', () => print(true));
addEventListener('afterprint', () => print(false));
apply();

export function setLook(look: Look): void {
  wish = look;
  apply();
}

export function getLook(): Look {
  return wish;
}

export function isPrinting(): boolean {
  return printing;
}

/* called after each change; what comes back ends it */
export function onTheme(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function css(name: string): string {
  return getComputedStyle(root).getPropertyValue(name).trim();
}

export const PALETTE = 7;

export function palette(): string[] {
  const style = getComputedStyle(root);
  return Array.from({ length: PALETTE }, (_, i) => style.getPropertyValue(`--c${i}`).trim());
}
