/* what all pages of studies are made of. */
import { h, type Child } from './dom';
import { number } from './format';
import { getLook, setLook, type Look } from './theme';
import type { Num } from './study_data';

/* a value that may not be there; its reason is told instead */
export function shown(v: Num | undefined, reason?: string, digits = 3): string {
  if (v === null || v === undefined) return reason === 'beyond all bounds' ? '\u221e' : '\u2013';
  return number(v, digits).replace(/^-/, '\u2212');
}

/* with all its digits for those who point at it */
export function valueOf(v: Num | undefined, reason?: string, digits = 3): HTMLElement {
  const text = shown(v, reason, digits);
  return h('span', { class: 'num', title: v === null || v === undefined ? (reason ?? 'no value') : String(v) }, text);
}

export function plural(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`;
}

export function fileName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/* a line for a shell, that can be taken along */
export function commandLine(text: string, label: string): HTMLElement {
  const code = h('code', { tabindex: 0, 'aria-label': label });
  /* an option is not broken at its hyphens */
  text
    .split(' ')
    .forEach((word, i) => code.append(i ? ' ' : '', h('span', { class: word.length < 60 ? 'word' : '' }, word)));
  return h(
    'div',
    { class: 'command' },
    code,
    copyButton(() => text, `copy: ${label}`),
  );
}

export function copyButton(text: () => string, label: string): HTMLButtonElement {
  const button = h('button', { type: 'button', class: 'copy', 'aria-label': label, title: label }, 'Copy');
  button.addEventListener('click', () => {
    void take(text()).then((done) => {
      button.textContent = done ? 'Copied' : 'Not allowed';
      setTimeout(() => (button.textContent = 'Copy'), 1600);
    });
  });
  return button;
}

/* pages from a file may not have a clipboard: then by way of a selection */
async function take(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = h('textarea', { readonly: true, style: 'position:fixed;left:-100vw' });
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    return done;
  }
}

function lookSwitch(): HTMLElement {
  const words: Record<Look, string> = { system: 'Auto', light: 'Light', dark: 'Dark' };
  const select = h('select', { 'aria-label': 'light or dark' });
  for (const look of Object.keys(words) as Look[])
    select.append(new Option(words[look], look, look === 'system', look === getLook()));
  select.addEventListener('change', () => setLook(select.value as Look));
  return select;
}

/* long names may be broken behind their commas and colons */
function breakable(text: string): Child[] {
  return text.split(/(?<=[,:/=])(?=\S)/).flatMap((part, i) => (i ? [h('wbr'), part] : [part]));
}

export function header(kind: string, title: string, about: Child[], tenon: string): HTMLElement {
  return h(
    'header',
    { class: 'page-head' },
    h('p', { class: 'over' }, h('span', {}, kind), h('span', { class: 'over-right' }, `Tenon ${tenon}`, lookSwitch())),
    h('h1', {}, ...breakable(title)),
    about.length ? h('p', { class: 'about' }, ...about) : null,
  );
}

export function section(id: string, title: string, ...children: Child[]): HTMLElement {
  return h(
    'section',
    { id, class: 'part', 'aria-labelledby': `${id}-title` },
    h('h2', { id: `${id}-title` }, title),
    ...children,
  );
}

/* one of several, as a row of buttons */
export function choice<T extends string>(
  label: string,
  words: [T, string][],
  now: T,
  then: (v: T) => void,
): HTMLElement {
  const name = `choice-${label.replace(/\W+/g, '-')}-${Math.random().toString(36).slice(2, 8)}`;
  const box = h('fieldset', { class: 'choice' }, h('legend', {}, label));
  for (const [value, word] of words) {
    const input = h('input', { type: 'radio', name, value, checked: value === now });
    input.addEventListener('change', () => input.checked && then(value));
    box.append(h('label', {}, input, h('span', {}, word)));
  }
  return box;
}

/* rather when it is seen than all at once; before printing all that is left */
const waiting = new Map<Element, () => void>();
const watcher = new IntersectionObserver(
  (entries) => {
    for (const e of entries) if (e.isIntersecting) make(e.target);
  },
  { rootMargin: '400px' },
);
function make(at: Element): void {
  const then = waiting.get(at);
  waiting.delete(at);
  watcher.unobserve(at);
  then?.();
}
export function whenSeen(at: Element, then: () => void): void {
  waiting.set(at, then);
  watcher.observe(at);
}
addEventListener('beforeprint', () => {
  for (const at of [...waiting.keys()]) make(at);
});
matchMedia('print').addEventListener('change', (e) => {
  if (e.matches) for (const at of [...waiting.keys()]) make(at);
});

export const numbers = (values: Num[] | undefined): Float64Array => Float64Array.from(values ?? [], (v) => v ?? NaN);

/* every n-th of what has no value is nothing to draw */
export function samples(x: number[] | undefined, y: Num[] | undefined): { x: number[]; y: number[] } {
  const out = { x: [] as number[], y: [] as number[] };
  (x ?? []).forEach((t, i) => {
    const v = y?.[i];
    if (v === null || v === undefined) return;
    out.x.push(t);
    out.y.push(v);
  });
  return out;
}

export function details(summary: string, ...children: Child[]): HTMLDetailsElement {
  return h('details', {}, h('summary', {}, summary), ...children);
}

/* a table in a frame of its own that scrolls sideways on small screens */
export function scroller(label: string, table: HTMLElement): HTMLElement {
  return h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': label }, table);
}
