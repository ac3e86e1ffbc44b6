/* figures of a paper, as SVG that the program has drawn. what comes from outside is text, never markup: elements and attributes that
 * such a picture has are made anew, everything else is left out. */
import { h } from './dom';
import { plural } from './study_parts';
import type { PaperFigure } from './study_data';

const NS = 'http://www.w3.org/2000/svg';
const ELEMENTS = new Set(['svg', 'title', 'rect', 'path', 'text']);
const ATTRIBUTES = new Set([
  'x', 'y', 'width', 'height', 'viewBox', 'overflow', 'd', 'fill', 'stroke', 'stroke-width', 'stroke-linejoin',
  'stroke-dasharray', 'opacity', 'font-family', 'font-size', 'text-anchor', 'transform', 'role',
]);

function anew(from: Element): SVGElement {
  const to = document.createElementNS(NS, from.localName);
  for (const a of Array.from(from.attributes)) if (ATTRIBUTES.has(a.name)) to.setAttribute(a.name, a.value);
  for (const child of Array.from(from.childNodes)) {
    if (child.nodeType === Node.TEXT_NODE) to.append(child.textContent ?? '');
    else if (child instanceof Element && ELEMENTS.has(child.localName)) to.append(anew(child));
  }
  return to;
}

function picture(svg: string): SVGElement | null {
  const parsed = new DOMParser().parseFromString(svg, 'image/svg+xml').documentElement;
  return parsed.localName === 'svg' ? anew(parsed) : null;
}

/* what is on the axes, in words */
function axes(f: PaperFigure): string {
  return (f.panels ?? [])
    .filter((p) => p.x || p.y)
    .map((p) => `${p.title ? `${p.title}: ` : ''}${[p.y, p.x].filter(Boolean).join(' over ')}`)
    .filter((text, i, all) => all.indexOf(text) === i)
    .join('; ');
}

function figure(f: PaperFigure): HTMLElement {
  const image = f.svg ? picture(f.svg) : null;
  const on = axes(f);
  return h(
    'figure',
    { id: `fig${f.figure}`, class: 'of-paper' },
    image as Node | null,
    h(
      'figcaption',
      {},
      h('strong', {}, `Fig. ${f.figure}`),
      ` ${f.caption}. `,
      on ? h('span', { class: 'axes' }, `Axes: ${on}. `) : null,
      f.left_out ? h('span', { class: 'left-out' }, `Not drawn: ${f.left_out}`) : null,
      f.failure ? h('span', { class: 'bad' }, `\u26a0 ${f.failure}`) : null,
    ),
  );
}

/* in the order of the paper; null where there are none */
export function figuresOfPaper(all: PaperFigure[] | undefined): HTMLElement | null {
  const seen = (all ?? []).filter((f) => f.svg || f.left_out);
  if (!seen.length) return null;
  const missing = (all ?? []).length - seen.length;
  const drawn = seen.filter((f) => f.svg).length;
  return h(
    'div',
    { class: 'paper-figures' },
    h(
      'p',
      { class: 'remark' },
      `${plural(drawn, 'figure')} drawn as in the paper, ${seen.length - drawn} left out.`,
      missing ? ` ${plural(missing, 'more was', 'more were')} not asked for.` : '',
    ),
    ...seen.map(figure),
  );
}
