/* points that stand for runs, joined where they belong together: error over cost, over the step, what a sweep gave. */
import { h } from './dom';
import { isPrinting, onTheme, PALETTE } from './theme';
import { markPath, place, s, ticksOf, type Scale } from './study_svg';

export interface Dot {
  x: number;
  y: number;
  label: string; // beside it
  about: string; // all of it in words
  hollow?: boolean;
  ring?: boolean;
}

export interface DotSeries {
  name: string;
  color: number;
  dots: Dot[];
  joined?: boolean; // unless said: yes
}

export interface ScatterAxis {
  label: string;
  log: boolean;
}

export interface ScatterOptions {
  title: string;
  x: ScatterAxis;
  y: ScatterAxis;
  lines?: { value: number; label: string }[];
  floor?: { value: number; label: string }; // shaded below
  slopes?: boolean; // on two log axes: what order 1, 2, 4 would be
  note?: string; // what the marks mean
  height?: number;
}

const DASHES = ['', '7 3', '2 3', '10 3 2 3', '5 2 2 2 2 2', '14 4'];
const HALO = { stroke: 'var(--paper)', 'stroke-width': 3, 'paint-order': 'stroke' };
const shape = (i: number): number => (i + Math.floor(i / PALETTE)) % PALETTE;

interface Box {
  x: number;
  y: number;
  w: number;
  h: number;
}
const meet = (a: Box, b: Box): boolean => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

export class Scatter {
  readonly root: HTMLElement;
  private off = new Set<number>();
  private at = -1; // of all dots that are shown, in order
  private readout = h('span', { class: 'chart-readout', role: 'status' });
  private host = h('div', { class: 'chart-body' });
  private svg = s('svg');
  private list: { dot: Dot; px: number; py: number }[] = [];
  private ends: (() => void)[] = [];

  constructor(
    host: HTMLElement,
    readonly series: DotSeries[],
    readonly o: ScatterOptions,
  ) {
    const legend = h('div', { class: 'chart-legend', role: 'group', 'aria-label': 'series' });
    series.forEach((one, i) => {
      const key = h('button', { type: 'button', class: 'chart-key', 'aria-pressed': 'true', title: 'show or hide' });
      const icon = s('svg', { width: 26, height: 12, viewBox: '0 0 26 12', 'aria-hidden': 'true' });
      icon.style.color = `var(--c${one.color % PALETTE})`;
      if (one.joined !== false)
        icon.append(
          s('line', {
            x1: 0,
            y1: 6,
            x2: 26,
            y2: 6,
            stroke: 'currentColor',
            'stroke-width': 1.6,
            'stroke-dasharray': DASHES[i % 6],
          }),
        );
      icon.append(s('path', { d: markPath(shape(one.color), 13, 6, 4), fill: 'currentColor' }));
      key.append(icon, h('span', { class: 'chart-name' }, one.name));
      key.addEventListener('click', () => {
        if (!this.off.delete(i)) this.off.add(i);
        key.setAttribute('aria-pressed', String(!this.off.has(i)));
        this.draw();
      });
      legend.append(key);
    });
    this.root = h(
      'section',
      { class: 'chart scatter', 'aria-label': `chart: ${o.title}` },
      h('header', { class: 'chart-head' }, h('h3', {}, o.title), this.readout),
      this.host,
      legend,
      o.note ? h('p', { class: 'note' }, o.note) : null,
    );
    host.append(this.root);
    this.host.tabIndex = 0;
    this.host.setAttribute('role', 'group');
    this.host.setAttribute('aria-label', `${o.title}: arrow keys go from point to point`);
    this.host.addEventListener('keydown', (e) => {
      const by = e.key === 'ArrowRight' ? 1 : e.key === 'ArrowLeft' ? -1 : 0;
      if (!by || !this.list.length) return;
      e.preventDefault();
      this.pick((this.at + by + this.list.length) % this.list.length);
    });
    this.host.addEventListener('pointermove', (e) => {
      const box = this.svg.getBoundingClientRect();
      let best = -1,
        least = 28;
      this.list.forEach(({ px, py }, i) => {
        const d = Math.hypot(px - (e.clientX - box.left), py - (e.clientY - box.top));
        if (d < least) [least, best] = [d, i];
      });
      if (best >= 0) this.pick(best);
    });
    let last = 0;
    const seen = new ResizeObserver(() => {
      if (this.host.clientWidth === last) return;
      last = this.host.clientWidth;
      this.draw();
    });
    seen.observe(this.host);
    this.ends.push(() => seen.disconnect());
    this.ends.push(onTheme(() => this.draw()));
    this.draw();
  }

  destroy(): void {
    for (const end of this.ends) end();
    this.root.remove();
  }

  private pick(i: number): void {
    this.at = i;
    const found = this.list[i];
    this.readout.textContent = found?.dot.about ?? '';
    this.svg.querySelector('.here')?.remove();
    if (found)
      this.svg.append(
        s('circle', {
          class: 'here',
          cx: found.px,
          cy: found.py,
          r: 9,
          fill: 'none',
          stroke: 'var(--ink)',
          'stroke-width': 1.5,
        }),
      );
  }

  private range(axis: 'x' | 'y', from: number, to: number): Scale {
    const o = this.o[axis];
    const all: number[] = [];
    this.series.forEach((one, i) => {
      if (!this.off.has(i)) for (const d of one.dots) all.push(d[axis]);
    });
    if (axis === 'y') {
      for (const l of this.o.lines ?? []) all.push(l.value);
      /* the floor belongs into the picture unless that would press everything else together */
      const floor = this.o.floor?.value ?? NaN;
      const least = Math.min(...all.filter((v) => v > 0));
      if (floor > least * 1e-4) all.push(floor);
    }
    const good = all.filter((v) => Number.isFinite(v) && (!o.log || v > 0));
    let min = Math.min(...good),
      max = Math.max(...good);
    if (!good.length) [min, max] = o.log ? [0.1, 1] : [0, 1];
    if (o.log) {
      const wide = Math.log10(max / min);
      const pad = 10 ** (wide < 0.2 ? 0.5 : Math.max(axis === 'y' ? 0.28 : 0.13, 0.05 * wide));
      [min, max] = [min / pad, max * pad];
      return { log: true, min, max, from, to };
    }
    if (max - min < 1e-12 * Math.max(Math.abs(max), 1e-300))
      [min, max] = [min - (Math.abs(min) * 0.1 || 1), max + (Math.abs(max) * 0.1 || 1)];
    const pad = (max - min) * 0.06;
    return { log: false, min: min - pad, max: max + pad, from, to };
  }

  private draw(): void {
    const width = isPrinting() ? 680 : Math.max(220, this.host.clientWidth);
    const height = this.o.height ?? (width < 480 ? 320 : 400);
    const right = width - 12,
      top = 10,
      bottom = height - 42;
    const Y = this.range('y', bottom, top);
    const heights = ticksOf(Y, Math.floor((bottom - top) / 36));
    const left = 30 + 6.6 * Math.max(3, ...heights.map((k) => k.text.length));
    const X = this.range('x', left, right);
    const svg = s('svg', { width, height, viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': this.o.title });
    const text = (x: number, y: number, what: string, look: Record<string, string | number> = {}): SVGTextElement =>
      s('text', { x, y, 'font-size': 12, fill: 'var(--faint)', ...look }, what);
    const id = `clip-${Math.random().toString(36).slice(2)}`;
    svg.append(s('clipPath', { id }, s('rect', { x: left, y: top, width: right - left, height: bottom - top })));

    const floor = this.o.floor;
    const shaded: Box[] = [];
    if (floor && floor.value > 0) {
      const inside = floor.value >= Y.min;
      const y = inside ? Math.max(top, place(Y, floor.value)) : bottom - 3;
      svg.append(s('rect', { x: left, y, width: right - left, height: bottom - y, fill: 'var(--ink)', opacity: 0.09 }));
      const high = bottom - y > 18;
      const ly = high ? y + 13 : y - 4;
      svg.append(text(left + 6, ly, inside ? floor.label : `\u2193 ${floor.label}`, { 'font-size': 11 }));
      shaded.push({ x: left, y: ly - 11, w: floor.label.length * 5.8 + 20, h: 14 });
    }
    for (const { v, text: words } of ticksOf(X, Math.floor((right - left) / 70))) {
      const x = place(X, v);
      svg.append(s('line', { x1: x, y1: top, x2: x, y2: bottom, stroke: 'var(--line)' }));
      svg.append(text(x, bottom + 16, words, { 'text-anchor': 'middle' }));
    }
    for (const { v, text: words } of heights) {
      const y = place(Y, v);
      svg.append(s('line', { x1: left, y1: y, x2: right, y2: y, stroke: 'var(--line)' }));
      svg.append(text(left - 6, y + 4, words, { 'text-anchor': 'end' }));
    }
    svg.append(text((left + right) / 2, height - 8, this.o.x.label, { 'text-anchor': 'middle' }));
    const turned = text(0, 0, this.o.y.label, {
      'text-anchor': 'middle',
      transform: `translate(13 ${(top + bottom) / 2}) rotate(-90)`,
    });
    svg.append(turned);
    svg.append(
      s('rect', { x: left, y: top, width: right - left, height: bottom - top, fill: 'none', stroke: 'var(--line)' }),
    );

    const inside = s('g', { 'clip-path': `url(#${id})` });
    svg.append(inside);
    if (this.o.slopes && X.log && Y.log) this.slopes(inside, X, Y, text);
    const taken: Box[] = [...shaded];
    for (const l of this.o.lines ?? []) {
      if (!(l.value >= Y.min && l.value <= Y.max)) continue;
      const y = place(Y, l.value);
      inside.append(s('line', { x1: left, y1: y, x2: right, y2: y, stroke: 'var(--ink)', 'stroke-dasharray': '8 4' }));
      const ly = y - top > 18 ? y - 4 : y + 12;
      inside.append(text(right - 6, ly, l.label, { 'text-anchor': 'end', 'font-size': 11, fill: 'var(--ink)' }));
      taken.push({ x: right - 6 - l.label.length * 5.8, y: ly - 11, w: l.label.length * 5.8, h: 14 });
    }

    this.list = [];
    const labels: { dot: Dot; x: number; y: number }[] = [];
    this.series.forEach((one, i) => {
      if (this.off.has(i)) return;
      const color = `var(--c${one.color % PALETTE})`;
      const dots = one.dots.filter(
        (d) => Number.isFinite(d.x) && Number.isFinite(d.y) && (!X.log || d.x > 0) && (!Y.log || d.y > 0),
      );
      const at = dots.map((d) => [place(X, d.x), place(Y, d.y)] as const);
      if (one.joined !== false && at.length > 1)
        inside.append(
          s('path', {
            d: `M${at.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join('L')}`,
            fill: 'none',
            stroke: color,
            'stroke-width': 1.6,
            'stroke-dasharray': DASHES[i % 6],
          }),
        );
      dots.forEach((dot, k) => {
        const [x, y] = at[k];
        if (dot.ring)
          inside.append(s('circle', { cx: x, cy: y, r: 10, fill: 'none', stroke: 'var(--ink)', 'stroke-width': 2 }));
        inside.append(
          s(
            'path',
            {
              d: markPath(shape(one.color), x, y, 4.6),
              fill: dot.hollow ? 'var(--paper)' : color,
              stroke: color,
              'stroke-width': 1.8,
            },
            s('title', {}, dot.about),
          ),
        );
        taken.push({ x: x - 6, y: y - 6, w: 12, h: 12 });
        this.list.push({ dot, px: x, py: y });
        if (dot.label) labels.push({ dot, x, y });
      });
    });
    labels.sort((a, b) => Number(b.dot.ring ?? false) - Number(a.dot.ring ?? false));
    for (const { dot, x, y } of labels) {
      const w = dot.label.length * (dot.ring ? 6.8 : 6.1) + 2,
        far = dot.ring ? 13 : 9;
      const tries: Box[] = [
        { x: x + far, y: y - 14, w, h: 13 },
        { x: x - far - w, y: y - 14, w, h: 13 },
        { x: x + far, y: y + 2, w, h: 13 },
        { x: x - far - w, y: y + 2, w, h: 13 },
      ];
      const free = tries.find(
        (b) => b.x > left && b.x + b.w < right && b.y > top && b.y + b.h < bottom && !taken.some((t) => meet(t, b)),
      );
      if (!free) continue;
      taken.push(free);
      const look: Record<string, string | number> = dot.ring ? { 'font-weight': 650, fill: 'var(--ink)' } : {};
      svg.append(text(free.x + 1, free.y + 10, dot.label, { 'font-size': 11, ...HALO, ...look }));
    }
    this.svg.replaceWith(svg);
    this.svg = svg;
    if (!svg.isConnected) this.host.replaceChildren(svg);
    if (this.at >= this.list.length) this.at = -1;
  }

  /* through the middle of the picture */
  private slopes(
    to: SVGElement,
    X: Scale,
    Y: Scale,
    text: (x: number, y: number, t: string, l?: Record<string, string | number>) => SVGTextElement,
  ): void {
    const x0 = Math.sqrt(X.min * X.max),
      y0 = Math.sqrt(Y.min * Y.max);
    for (const k of [1, 2, 4]) {
      const y = (x: number): number => y0 * (x / x0) ** k;
      to.append(
        s('line', {
          x1: place(X, X.min),
          y1: place(Y, y(X.min)),
          x2: place(X, X.max),
          y2: place(Y, y(X.max)),
          stroke: 'var(--faint)',
          'stroke-dasharray': '1 4',
        }),
      );
      const edge = Math.min(X.max, x0 * (Y.max / y0) ** (1 / k)) * 0.97;
      to.append(
        text(place(X, edge) - 4, Math.max(place(Y, y(edge)), 20) + 12, `order ${k}`, {
          'font-size': 10,
          'text-anchor': 'end',
        }),
      );
    }
  }
}
