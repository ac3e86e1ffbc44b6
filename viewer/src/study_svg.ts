/* pictures of a few points and lines, as SVG: sharp at any size and on paper. */
import { number } from './format';

const NS = 'http://www.w3.org/2000/svg';

export function s<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Record<string, string | number> = {},
  ...children: (Node | string)[]
): SVGElementTagNameMap[K] {
  const e = document.createElementNS(NS, tag);
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, String(v));
  e.append(...children);
  return e;
}

const MARKS = 7;

/* shapes that can be told apart without colour */
export function markPath(kind: number, x: number, y: number, r: number): string {
  const at = (a: number, k: number): string =>
    `${(x + r * k * Math.cos(a)).toFixed(2)} ${(y + r * k * Math.sin(a)).toFixed(2)}`;
  const ring = (n: number, from: number, k: number): string =>
    `M${Array.from({ length: n }, (_, i) => at(from + (2 * Math.PI * i) / n, k)).join('L')}Z`;
  switch (kind % MARKS) {
    case 0:
      return `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`;
    case 1:
      return ring(4, Math.PI / 4, 1.2);
    case 2:
      return ring(3, -Math.PI / 2, 1.3);
    case 3:
      return ring(4, 0, 1.3);
    case 4:
      return ring(3, Math.PI / 2, 1.3);
    case 5:
      return ring(5, -Math.PI / 2, 1.2);
    default:
      return ring(6, 0, 1.15);
  }
}

export interface Scale {
  log: boolean;
  min: number;
  max: number;
  from: number;
  to: number; // px
}

export function place(a: Scale, v: number): number {
  const z = a.log ? Math.log10(v / a.min) / Math.log10(a.max / a.min) : (v - a.min) / (a.max - a.min);
  return a.from + z * (a.to - a.from);
}

export function ticksOf(a: Scale, fit: number): { v: number; text: string }[] {
  if (!a.log) {
    const range = a.max - a.min;
    const raw = range / Math.max(1, fit);
    const ten = 10 ** Math.floor(Math.log10(raw));
    const by = [1, 2, 5, 10].map((m) => m * ten).find((k) => k >= raw * 0.999) ?? 10 * ten;
    const out = [];
    for (let k = Math.ceil(a.min / by - 1e-9); k * by <= a.max + 1e-9 * range; k++) out.push(k * by);
    return out.map((v) => ({
      v,
      text: number(Math.abs(v) < by / 2 ? 0 : Number(v.toPrecision(12)), 5).replace('-', '\u2212'),
    }));
  }
  const lo = Math.log10(a.min),
    hi = Math.log10(a.max);
  const by = Math.max(1, Math.ceil((hi - lo) / Math.max(1, fit)));
  const out: number[] = [];
  for (let k = Math.ceil(lo / by - 1e-9) * by; k <= hi + 1e-9; k += by) out.push(10 ** k);
  if (out.length < 3 && hi - lo < 2) {
    const more: number[] = [];
    for (let k = Math.floor(lo); k <= hi; k++)
      for (const m of [1, 2, 5])
        if (m * 10 ** k >= a.min * 0.999 && m * 10 ** k <= a.max * 1.001) more.push(m * 10 ** k);
    if (more.length > 1) return more.map((v) => ({ v, text: number(v, 2) }));
    return ticksOf({ ...a, log: false }, Math.min(fit, 5));
  }
  return out.map((v) => ({ v, text: tenTo(Math.round(Math.log10(v))) }));
}

function tenTo(k: number): string {
  if (k >= -3 && k <= 4) return String(Number((10 ** k).toPrecision(3)));
  const up: Record<string, string> = { '-': '\u207b', '0': '\u2070', '1': '\u00b9', '2': '\u00b2', '3': '\u00b3' };
  for (let i = 4; i <= 9; i++) up[i] = String.fromCharCode(0x2070 + i);
  return `10${[...String(k)].map((c) => up[c]).join('')}`;
}

/* lines of equal value of a grid, linked: f[i][j] at (i, j) */
export function contour(f: ArrayLike<number>[], level: number): [number, number][][] {
  const next = new Map<number, [number, [number, number], [number, number]][]>();
  const add = (a: [number, number, number], b: [number, number, number]): void => {
    const one = (p: typeof a, q: typeof a): void => {
      const list = next.get(p[2]);
      const item: [number, [number, number], [number, number]] = [q[2], [p[0], p[1]], [q[0], q[1]]];
      if (list) list.push(item);
      else next.set(p[2], [item]);
    };
    one(a, b);
    one(b, a);
  };
  const side = f[0].length + 1; // of the numbers of edges
  const cut = (p: number, q: number): number => (level - p) / (q - p);
  for (let i = 0; i + 1 < f.length; i++)
    for (let j = 0; j + 1 < f[i].length; j++) {
      const a = f[i][j],
        b = f[i + 1][j],
        c = f[i + 1][j + 1],
        d = f[i][j + 1];
      const kind = (a > level ? 1 : 0) | (b > level ? 2 : 0) | (c > level ? 4 : 0) | (d > level ? 8 : 0);
      if (kind === 0 || kind === 15) continue;
      const south = (): [number, number, number] => [i + cut(a, b), j, 2 * (i * side + j)];
      const north = (): [number, number, number] => [i + cut(d, c), j + 1, 2 * (i * side + j + 1)];
      const west = (): [number, number, number] => [i, j + cut(a, d), 2 * (i * side + j) + 1];
      const east = (): [number, number, number] => [i + 1, j + cut(b, c), 2 * ((i + 1) * side + j) + 1];
      const middle = (a + b + c + d) / 4 > level;
      if (kind === 1 || kind === 14) add(south(), west());
      else if (kind === 2 || kind === 13) add(south(), east());
      else if (kind === 4 || kind === 11) add(east(), north());
      else if (kind === 8 || kind === 7) add(north(), west());
      else if (kind === 3 || kind === 12) add(west(), east());
      else if (kind === 6 || kind === 9) add(south(), north());
      else if ((kind === 5) === middle) {
        add(south(), east());
        add(north(), west());
      } else {
        add(south(), west());
        add(north(), east());
      }
    }
  /* ends of open lines first, then rings */
  const used = new Set<string>();
  const lines: [number, number][][] = [];
  const follow = (start: number): void => {
    let at = start;
    const line: [number, number][] = [];
    for (;;) {
      const way = next.get(at)?.find(([to]) => !used.has(at < to ? `${at}|${to}` : `${to}|${at}`));
      if (!way) break;
      const [to, p, q] = way;
      used.add(at < to ? `${at}|${to}` : `${to}|${at}`);
      if (!line.length) line.push(p);
      line.push(q);
      at = to;
    }
    if (line.length > 1) lines.push(line);
  };
  for (const [key, ways] of next) if (ways.length === 1) follow(key);
  for (const key of next.keys()) follow(key);
  return lines;
}
