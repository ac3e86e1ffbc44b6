/* a chart: axes, zoom and cursor by uPlot; curves drawn here, so that each may have its own x, in any order, and a
 * hundred thousand samples cost what the pixels cost.
 *
 *   mouse      move: values; click: pick; drag: zoom; double click: all; ctrl + wheel: zoom
 *   touch      drag along x: pick; two fingers: zoom
 *   keys       left right: pick the next sample (shift: 10); + -: zoom; Home End; Escape: all */
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import './plot.css';
import { h } from './dom';
import { count, number, ticks, withUnit } from './format';
import { css, isPrinting, onTheme, palette, PALETTE } from './theme';

export interface Series {
  label: string;
  unit?: string;
  x: ArrayLike<number>;
  y: ArrayLike<number>;
  color?: number; // of the palette; unless said its place
  points?: boolean;
  line?: boolean; // unless said: yes
  dash?: number[]; // unless said by its place
}

export interface AxisOptions {
  label: string;
  unit?: string;
  log?: boolean;
  floor?: number; // of a log axis: what is smaller is shown there
}

export interface ChartOptions {
  title: string;
  x: AxisOptions;
  y: AxisOptions;
  lines?: { value: number; label: string }[];
  marks?: { x: number; label: string; kind: string; many?: { n: number; one: string } }[];
  height?: number;
  sync?: Sync;
  onPick?(x: number): void;
  onHover?(x: number | null): void; // null: the pointer has left
}

/* charts that zoom and point together */
export class Sync {
  readonly charts = new Set<Chart>();
  private range: [number, number] | null = null;
  private now = NaN;

  add(chart: Chart): void {
    this.charts.add(chart);
    if (this.range) chart.show(...this.range);
    if (!Number.isNaN(this.now)) chart.point(this.now);
  }
  remove(chart: Chart): void {
    this.charts.delete(chart);
  }
  zoom(min: number, max: number): void {
    this.range = [min, max];
    for (const chart of this.charts) chart.show(min, max);
  }
  reset(): void {
    this.range = null;
    for (const chart of this.charts) chart.all();
  }
  hover(x: number | null, from: Chart): void {
    for (const chart of this.charts) if (chart !== from) chart.ghost(x);
  }
  cursor(x: number): void {
    this.now = x;
    for (const chart of this.charts) chart.point(x);
  }
}

const DASHES: number[][] = [[], [7, 3], [2, 3], [10, 3, 2, 3], [5, 2, 2, 2, 2, 2], [14, 4]];
const PRINT_WIDTH = 656; // A4 less its margins

/* last i with x[i] <= v; -1: none */
function below(x: ArrayLike<number>, v: number): number {
  let a = -1,
    b = x.length;
  while (b - a > 1) {
    const m = (a + b) >> 1;
    if (x[m] <= v) a = m;
    else b = m;
  }
  return a;
}

/* of sorted x the index nearest to v */
export function nearest(x: ArrayLike<number>, v: number): number {
  const i = below(x, v);
  if (i < 0) return 0;
  if (i + 1 >= x.length) return i;
  return v - x[i] <= x[i + 1] - v ? i : i + 1;
}

interface Curve {
  s: Series;
  x: ArrayLike<number>; // as shown: logs on a log axis
  y: ArrayLike<number>;
  sorted: boolean;
  color: number;
  dash: number[];
  marker: number;
  on: boolean;
  key: HTMLElement;
  value: HTMLElement;
}

function marker(c: CanvasRenderingContext2D, kind: number, x: number, y: number, r: number): void {
  switch (kind % PALETTE) {
    case 0:
      c.moveTo(x + r, y);
      c.arc(x, y, r, 0, 2 * Math.PI);
      break;
    case 1:
      c.rect(x - r * 0.85, y - r * 0.85, r * 1.7, r * 1.7);
      break;
    case 2:
      polygon(c, x, y, r * 1.2, 3, -Math.PI / 2);
      break;
    case 3:
      polygon(c, x, y, r * 1.2, 4, 0);
      break;
    case 4:
      polygon(c, x, y, r * 1.2, 3, Math.PI / 2);
      break;
    case 5:
      polygon(c, x, y, r * 1.15, 5, -Math.PI / 2);
      break;
    default:
      polygon(c, x, y, r * 1.1, 6, 0);
  }
}

function polygon(c: CanvasRenderingContext2D, x: number, y: number, r: number, n: number, from: number): void {
  for (let i = 0; i < n; i++) {
    const a = from + (2 * Math.PI * i) / n;
    if (i) c.lineTo(x + r * Math.cos(a), y + r * Math.sin(a));
    else c.moveTo(x + r * Math.cos(a), y + r * Math.sin(a));
  }
  c.closePath();
}

const log10 = (v: number): number => Math.log(v) / Math.LN10;

/* the values an axis shows, their floor, and which fell on it */
function scaled(
  all: ArrayLike<number>[],
  o: AxisOptions,
): { values: ArrayLike<number>[]; floor: number; clipped: boolean } {
  if (!o.log) return { values: all, floor: -Infinity, clipped: false };
  let floor = o.floor ?? 0;
  if (!(floor > 0)) {
    let least = Infinity;
    for (const v of all) for (let i = 0; i < v.length; i++) if (v[i] > 0 && v[i] < least) least = v[i];
    floor = least < Infinity ? 10 ** (Math.floor(log10(least)) - 1) : 1e-17;
  }
  const low = log10(floor);
  let clipped = false;
  const values = all.map((v) => {
    const out = new Float64Array(v.length);
    for (let i = 0; i < v.length; i++) {
      out[i] = v[i] > floor ? log10(v[i]) : Number.isNaN(v[i]) ? NaN : low;
      if (v[i] < floor) clipped = true;
    }
    return out;
  });
  return { values, floor: low, clipped };
}

function extent(v: ArrayLike<number>, from = 0, to = v.length): [number, number] {
  let a = Infinity,
    b = -Infinity;
  for (let i = from; i < to; i++) {
    const z = v[i];
    if (z < a && z > -Infinity) a = z;
    if (z > b && z < Infinity) b = z;
  }
  return [a, b];
}

/* places on a log axis: decades, as many as fit; within two decades 1 2 5, within less even steps */
function decades(min: number, max: number, fit: number): number[] {
  const range = max - min;
  const out: number[] = [];
  if (range >= 1.5 || fit < 2) {
    const least = range / Math.max(1, fit);
    const step = [1, 2, 3, 5, 10, 20, 50].find((s) => s >= least) ?? 100;
    for (let k = Math.ceil(min / step - 1e-9) * step; k <= max + 1e-9; k += step) out.push(k);
    return out;
  }
  for (let k = Math.floor(min); k <= max; k++)
    for (const m of [1, 2, 5]) {
      const v = k + log10(m);
      if (v >= min - 1e-9 && v <= max + 1e-9) out.push(v);
    }
  if (out.length >= 2) return out;
  const a = 10 ** min,
    b = 10 ** max;
  const step = 10 ** Math.floor(log10((b - a) / 2));
  const by = [1, 2, 5].map((m) => m * step).find((s) => (b - a) / s <= Math.max(2, fit)) ?? 10 * step;
  const even: number[] = [];
  for (let k = Math.ceil(a / by); k * by <= b; k++) even.push(log10(k * by));
  return even;
}

const LARGEST = 8e307; // the difference of two of them is a number
const LEAST = 1e-300; // a range of an axis

/* places on an even axis, at most so many as fit, and their step: 1, 2, 2.5, 5 of a power of ten */
function steps(min: number, max: number, fit: number): { at: number[]; step: number } {
  const least = max / Math.max(2, fit) - min / Math.max(2, fit);
  const ten = 10 ** Math.floor(log10(least));
  const step = [1, 2, 2.5, 5].map((m) => m * ten).find((s) => s >= least * (1 - 1e-9)) ?? 10 * ten;
  const at: number[] = [];
  const first = Math.ceil(min / step - 1e-9);
  for (let k = 0; k <= fit + 2 && (first + k) * step <= max + 1e-9 * step; k++) at.push((first + k) * step);
  return { at, step };
}

export class Chart {
  readonly root: HTMLElement;
  private u: uPlot;
  private curves: Curve[] = [];
  private full: [number, number]; // x as shown
  private view: [number, number];
  private now = NaN; // x of the cursor, as given
  private hover: number | null = null;
  private ySpan: [number, number] = [0, 1]; // uPlot's y goes from 0 to 1: it has no ticks for very small or large ones
  private yTicks: { at: number[]; text: string[] } = { at: [], text: [] };
  private colors: string[] = [];
  private style = { ink: '', faint: '', line: '', paper: '', accent: '', bad: '' };
  private body: HTMLElement;
  private nowLine = h('div', { class: 'chart-now', hidden: true });
  private ghostLine = h('div', { class: 'chart-now ghost', hidden: true });
  private touching = false;
  private readout: HTMLElement;
  private resetButton: HTMLButtonElement;
  private stops: (() => void)[] = [];
  private height: number;
  private seen = true;
  private behind = false; // the view is not drawn yet
  private floors: { x: number; y: number; yClipped: boolean };
  /* ms that the last drawing took */
  drawTime = 0;

  constructor(
    host: HTMLElement,
    series: Series[],
    readonly o: ChartOptions,
  ) {
    this.height = o.height ?? 200;
    const xs = scaled(
      series.map((s) => s.x),
      o.x,
    );
    const ys = scaled(
      series.map((s) => s.y),
      o.y,
    );
    this.floors = { x: xs.floor, y: ys.floor, yClipped: ys.clipped };

    const legend = h('div', { class: 'chart-legend', role: 'group', 'aria-label': 'curves' });
    series.forEach((given, i) => {
      const x = xs.values[i];
      /* one or two samples make no curve that is seen */
      const s = x.length < 3 ? { ...given, points: true } : given;
      let sorted = true;
      for (let k = 1; k < x.length && sorted; k++) sorted = x[k] >= x[k - 1];
      const color = (s.color ?? i) % PALETTE;
      const dash = s.dash ?? (s.line === false ? [] : DASHES[(s.color ?? i) % DASHES.length]);
      const value = h('span', { class: 'chart-value' });
      const label = s.unit && s.unit !== '1' ? `${s.label} [${s.unit}]` : s.label;
      const key = h(
        'button',
        { type: 'button', class: 'chart-key', 'aria-pressed': 'true', title: 'show or hide' },
        h('span', { class: 'chart-name' }, label),
        value,
      );
      const curve: Curve = { s, x, y: ys.values[i], sorted, color, dash, marker: i, on: true, key, value };
      key.prepend(this.sample(curve));
      key.addEventListener('click', () => {
        curve.on = !curve.on;
        key.setAttribute('aria-pressed', String(curve.on));
        this.show(...this.view);
      });
      legend.append(key);
      this.curves.push(curve);
    });

    let a = Infinity,
      b = -Infinity;
    for (const c of this.curves) {
      const [p, q] = extent(c.x);
      a = Math.min(a, p);
      b = Math.max(b, q);
    }
    if (!(a <= b)) [a, b] = [0, 1];
    if (a === b) [a, b] = [a - (Math.abs(a) * 0.1 || 1), b + (Math.abs(b) * 0.1 || 1)];
    else if (o.x.log || this.curves.some((c) => c.s.points)) [a, b] = [a - (b - a) * 0.03, b + (b - a) * 0.03];
    this.full = [a, b];
    this.view = [a, b];

    this.resetButton = h(
      'button',
      { type: 'button', class: 'chart-reset', hidden: true, click: () => this.reset() },
      'all',
    );
    this.resetButton.title = 'show all (Escape)';
    this.readout = h('span', { class: 'chart-readout' });
    const body = (this.body = h('div', { class: 'chart-body' }));
    this.root = h(
      'section',
      { class: 'chart', tabindex: 0, 'aria-label': `chart: ${o.title}` },
      h('header', { class: 'chart-head' }, h('h3', {}, o.title), this.readout, this.resetButton),
      body,
      legend,
    );
    host.append(this.root);

    this.readStyle();
    this.u = new uPlot(this.options(this.width()), [this.full, [0, 1]], body);
    this.u.over.append(this.nowLine, this.ghostLine);
    this.show(a, b);
    this.listen();
    this.stops.push(onTheme(() => this.theme()));
    let last = this.width();
    /* what cannot be seen is drawn when it can */
    const near = new IntersectionObserver(
      (entries) => {
        this.seen = entries[entries.length - 1].isIntersecting;
        if (this.seen && this.behind) this.show(...this.view);
      },
      { rootMargin: '100px' },
    );
    near.observe(this.root);
    this.stops.push(() => near.disconnect());
    const sized = new ResizeObserver(() => {
      const w = this.width();
      if (w === last || isPrinting()) return;
      last = w;
      this.resize();
    });
    sized.observe(body);
    this.stops.push(() => sized.disconnect());
    o.sync?.add(this);
  }

  /* -- what others do with it; x in the values of the caller -- */

  cursor(x: number): void {
    if (this.o.sync) this.o.sync.cursor(x);
    else this.point(x);
  }
  zoom(min: number, max: number): void {
    const [a, b] = [this.toX(min), this.toX(max)];
    if (this.o.sync) this.o.sync.zoom(a, b);
    else this.show(a, b);
  }
  reset(): void {
    if (this.o.sync) this.o.sync.reset();
    else this.all();
  }
  theme(): void {
    this.readStyle();
    if (this.behind) this.show(...this.view);
    this.resize();
  }
  destroy(): void {
    this.o.sync?.remove(this);
    for (const stop of this.stops) stop();
    this.u.destroy();
    this.root.remove();
  }
  /* x of the cursor */
  get at(): number {
    return this.now;
  }
  /* the window that is seen */
  get range(): [number, number] {
    return [this.fromX(this.view[0]), this.fromX(this.view[1])];
  }
  /* the numbers of its y axis */
  get ticks(): string[] {
    return this.yTicks.text;
  }
  /* place of x in px of the window */
  xOnScreen(x: number): number {
    return this.u.over.getBoundingClientRect().left + this.u.valToPos(this.toX(x), 'x');
  }

  /* -- of Sync: this chart alone -- */

  show(min: number, max: number): void {
    const least = (this.full[1] - this.full[0]) * 1e-9;
    if (!(max - min > least)) return;
    this.view = [min, max];
    this.resetButton.hidden = min <= this.full[0] && max >= this.full[1];
    this.behind = !this.seen && !isPrinting();
    if (this.behind) return;
    this.ySpan = this.spanY();
    this.u.batch(() => {
      this.u.setScale('x', { min, max });
      this.u.setScale('y', { min: 0, max: 1 });
      this.u.redraw(false, true);
    });
    this.place();
  }
  all(): void {
    this.show(...this.full);
  }
  point(x: number): void {
    this.now = x;
    this.place();
    if (this.hover === null) this.values(x);
  }

  /* -- inside -- */

  private toX(x: number): number {
    return this.o.x.log ? (x > 0 ? log10(x) : this.floors.x) : x;
  }
  private fromX(x: number): number {
    return this.o.x.log ? 10 ** x : x;
  }

  private width(): number {
    return isPrinting() ? PRINT_WIDTH : Math.max(160, Math.floor(this.body.clientWidth));
  }

  private resize(): void {
    this.u.setSize({ width: this.width(), height: this.height });
    this.u.redraw(false, true);
    this.place();
  }

  private readStyle(): void {
    this.colors = palette();
    for (const name of Object.keys(this.style) as (keyof typeof this.style)[]) this.style[name] = css(`--${name}`);
  }

  /* a piece of the curve for the legend */
  private sample(c: Curve): SVGElement {
    const ns = 'http://www.w3.org/2000/svg';
    const svg = document.createElementNS(ns, 'svg');
    for (const [k, v] of Object.entries({ width: 26, height: 12, viewBox: '0 0 26 12', 'aria-hidden': 'true' }))
      svg.setAttribute(k, String(v));
    svg.style.color = `var(--c${c.color})`;
    if (c.s.line !== false) {
      const line = document.createElementNS(ns, 'line');
      const look = { x1: 1, y1: 6, x2: 25, y2: 6, stroke: 'currentColor', 'stroke-width': 2 };
      for (const [k, v] of Object.entries(look)) line.setAttribute(k, String(v));
      if (c.dash.length) line.setAttribute('stroke-dasharray', c.dash.join(' '));
      svg.append(line);
    }
    if (c.s.points) {
      const path = document.createElementNS(ns, 'path');
      path.setAttribute('d', outline(c.marker));
      path.setAttribute('fill', 'currentColor');
      svg.append(path);
    }
    return svg;
  }

  private spanY(): [number, number] {
    const [x0, x1] = this.view;
    let a = Infinity,
      b = -Infinity;
    for (const c of this.curves) {
      if (!c.on) continue;
      if (c.sorted) {
        const from = Math.max(0, below(c.x, x0));
        const to = Math.min(c.x.length, below(c.x, x1) + 2);
        const [p, q] = extent(c.y, from, to);
        a = Math.min(a, p);
        b = Math.max(b, q);
      } else {
        for (let i = 0; i < c.x.length; i++)
          if (c.x[i] >= x0 && c.x[i] <= x1) {
            if (c.y[i] < a) a = c.y[i];
            if (c.y[i] > b) b = c.y[i];
          }
      }
    }
    /* a line that says something belongs into the picture; on an even axis only where it does not flatten the curves */
    for (const l of this.o.lines ?? []) {
      const v = this.o.y.log ? (l.value > 0 ? log10(l.value) : NaN) : l.value;
      if (Number.isNaN(v)) continue;
      const reach = b - a || Math.abs(b) || 1;
      if (this.o.y.log || !(a <= b) || (v > a - 3 * reach && v < b + 3 * reach)) {
        a = Math.min(a, v);
        b = Math.max(b, v);
      }
    }
    if (!(a <= b)) return [0, 1];
    a = Math.max(-LARGEST, Math.min(a, LARGEST));
    b = Math.max(-LARGEST, Math.min(b, LARGEST));
    if (this.o.y.log) {
      if (b - a < 0.2) return [a - 0.5, b + 0.5];
      return [a - (b - a) * 0.06, b + (b - a) * 0.08];
    }
    /* what differs by no more than roundoff is one value */
    if (b - a <= 1e-13 * Math.max(Math.abs(a), Math.abs(b))) {
      const pad = a || b ? Math.max(LEAST, Math.abs(a) * 0.1) : 1;
      return [a - pad, b + pad];
    }
    const pad = Math.max(LEAST, b * 0.08 - a * 0.08);
    return [Math.max(-LARGEST, a - pad), Math.min(LARGEST, b + pad)];
  }

  private options(width: number): uPlot.Options {
    const axis = (which: 'x' | 'y'): uPlot.Axis => {
      const o = this.o[which];
      const isX = which === 'x';
      return {
        scale: which,
        stroke: () => this.style.faint,
        font: '12px system-ui, sans-serif',
        labelFont: '12px system-ui, sans-serif',
        label: o.unit && o.unit !== '1' ? `${o.label} [${o.unit}]` : o.label,
        labelSize: isX ? 18 : 20,
        labelGap: 0,
        gap: 4,
        size: isX ? 24 : (_u, values) => Math.max(60, 14 + 6.6 * Math.max(2, ...(values ?? []).map((v) => v.length))),
        space: isX ? 64 : 30,
        grid: { stroke: () => this.style.line, width: 1 },
        ticks: { stroke: () => this.style.line, width: 1, size: 4 },
        ...(isX
          ? o.log
            ? {
                splits: (u: uPlot, _i: number, min: number, max: number) =>
                  decades(min, max, Math.floor(u.bbox.width / devicePixelRatio / 64)),
                values: (_u: uPlot, splits: number[]) => splits.map(power),
              }
            : { values: (_u: uPlot, splits: number[], _i: number, _s: number, step: number) => ticks(splits, step) }
          : {
              splits: (u: uPlot) => this.splitsY(u.bbox.height / devicePixelRatio),
              values: () => this.yTicks.text,
            }),
      };
    };
    return {
      width,
      height: this.height,
      padding: [8, 12, 0, 0],
      series: [{}, { scale: 'y', paths: () => null, points: { show: false } }],
      scales: {
        x: { time: false, auto: false, range: (_u, a, b) => [a, b] },
        y: { auto: false, range: (_u, a, b) => [a, b] },
      },
      axes: [axis('x'), axis('y')],
      legend: { show: false },
      cursor: {
        x: false,
        y: false,
        points: { show: false },
        drag: { x: true, y: false, setScale: false, dist: 4 },
      },
      hooks: {
        drawAxes: [(u) => this.drawBelow(u)],
        draw: [(u) => this.drawCurves(u)],
        setSelect: [(u) => this.selected(u)],
        setCursor: [(u) => this.moved(u)],
      },
    };
  }

  /* ticks of y, as parts of its height */
  private splitsY(height: number): number[] {
    const [a, b] = this.ySpan;
    if (this.o.y.log) {
      const floor = this.floors.y;
      const at = this.withFloor(a, b, decades(a, b, Math.floor(height / 26)));
      const text = at.map((v) => (this.floors.yClipped && Math.abs(v - floor) < 1e-9 ? `≤ ${power(v)}` : power(v)));
      this.yTicks = { at, text };
    } else {
      const { at, step } = steps(a, b, Math.floor(height / 30));
      this.yTicks = { at, text: ticks(at, step) };
    }
    return this.yTicks.at.map((v) => (v - a) / (b - a));
  }

  /* where values were too small for the axis, its floor is told */
  private withFloor(min: number, max: number, splits: number[]): number[] {
    const floor = this.floors.y;
    if (!this.floors.yClipped || floor < min || floor > max) return splits;
    return [floor, ...splits.filter((v) => v - floor > (max - min) * 0.09)];
  }

  private selected(u: uPlot): void {
    const { left, width } = u.select;
    if (width < 4) return;
    const a = u.posToVal(left, 'x'),
      b = u.posToVal(left + width, 'x');
    u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    this.zoom(this.fromX(a), this.fromX(b));
  }

  private moved(u: uPlot): void {
    const left = u.cursor.left ?? -1;
    const x = left >= 0 ? this.snap(this.fromX(u.posToVal(left, 'x'))) : null;
    if (x === this.hover) return;
    if (this.touching) return; // fingers pick, they do not hover
    this.ghost(x);
    this.o.sync?.hover(x, this);
    this.o.onHover?.(x);
  }

  /* where the pointer is in this chart or another */
  ghost(x: number | null): void {
    this.hover = x;
    this.placeLine(this.ghostLine, x ?? NaN);
    this.values(x ?? this.now);
  }

  /* the sample nearest to x, of the first curve that has an order */
  private snap(x: number): number {
    const c =
      this.curves.find((k) => k.on && k.sorted && k.s.x.length) ?? this.curves.find((k) => k.sorted && k.s.x.length);
    return c ? c.s.x[nearest(c.s.x, x)] : x;
  }

  private values(x: number): void {
    if (Number.isNaN(x)) return;
    const { label, unit } = this.o.x;
    let text = `${label} ${withUnit(x, unit, 6)}`;
    const near = this.o.marks?.length ? this.marksNear(x) : '';
    if (near) text += `: ${near}`;
    if (this.o.marks?.length) this.u.over.title = near;
    this.readout.textContent = text;
    for (const c of this.curves) {
      if (!c.s.x.length) continue;
      let i = -1;
      if (c.sorted) i = nearest(c.s.x, x);
      else {
        let best = Infinity;
        for (let k = 0; k < c.s.x.length; k++) {
          const d = Math.abs(c.s.x[k] - x);
          if (d < best) [best, i] = [d, k];
        }
      }
      c.value.textContent = i >= 0 ? number(c.s.y[i], 5) : '';
    }
  }

  private marksNear(x: number): string {
    const marks = this.o.marks ?? [];
    const reach = Math.abs(this.u.posToVal(3, 'x') - this.u.posToVal(0, 'x'));
    const at = this.toX(x);
    const found = marks.filter((m) => Math.abs(this.toX(m.x) - at) <= reach);
    if (!found.length) return '';
    /* those that are counted are added */
    const sums = new Map<string, number>();
    for (const { many } of found) if (many) sums.set(many.one, (sums.get(many.one) ?? 0) + many.n);
    const told = found.filter((m) => !m.many);
    const parts = [...sums].map(([one, n]) => `${count(n)} ${one}${n === 1 ? '' : 's'}`);
    if (told.length) parts.unshift(told.length > 1 ? `${told[0].label} (and ${told.length - 1} more)` : told[0].label);
    return parts.join(', ');
  }

  private place(): void {
    this.placeLine(this.nowLine, this.now);
    this.placeLine(this.ghostLine, this.hover ?? NaN);
  }

  private placeLine(line: HTMLElement, at: number): void {
    const x = this.toX(at);
    const [a, b] = this.view;
    const hidden = this.behind || !(x >= a && x <= b);
    line.hidden = hidden;
    if (!hidden) line.style.transform = `translateX(${this.u.valToPos(x, 'x').toFixed(2)}px)`;
  }

  private drawBelow(u: uPlot): void {
    const c = u.ctx,
      px = devicePixelRatio,
      { left, top, width, height } = u.bbox;
    c.save();
    c.beginPath();
    c.rect(left, top, width, height);
    c.clip();
    /* marks that fall together are one, with their number */
    const marks = (this.o.marks ?? [])
      .map((m) => ({ m, at: u.valToPos(this.toX(m.x), 'x', true) }))
      .filter((k) => k.at >= left - 1 && k.at <= left + width + 1)
      .sort((p, q) => p.at - q.at);
    const near = 9 * px;
    for (let i = 0; i < marks.length;) {
      let j = i + 1;
      while (j < marks.length && marks[j].at - marks[i].at < near) j++;
      const strong = marks.slice(i, j).find((k) => k.m.kind !== 'effort');
      const at = (strong ?? marks[i]).at;
      c.strokeStyle = strong ? this.style.bad : this.style.faint;
      c.fillStyle = c.strokeStyle;
      c.globalAlpha = strong ? 0.8 : 0.45;
      c.lineWidth = px;
      c.setLineDash([3 * px, 3 * px]);
      c.beginPath();
      if (strong) {
        c.moveTo(at, top);
        c.lineTo(at, top + height);
        c.stroke();
      }
      c.setLineDash([]);
      c.beginPath();
      c.moveTo(at - 4 * px, top);
      c.lineTo(at + 4 * px, top);
      c.lineTo(at, top + 6 * px);
      c.fill();
      if (j - i > 1) {
        c.font = `${10 * px}px system-ui, sans-serif`;
        c.textBaseline = 'top';
        c.textAlign = at > left + width - 24 * px ? 'right' : 'left';
        c.fillText(String(j - i), at + (c.textAlign === 'left' ? 5 : -5) * px, top + px);
      }
      i = j;
    }
    c.globalAlpha = 1;
    for (const l of this.o.lines ?? []) {
      const v = this.o.y.log ? (l.value > 0 ? log10(l.value) : NaN) : l.value;
      if (Number.isNaN(v) || v < this.ySpan[0] || v > this.ySpan[1]) continue;
      const [y0, y1] = this.ySpan;
      const y = Math.round(top + height - (height * (v - y0)) / (y1 - y0)) + 0.5;
      c.strokeStyle = this.style.ink;
      c.lineWidth = px;
      c.setLineDash([8 * px, 4 * px]);
      c.beginPath();
      c.moveTo(left, y);
      c.lineTo(left + width, y);
      c.stroke();
      c.setLineDash([]);
      c.fillStyle = this.style.ink;
      c.font = `${11 * px}px system-ui, sans-serif`;
      c.textAlign = 'right';
      /* above the line; where marks and their numbers are, below */
      const taken = marks.length ? 14 * px : 0;
      c.textBaseline = y - top > taken + 16 * px ? 'bottom' : 'top';
      const at = c.textBaseline === 'bottom' ? y - 3 * px : Math.max(y + 3 * px, top + taken);
      c.fillText(l.label, left + width - 6 * px, at);
    }
    c.restore();
  }

  private drawCurves(u: uPlot): void {
    const start = performance.now();
    const c = u.ctx,
      px = devicePixelRatio,
      { left, top, width, height } = u.bbox;
    c.save();
    c.beginPath();
    c.rect(left, top - 4 * px, width, height + 8 * px);
    c.clip();
    const [x0, x1] = this.view,
      [y0, y1] = this.ySpan;
    const kx = width / (x1 - x0),
      ky = height / (y1 - y0);
    for (const curve of this.curves) {
      if (!curve.on) continue;
      const { x, y } = curve;
      c.strokeStyle = c.fillStyle = this.colors[curve.color];
      c.lineJoin = 'round';
      const from = curve.sorted ? Math.max(0, below(x, x0)) : 0;
      const to = curve.sorted ? Math.min(x.length, below(x, x1) + 2) : x.length;
      const X = (i: number): number => left + (x[i] - x0) * kx;
      const Y = (i: number): number => top + height - (y[i] - y0) * ky;
      if (curve.s.line !== false) {
        c.lineWidth = 1.6 * px;
        c.setLineDash(curve.dash.map((d) => d * px));
        c.beginPath();
        if (curve.sorted && to - from > 4 * width) thinned(c, from, to, X, Y, x, y);
        else plain(c, from, to, X, Y, x, y);
        c.stroke();
        c.setLineDash([]);
      }
      if (curve.s.points) {
        c.beginPath();
        for (let i = from; i < to; i++)
          if (x[i] === x[i] && y[i] === y[i]) marker(c, curve.marker, X(i), Y(i), 3.6 * px);
        c.fill();
      }
    }
    c.restore();
    this.drawTime = performance.now() - start;
  }

  private listen(): void {
    const over = this.u.over;
    const xAt = (clientX: number): number => {
      const box = over.getBoundingClientRect();
      const part = Math.min(1, Math.max(0, (clientX - box.left) / box.width));
      return this.fromX(this.view[0] + part * (this.view[1] - this.view[0]));
    };
    const pick = (x: number): void => {
      const at = this.snap(x);
      if (this.o.onPick) this.o.onPick(at);
      else this.cursor(at);
    };
    const about = (factor: number, x: number): void => {
      const at = this.toX(x),
        [a, b] = this.view;
      const p = Math.max(this.full[0], at + (a - at) * factor),
        q = Math.min(this.full[1], at + (b - at) * factor);
      if (p <= this.full[0] && q >= this.full[1]) this.reset();
      else this.zoom(this.fromX(p), this.fromX(q));
    };

    /* a press that does not become a drag picks; fingers pick as they go */
    let down: { x: number; y: number } | null = null;
    const fingers = new Map<number, number>();
    let pinch = 0;
    over.addEventListener('pointerdown', (e) => {
      this.touching = e.pointerType === 'touch';
      if (e.pointerType === 'touch') {
        fingers.set(e.pointerId, e.clientX);
        if (fingers.size === 2) pinch = spread(fingers);
        if (fingers.size === 1) pick(xAt(e.clientX));
      } else down = { x: e.clientX, y: e.clientY };
    });
    over.addEventListener('pointerenter', (e) => (this.touching = e.pointerType === 'touch'));
    over.addEventListener('pointermove', (e) => {
      if (e.pointerType !== 'touch' || !fingers.has(e.pointerId)) return;
      fingers.set(e.pointerId, e.clientX);
      if (fingers.size === 1) pick(xAt(e.clientX));
      else if (fingers.size === 2) {
        const now = spread(fingers);
        if (now > 10 && pinch > 10) {
          const [p, q] = [...fingers.values()];
          about(pinch / now, xAt((p + q) / 2));
        }
        pinch = now;
      }
    });
    for (const end of ['pointerup', 'pointercancel'] as const)
      over.addEventListener(end, (e) => {
        fingers.delete(e.pointerId);
        if (end === 'pointerup' && down && e.pointerType !== 'touch' && e.button === 0) {
          if (Math.hypot(e.clientX - down.x, e.clientY - down.y) < 4) pick(xAt(e.clientX));
        }
        down = null;
      });
    over.addEventListener('dblclick', (e) => {
      e.preventDefault();
      this.reset();
    });
    over.addEventListener(
      'wheel',
      (e) => {
        if (!e.ctrlKey) return;
        e.preventDefault();
        about(Math.exp(Math.max(-60, Math.min(60, e.deltaY)) * 0.01), xAt(e.clientX));
      },
      { passive: false },
    );

    this.root.addEventListener('keydown', (e) => {
      if (e.ctrlKey || e.metaKey || e.altKey) return;
      const c = this.curves.find((k) => k.on && k.sorted && k.s.x.length);
      const now = Number.isNaN(this.now) ? this.fromX(this.view[0]) : this.now;
      const go = (by: number): void => {
        if (!c) return;
        const x = c.s.x;
        const i = Math.min(x.length - 1, Math.max(0, nearest(x, now) + by));
        pick(x[i]);
      };
      const steps = e.shiftKey ? 10 : 1;
      const middle = this.fromX((this.view[0] + this.view[1]) / 2);
      const seen = this.toX(now) >= this.view[0] && this.toX(now) <= this.view[1];
      const acts: Record<string, () => void> = {
        ArrowLeft: () => go(-steps),
        ArrowRight: () => go(steps),
        Home: () => go(-Infinity),
        End: () => go(Infinity),
        '+': () => about(0.5, seen ? now : middle),
        '=': () => about(0.5, seen ? now : middle),
        '-': () => about(2, seen ? now : middle),
        Escape: () => this.reset(),
      };
      const act = acts[e.key];
      if (!act) return;
      e.preventDefault();
      e.stopPropagation();
      act();
    });
  }
}

function spread(fingers: Map<number, number>): number {
  const [a, b] = [...fingers.values()];
  return Math.abs(a - b);
}

const RAISED = '⁰¹²³⁴⁵⁶⁷⁸⁹';
function tenTo(k: number): string {
  if (k >= -2 && k <= 4) return String(Number(`1e${k}`));
  return `10${k < 0 ? '⁻' : ''}${[...String(Math.abs(k))].map((d) => RAISED[Number(d)]).join('')}`;
}

/* of its logarithm */
function power(v: number): string {
  return Math.abs(v - Math.round(v)) < 1e-9 ? tenTo(Math.round(v)) : number(10 ** v, 3);
}

/* the outline of a marker as an SVG path about (13, 6) */
function outline(kind: number): string {
  const parts: string[] = [];
  const at = (x: number, y: number): string => `${x.toFixed(2)} ${y.toFixed(2)}`;
  const pen = {
    moveTo: (x: number, y: number) => parts.push(`M${at(x, y)}`),
    lineTo: (x: number, y: number) => parts.push(`L${at(x, y)}`),
    closePath: () => parts.push('Z'),
    rect: (x: number, y: number, w: number, g: number) =>
      parts.push(`M${at(x, y)}h${w.toFixed(2)}v${g.toFixed(2)}h${(-w).toFixed(2)}Z`),
    arc: (x: number, y: number, r: number) =>
      parts.push(`A${at(r, r)} 0 1 1 ${at(x - r, y)}A${at(r, r)} 0 1 1 ${at(x + r, y)}`),
  };
  marker(pen as unknown as CanvasRenderingContext2D, kind, 13, 6, 4);
  return parts.join('');
}

type At = (i: number) => number;

function plain(
  c: CanvasRenderingContext2D,
  from: number,
  to: number,
  X: At,
  Y: At,
  x: ArrayLike<number>,
  y: ArrayLike<number>,
): void {
  let pen = false;
  for (let i = from; i < to; i++) {
    if (x[i] !== x[i] || y[i] !== y[i]) {
      pen = false;
      continue;
    }
    if (pen) c.lineTo(X(i), Y(i));
    else c.moveTo(X(i), Y(i));
    pen = true;
  }
}

/* of all samples in one column of pixels: first, least, largest, last */
function thinned(
  c: CanvasRenderingContext2D,
  from: number,
  to: number,
  X: At,
  Y: At,
  x: ArrayLike<number>,
  y: ArrayLike<number>,
): void {
  let pen = false;
  for (let i = from; i < to;) {
    if (x[i] !== x[i] || y[i] !== y[i]) {
      pen = false;
      i++;
      continue;
    }
    const column = Math.floor(X(i));
    let least = i,
      most = i,
      last = i,
      j = i + 1;
    for (; j < to && Math.floor(X(j)) === column && y[j] === y[j]; j++) {
      if (y[j] < y[least]) least = j;
      if (y[j] > y[most]) most = j;
      last = j;
    }
    if (pen) c.lineTo(X(i), Y(i));
    else c.moveTo(X(i), Y(i));
    pen = true;
    for (const k of least < most ? [least, most] : [most, least]) if (k !== i && k !== last) c.lineTo(X(k), Y(k));
    if (last !== i) c.lineTo(X(last), Y(last));
    i = j;
  }
}
