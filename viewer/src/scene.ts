/* what both views share: switches, traces, names, arrows of reactions, what the pointer is over. */
import { h } from './dom';
import { number } from './format';
import type { Run } from './data';
import { rod, zigzag } from './spring';
import { css, onTheme, palette, PALETTE } from './theme';

export const TOGGLES = ['traces', 'poses', 'reactions', 'axes', 'names', 'ground', 'world'] as const;
export type Toggle = (typeof TOGGLES)[number];

export interface Target {
  kind: 'body' | 'joint';
  index: number;
}

export interface Traced {
  name: string;
  body: number;
  at: number[];
  points: Float32Array | null; // rows x 2 or 3, made when first drawn
  color: number;
  own: Target | null; // asked for by the reader
}

export const same = (a: Target | null, b: Target | null): boolean => a?.kind === b?.kind && a?.index === b?.index;

const MOST_TRACED = 20000; // points of one trace
const MOST_NAMES = 150;

export abstract class Scene {
  readonly root = h('div', { class: 'scene' });
  readonly on: Record<Toggle, boolean> = {
    traces: true,
    poses: false,
    reactions: false,
    axes: false,
    names: false,
    ground: true,
    world: true,
  };
  readonly superposes: boolean = false; // poses over one another can be shown
  readonly traces: Traced[] = [];
  selected: Target | null = null;
  hovered: Target | null = null;
  onSelect: (target: Target | null) => void = () => {};
  firstFrame = 0;
  protected pose: Float64Array;
  protected row = 0;
  protected part = 0;
  protected colors: string[] = [];
  protected style = { paper: '', panel: '', ink: '', faint: '', line: '', accent: '', bad: '' };
  protected tip = h('div', { class: 'tip', role: 'status', hidden: true });
  protected key = h('div', { class: 'scene-key', hidden: true });
  private mostForce = -1;
  private mostAt = { joint: 0, row: 0 };
  private asked = 0;

  constructor(readonly run: Run) {
    this.pose = run.newPose();
    run.page.traces.forEach((t, i) => this.traces.push({ ...t, points: null, color: i % PALETTE, own: null }));
    this.readStyle();
    onTheme(() => {
      this.readStyle();
      this.themed();
      this.render();
    });
    this.root.append(this.tip, this.key);
  }

  protected readStyle(): void {
    this.colors = palette();
    for (const name of Object.keys(this.style) as (keyof typeof this.style)[]) this.style[name] = css(`--${name}`);
  }

  /* once it stands in the page */
  abstract start(): void;
  abstract fit(again?: boolean): void;
  abstract zoomBy(factor: number): void;
  abstract poses(): number[][];
  abstract still(): string; // as a picture, data:
  protected abstract render(): void;
  protected abstract themed(): void;
  protected abstract toScreen(world: number[]): [number, number] | null; // px of the scene
  protected abstract under(x: number, y: number): Target | null;
  protected abstract arrowLength(): number; // of the largest force, m

  show(row: number, part: number): void {
    [this.row, this.part] = this.run.rows ? this.run.shown(row, part) : [row, part];
    if (this.run.rows) this.run.pose(row, part, this.pose);
    this.render();
    if (!this.firstFrame) this.firstFrame = performance.now();
  }

  /* drawn with the next frame, once */
  later(): void {
    if (this.asked) return;
    this.asked = requestAnimationFrame(() => {
      this.asked = 0;
      this.render();
    });
  }

  set(toggle: Toggle, on: boolean): void {
    this.on[toggle] = on;
    this.key.hidden = !this.on.reactions;
    if (on && toggle === 'reactions') this.explain();
    this.themed();
    this.later();
  }

  select(target: Target | null): void {
    this.selected = target;
    this.themed();
    this.later();
  }

  name(target: Target): string {
    const p = this.run.page;
    if (target.kind === 'body') return this.run.body(target.index);
    const j = p.joints[target.index];
    return `${j.name} (${j.type})`;
  }

  /* a trace of a body's origin or of a joint's place, or none any more */
  trace(target: Target): boolean {
    const i = this.traces.findIndex((t) => same(t.own, target));
    if (i >= 0) {
      this.traces.splice(i, 1);
      this.themed();
      this.later();
      return false;
    }
    const used = new Set(this.traces.map((t) => t.color));
    let color = 0;
    while (used.has(color) && color < PALETTE - 1) color++;
    if (target.kind === 'body') {
      const name = this.run.body(target.index);
      this.traces.push({ name, body: target.index, at: [0, 0, 0], points: null, color, own: target });
    } else {
      const j = this.run.page.joints[target.index];
      const side = j.bodies[1] >= 0 ? 1 : 0;
      this.traces.push({
        name: j.name,
        body: j.bodies[side],
        at: j.at[side] ?? j.at[0],
        points: null,
        color,
        own: target,
      });
    }
    this.themed();
    this.later();
    return true;
  }
  isTraced(target: Target): boolean {
    return this.traces.some((t) => same(t.own, target));
  }

  /* rows of a trace are so many apart */
  protected stepOf(): number {
    return Math.max(1, Math.ceil(this.run.rows / MOST_TRACED));
  }
  protected pointsOf(t: Traced): Float32Array {
    if (t.points) return t.points;
    const m = this.run.flat ? 2 : 3,
      step = this.stepOf(),
      n = Math.ceil(this.run.rows / step);
    const out = new Float32Array(n * m),
      one = this.run.newPose(),
      p = [0, 0, 0];
    /* of all bodies only this one is wanted */
    const k = t.body * this.run.stride;
    for (let i = 0; i < n; i++) {
      for (let a = 0; a < this.run.stride && t.body >= 0; a++) one[k + a] = this.run.value('poses', k + a, i * step);
      this.run.place(one, t.body, t.at, p);
      /* where it is nowhere it stays */
      for (let a = 0; a < m; a++) out[i * m + a] = Number.isFinite(p[a]) ? p[a] : i ? out[(i - 1) * m + a] : 0;
    }
    t.points = out;
    return out;
  }

  /* -- reactions -- */

  protected largest(): number {
    if (this.mostForce >= 0) return this.mostForce;
    this.mostForce = 0;
    if (!this.run.hasJoints()) return 0;
    const { force, row } = this.run.maxima();
    this.run.page.joints.forEach((j, i) => {
      if (!j.at.length || force[i] <= this.mostForce) return;
      this.mostForce = force[i];
      this.mostAt = { joint: i, row: row[i] };
    });
    this.mostForce = Math.sqrt(this.mostForce);
    return this.mostForce;
  }

  private explain(): void {
    const f = this.largest();
    this.key.textContent = '';
    if (!(f > 0)) {
      this.key.append('no reaction is larger than zero');
      return;
    }
    const { joint, row } = this.mostAt,
      { name } = this.run.page.joints[joint];
    this.key.append(
      h('span', { class: 'arrow-sample', 'aria-hidden': 'true' }),
      h('span', { class: 'arrow-size' }),
      h(
        'span',
        {},
        `force on the second body; largest ${number(f, 3)} N at ‘${name}’, t = ${number(this.run.time[row], 4)} s`,
      ),
    );
  }

  /* from, to and size of each arrow of now */
  protected eachReaction(draw: (from: number[], to: number[], joint: number, size: number) => void): void {
    const f = this.largest();
    if (!(f > 0)) return;
    const scale = this.arrowLength() / f,
      { run } = this,
      m = run.flat ? 2 : 3,
      from = [0, 0, 0],
      to = [0, 0, 0];
    run.page.joints.forEach((j, i) => {
      if (!j.at.length) return;
      run.place(this.pose, j.bodies[1], j.at[1] ?? j.at[0], from);
      const k = run.jointColumn(i);
      let size = 0;
      to[2] = from[2];
      for (let a = 0; a < m; a++) {
        let v = run.value('joints', k + 1 + a, this.row);
        if (this.part > 0 && this.row + 1 < run.rows)
          v += this.part * (run.value('joints', k + 1 + a, this.row + 1) - v);
        to[a] = from[a] + scale * v;
        size += v * v;
      }
      size = Math.sqrt(size);
      if (size > f * 1e-3) draw(from, to, i, size);
    });
  }

  /* how long a body is between its joints, in the middle of all; m */
  private links = -1;
  protected linkLength(): number {
    if (this.links >= 0) return this.links;
    const places = this.run.page.bodies.map((): number[][] => []);
    for (const j of this.run.page.joints)
      j.bodies.forEach((b, side) => b >= 0 && j.at[side] && places[b].push(j.at[side]));
    const lengths = places
      .flatMap((list) => list.slice(1).map((q) => Math.hypot(...q.map((v, a) => v - list[0][a]))))
      .filter((v) => v > 0);
    lengths.sort((a, b) => a - b);
    this.links = lengths.length ? lengths[lengths.length >> 1] : 0.3 * (this.run.page.length || 1);
    return this.links;
  }

  /* -- annotations on a flat canvas; px of the scene -- */

  protected drawArrows(c: CanvasRenderingContext2D): void {
    c.strokeStyle = c.fillStyle = this.style.bad;
    c.lineCap = 'butt';
    this.eachReaction((from, to) => {
      const a = this.toScreen(from),
        b = this.toScreen(to);
      if (a && b) arrow(c, a[0], a[1], b[0], b[1], 2.25);
    });
    /* the legend's sample: a round force as long as it is drawn */
    const f = this.largest(),
      sample = this.key.querySelector<HTMLElement>('.arrow-sample'),
      size = this.key.querySelector<HTMLElement>('.arrow-size');
    if (sample && size && f > 0) {
      const px = this.pxPerMetre() * this.arrowLength();
      const nice = roundDown((f * 60) / Math.max(px, 1e-9));
      sample.style.width = `${Math.max(8, (nice / f) * px).toFixed(1)}px`;
      size.textContent = `${number(nice, 2)} N`;
    }
  }
  protected abstract pxPerMetre(): number;

  /* springs and the like, and rods */
  protected drawLinks(c: CanvasRenderingContext2D): void {
    const { run } = this,
      { ink, paper } = this.style;
    const ends = (bodies: [number, number], at: number[][]): [number, number, number, number] | null => {
      if (at.length < 2) return null;
      const a = this.toScreen(run.place(this.pose, bodies[0], at[0])),
        b = this.toScreen(run.place(this.pose, bodies[1], at[1]));
      return a && b ? [...a, ...b] : null;
    };
    for (const l of run.page.links) {
      const e = ends(l.bodies, l.at);
      if (!e) continue;
      if (l.type === 'rod') rod(c, ...e, ink, paper);
      else zigzag(c, ...e, /spring|bushing/.test(l.type), ink, paper);
    }
  }

  protected drawNames(c: CanvasRenderingContext2D): void {
    const { page } = this.run;
    c.font = '12px system-ui, sans-serif';
    c.textBaseline = 'middle';
    c.textAlign = 'left';
    /* beside its place, where no other name stands; else not at all */
    const taken: [number, number, number, number][] = [];
    const put = (text: string, at: [number, number] | null, color: string, centred: boolean): void => {
      if (!at) return;
      const shown = text.length > 24 ? `${text.slice(0, 23)}…` : text,
        w = c.measureText(shown).width;
      const spots = [
        [9, -10],
        [9, 12],
        [-9 - w, -10],
        [-9 - w, 12],
      ];
      if (centred) spots.unshift([-w / 2, 0], [-w / 2, -16], [-w / 2, 16]);
      for (const [dx, dy] of spots) {
        const x = at[0] + dx,
          y = at[1] + dy;
        if (taken.some(([p, q, r, s]) => x < r && x + w > p && y - 7 < s && y + 7 > q)) continue;
        taken.push([x, y - 7, x + w, y + 7]);
        c.lineWidth = 3;
        c.lineJoin = 'round';
        c.strokeStyle = this.style.paper;
        c.strokeText(shown, x, y);
        c.fillStyle = color;
        c.fillText(shown, x, y);
        return;
      }
    };
    page.joints.slice(0, MOST_NAMES).forEach((j) => {
      if (j.at.length)
        put(j.name, this.toScreen(this.run.place(this.pose, j.bodies[0], j.at[0])), this.style.faint, false);
    });
    page.bodies
      .slice(0, MOST_NAMES)
      .forEach((b, i) => put(b.name, this.toScreen(this.middle(i)), this.style.ink, true));
  }

  /* of a body: between its joints, so that its name stands on it */
  private middles: number[][] = [];
  protected middle(body: number): number[] {
    if (!this.middles.length) {
      this.middles = this.run.page.bodies.map(() => []);
      const n = this.run.page.bodies.map(() => 0);
      const sums = this.run.page.bodies.map(() => [0, 0, 0]);
      for (const j of this.run.page.joints)
        j.bodies.forEach((b, side) => {
          const at = j.at[side];
          if (b < 0 || !at) return;
          n[b]++;
          for (let a = 0; a < 3; a++) sums[b][a] += at[a] ?? 0;
        });
      this.middles = sums.map((s, b) => (n[b] > 1 ? s.map((v) => v / n[b]) : [0, 0, 0]));
    }
    return this.run.place(this.pose, body, this.middles[body]);
  }

  protected point(x: number, y: number, inside: boolean): void {
    const found = inside ? this.under(x, y) : null;
    if (!same(found, this.hovered)) {
      this.hovered = found;
      this.tip.hidden = !found;
      this.tip.textContent = found ? this.name(found) : '';
      this.root.style.cursor = found ? 'pointer' : '';
    }
    if (found) this.tip.style.transform = `translate(${Math.round(x + 14)}px, ${Math.round(y + 14)}px)`;
  }
}

export function roundDown(v: number): number {
  if (!(v > 0)) return 0;
  const ten = 10 ** Math.floor(Math.log10(v));
  return (v >= 5 * ten ? 5 : v >= 2 * ten ? 2 : 1) * ten;
}

export function arrow(
  c: CanvasRenderingContext2D,
  x0: number,
  y0: number,
  x1: number,
  y1: number,
  width: number,
): void {
  const length = Math.hypot(x1 - x0, y1 - y0);
  if (length < 2) return;
  const head = Math.min(9, length * 0.5),
    ux = (x1 - x0) / length,
    uy = (y1 - y0) / length;
  c.lineWidth = width;
  c.beginPath();
  c.moveTo(x0, y0);
  c.lineTo(x1 - ux * head * 0.8, y1 - uy * head * 0.8);
  c.stroke();
  c.beginPath();
  c.moveTo(x1, y1);
  c.lineTo(x1 - ux * head - uy * head * 0.42, y1 - uy * head + ux * head * 0.42);
  c.lineTo(x1 - ux * head + uy * head * 0.42, y1 - uy * head - ux * head * 0.42);
  c.fill();
}

/* -- colours -- */

export function hex(color: string | undefined): string | null {
  return color && /^#[0-9a-f]{6}$/i.test(color) ? color : null;
}

/* `part` of b in a; both #rrggbb */
export function mix(a: string, b: string, part: number): string {
  const at = (s: string, i: number): number => parseInt(s.slice(1 + 2 * i, 3 + 2 * i), 16) || 0;
  return `#${[0, 1, 2]
    .map((i) =>
      Math.round(at(a, i) * (1 - part) + at(b, i) * part)
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`;
}
