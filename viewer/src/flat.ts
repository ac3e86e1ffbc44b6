/* the plane: a kinematic diagram on a canvas. lengths of bodies in m, of lines and signs in px. */
import type { Run } from './data';
import { h } from './dom';
import { number } from './format';
import type { Shape2 } from './page';
import { arrow, hex, mix, roundDown, Scene, type Target } from './scene';
import { PALETTE } from './theme';

interface Piece {
  shape: Shape2;
  path: Path2D;
  box: [number, number, number, number];
  fill: string;
  edge: string;
}

/* a wheel with teeth; those that mesh have the same pitch */
function gear(x: number, y: number, r: number, pitch: number): Path2D {
  const n = Math.max(8, Math.round((2 * Math.PI * r) / pitch)),
    p = (2 * Math.PI * r) / n,
    path = new Path2D();
  for (let i = 0; i < n; i++)
    for (const [part, out] of [
      [-0.28, -0.3],
      [-0.13, 0.27],
      [0.13, 0.27],
      [0.28, -0.3],
    ]) {
      const a = (2 * Math.PI * (i + part)) / n,
        s = r + out * p;
      if (i || part > -0.28) path.lineTo(x + s * Math.cos(a), y + s * Math.sin(a));
      else path.moveTo(x + s * Math.cos(a), y + s * Math.sin(a));
    }
  path.closePath();
  return path;
}

const POSES = 24; // that are shown over one another

export class Plane extends Scene {
  readonly superposes = true;
  private canvas = h('canvas', { 'aria-label': 'the mechanism', role: 'img' });
  private c = this.canvas.getContext('2d') as CanvasRenderingContext2D;
  private pieces: Piece[][] = [];
  private groundPieces: Piece[] = [];
  private width = 1;
  private height = 1;
  private ratio = 1;
  private scale = 100; // px per m
  private cx = 0;
  private cy = 0;
  private drawn: Float64Array; // six of each body: the transforms of the last frame, device px
  private drawnView = [1, 0, 0]; // device px per m, origin of the world
  private hatch: CanvasPattern | null = null;
  private bounds: [number, number, number, number] | null = null;
  private touched = false;
  private near = false; // fitted to the pose of now
  private radii: number[] = [];
  private largestRadius = 0;

  constructor(run: Run) {
    super(run);
    this.root.prepend(this.canvas);
    this.drawn = new Float64Array(run.page.bodies.length * 6);
    const all = [...run.page.bodies.flatMap((b) => b.shapes), ...run.page.ground] as Shape2[];
    let least = Infinity;
    for (const s of all) if (s.role === 'gear' && s.kind === 'disc' && s.radius) least = Math.min(least, s.radius);
    const pitch = (2 * Math.PI * least) / 18;
    this.pieces = run.page.bodies.map((b) => (b.shapes as Shape2[]).map((s) => this.piece(s, pitch)));
    this.groundPieces = (run.page.ground as Shape2[]).map((s) => this.piece(s, pitch));
    this.radii = this.pieces.map((list) =>
      Math.max(0, ...list.map((p) => Math.hypot(Math.max(-p.box[0], p.box[2]), Math.max(-p.box[1], p.box[3])))),
    );
    this.largestRadius = Math.max(0, ...this.radii);
    this.paint();
  }

  private piece(shape: Shape2, pitch: number): Piece {
    let path = new Path2D();
    const box: Piece['box'] = [Infinity, Infinity, -Infinity, -Infinity];
    const loop = (points: number[], close: boolean): void => {
      for (let i = 0; i + 1 < points.length; i += 2) {
        const [x, y] = [points[i], points[i + 1]];
        if (i) path.lineTo(x, y);
        else path.moveTo(x, y);
        box[0] = Math.min(box[0], x);
        box[1] = Math.min(box[1], y);
        box[2] = Math.max(box[2], x);
        box[3] = Math.max(box[3], y);
      }
      if (close) path.closePath();
    };
    if (shape.kind === 'disc') {
      const [x, y] = shape.center ?? [0, 0],
        r = shape.radius ?? 0;
      if (shape.role === 'gear' && r > 0) path = gear(x, y, r, pitch);
      else path.arc(x, y, r, 0, 2 * Math.PI);
      box.splice(0, 4, x - r, y - r, x + r, y + r);
    } else {
      loop(shape.points ?? [], shape.kind === 'fill' || !!shape.closed);
      for (const hole of shape.holes ?? []) loop(hole, true);
      const w = (shape.width ?? 0) / 2;
      if (shape.kind === 'stroke') box.splice(0, 4, box[0] - w, box[1] - w, box[2] + w, box[3] + w);
    }
    return { shape, path, box, fill: '', edge: '' };
  }

  private paint(): void {
    const { paper, ink, faint, line } = this.style;
    this.pieces.forEach((list, body) => {
      const chosen = this.selected?.kind === 'body' && this.selected.index === body;
      for (const p of list) {
        const base = hex(p.shape.color) ?? this.colors[body % PALETTE];
        const own = hex(p.shape.color) !== null;
        const role = p.shape.role;
        p.fill =
          role === 'point'
            ? base
            : role === 'rail'
              ? mix(faint, paper, 0.45)
              : mix(base, paper, own ? 0 : role === 'slider' ? 0.62 : 0.42);
        p.edge = mix(base, ink, role === 'rail' ? 0.2 : 0.35);
        if (chosen) {
          p.fill = mix(base, paper, 0.1);
          p.edge = ink;
        }
      }
    });
    for (const p of this.groundPieces) {
      p.fill = hex(p.shape.color) ?? mix(line, paper, 0.35);
      p.edge = mix(faint, ink, 0.3);
    }
    /* hatching of what does not move */
    const size = Math.round(8 * this.ratio),
      tile = document.createElement('canvas');
    tile.width = tile.height = size;
    const t = tile.getContext('2d') as CanvasRenderingContext2D;
    t.strokeStyle = this.style.faint;
    t.lineWidth = this.ratio;
    t.beginPath();
    for (const k of [-size, 0, size]) {
      t.moveTo(k - 1, size + 1);
      t.lineTo(k + size + 1, -1);
    }
    t.stroke();
    this.hatch = this.c.createPattern(tile, 'repeat');
  }

  protected themed(): void {
    this.paint();
  }

  start(): void {
    this.resize();
    this.fit();
    new ResizeObserver(() => {
      this.resize();
      if (!this.touched) this.fit();
      this.render();
    }).observe(this.root);
    this.listen();
  }

  private resize(): void {
    if (!this.root.clientWidth) return; // on paper a still stands for it
    this.ratio = Math.max(1, devicePixelRatio || 1);
    this.width = Math.max(50, this.root.clientWidth);
    this.height = Math.max(50, this.root.clientHeight);
    this.canvas.width = Math.round(this.width * this.ratio);
    this.canvas.height = Math.round(this.height * this.ratio);
    this.paint();
  }

  /* all that the motion reaches */
  private reach(): [number, number, number, number] {
    if (this.bounds) return this.bounds;
    const { run } = this,
      b: [number, number, number, number] = [Infinity, Infinity, -Infinity, -Infinity];
    const add = (x: number, y: number, r: number): void => {
      if (!Number.isFinite(x + y)) return;
      b[0] = Math.min(b[0], x - r);
      b[1] = Math.min(b[1], y - r);
      b[2] = Math.max(b[2], x + r);
      b[3] = Math.max(b[3], y + r);
    };
    const pose = run.newPose(),
      p = [0, 0, 0];
    const samples = Math.min(run.rows, Math.max(2, Math.floor(40000 / Math.max(1, run.page.bodies.length))), 400);
    const joints = run.page.joints.filter((j) => j.at.length && (j.bodies[0] < 0 || j.bodies[1] < 0));
    for (const j of joints) {
      const side = j.bodies[0] < 0 ? 0 : 1;
      if (j.at[side]) add(j.at[side][0], j.at[side][1], 0);
    }
    for (const l of run.page.links)
      l.bodies.forEach((body, side) => body < 0 && l.at[side] && add(l.at[side][0], l.at[side][1], 0));
    for (let k = 0; k < samples; k++) {
      run.pose(samples > 1 ? Math.round((k * (run.rows - 1)) / (samples - 1)) : 0, 0, pose);
      this.pieces.forEach((list, body) => {
        if (!list.length) add(pose[3 * body], pose[3 * body + 1], 0);
        for (const { box } of list)
          for (const corner of [0, 1, 2, 3]) {
            run.place(pose, body, [box[corner & 1 ? 2 : 0], box[corner & 2 ? 3 : 1]], p);
            add(p[0], p[1], 0);
          }
      });
    }
    /* ground that reaches far must not make the rest small */
    const size = Math.max(b[2] - b[0], b[3] - b[1], 0);
    for (const { box } of this.groundPieces)
      if (!(size > 0) || Math.max(box[2] - box[0], box[3] - box[1]) < 3 * size) {
        add(box[0], box[1], 0);
        add(box[2], box[3], 0);
      }
    if (!(b[0] <= b[2])) b.splice(0, 4, -1, -1, 1, 1);
    const least = 0.05 * (run.page.length || 1);
    if (Math.max(b[2] - b[0], b[3] - b[1]) < least) add((b[0] + b[2]) / 2, (b[1] + b[3]) / 2, least);
    this.bounds = b;
    return b;
  }

  /* where bodies are now */
  private extent(): [number, number, number, number] {
    const b: [number, number, number, number] = [Infinity, Infinity, -Infinity, -Infinity];
    this.pieces.forEach((list, body) => {
      for (const { box } of list)
        for (const corner of [0, 1, 2, 3]) {
          const [x, y] = this.run.place(this.pose, body, [box[corner & 1 ? 2 : 0], box[corner & 2 ? 3 : 1]]);
          if (!Number.isFinite(x + y)) continue;
          b.splice(0, 4, Math.min(b[0], x), Math.min(b[1], y), Math.max(b[2], x), Math.max(b[3], y));
        }
    });
    return b[0] < b[2] ? b : this.reach();
  }

  /* all of the motion; asked for again, the pose of now */
  fit(again = false): void {
    this.near = again && !this.touched && !this.near;
    const [x0, y0, x1, y1] = this.near ? this.extent() : this.reach();
    const pad = Math.min(44, this.width * 0.08);
    this.scale = Math.min(
      (this.width - 2 * pad) / Math.max(x1 - x0, 1e-9),
      (this.height - 2 * pad - 16) / Math.max(y1 - y0, 1e-9),
    );
    this.cx = (x0 + x1) / 2;
    this.cy = (y0 + y1) / 2 - 8 / this.scale;
    this.touched = false;
    this.later();
  }

  protected toScreen(w: number[]): [number, number] {
    return [this.width / 2 + (w[0] - this.cx) * this.scale, this.height / 2 - (w[1] - this.cy) * this.scale];
  }
  protected pxPerMetre(): number {
    return this.scale;
  }
  protected arrowLength(): number {
    const [x0, y0, x1, y1] = this.reach();
    return 0.3 * Math.max(x1 - x0, y1 - y0);
  }

  poses(): number[][] {
    const [s, ox, oy] = this.drawnView,
      out: number[][] = [];
    for (let i = 0; i < this.drawn.length; i += 6) {
      const [a, b, , , e, f] = this.drawn.subarray(i, i + 6);
      out.push([(e - ox) / s, (oy - f) / s, Math.atan2(-b, a)]);
    }
    return out;
  }

  still(): string {
    this.render();
    return this.canvas.toDataURL('image/png');
  }

  protected render(): void {
    const { c, ratio, run } = this;
    const s = this.scale * ratio,
      ox = (this.width / 2 - this.cx * this.scale) * ratio,
      oy = (this.height / 2 + this.cy * this.scale) * ratio;
    c.setTransform(1, 0, 0, 1, 0, 0);
    c.fillStyle = this.style.paper;
    c.fillRect(0, 0, this.canvas.width, this.canvas.height);
    if (this.on.world) this.drawGrid(c, s, ox, oy);

    if (this.on.ground) for (const p of this.groundPieces) this.drawPiece(c, p, s, s, 0, 0, -s, ox, oy, true);
    if (this.on.traces) this.drawTraces(c, s, ox, oy);
    if (this.on.ground) this.drawAnchors(c);
    if (this.on.poses) this.drawPoses(c, s, ox, oy);

    for (let body = 0; body < run.page.bodies.length; body++) {
      const k = body * 3,
        x = this.pose[k],
        y = this.pose[k + 1],
        cos = Math.cos(this.pose[k + 2]),
        sin = Math.sin(this.pose[k + 2]);
      const e = ox + s * x,
        f = oy - s * y;
      this.drawn.set([s * cos, -s * sin, -s * sin, -s * cos, e, f], body * 6);
      const r = (this.radii[body] || 0) * s + 4;
      if (e + r < 0 || f + r < 0 || e - r > this.canvas.width || f - r > this.canvas.height || !Number.isFinite(e + f))
        continue;
      for (const p of this.pieces[body]) this.drawPiece(c, p, s, s * cos, -s * sin, -s * sin, -s * cos, e, f, false);
      /* where all would be overlooked each has a ring */
      const small = (this.radii[body] || 0) * s;
      if (this.largestRadius * s < 16 * ratio && run.page.bodies.length < 20) {
        c.setTransform(1, 0, 0, 1, 0, 0);
        c.strokeStyle = this.colors[body % PALETTE];
        c.lineWidth = 1.5 * ratio;
        c.beginPath();
        c.arc(e, f, Math.max(small + 4 * ratio, 9 * ratio), 0, 2 * Math.PI);
        c.stroke();
      }
    }
    this.drawnView = [s, ox, oy];

    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.drawLinks(c);
    this.drawJoints(c);
    if (this.on.axes) this.drawAxes(c);
    if (this.on.reactions) this.drawArrows(c);
    if (this.on.names) this.drawNames(c);
    this.drawScale(c);
  }

  /* a stroboscope: bodies and rods at rows of the whole motion, as far apart as one another */
  private drawPoses(c: CanvasRenderingContext2D, s: number, ox: number, oy: number): void {
    const { run } = this,
      pose = run.newPose(),
      n = Math.min(POSES, run.rows);
    c.globalAlpha = 0.25;
    for (let k = 0; k < n; k++) {
      run.pose(n > 1 ? Math.round((k * (run.rows - 1)) / (n - 1)) : 0, 0, pose);
      for (let body = 0; body < run.page.bodies.length; body++) {
        const [x, y, angle] = pose.subarray(3 * body, 3 * body + 3);
        if (!Number.isFinite(x + y + angle)) continue;
        const [cos, sin] = [s * Math.cos(angle), s * Math.sin(angle)];
        for (const p of this.pieces[body]) this.drawPiece(c, p, s, cos, -sin, -sin, -cos, ox + s * x, oy - s * y, false);
      }
      c.setTransform(1, 0, 0, 1, 0, 0);
      c.strokeStyle = this.style.faint;
      c.lineWidth = 2 * this.ratio;
      for (const l of run.page.links) {
        const [a, b] = [0, 1].map((side) => run.place(pose, l.bodies[side], l.at[side]));
        c.beginPath();
        c.moveTo(ox + s * a[0], oy - s * a[1]);
        c.lineTo(ox + s * b[0], oy - s * b[1]);
        c.stroke();
      }
    }
    c.globalAlpha = 1;
  }

  private drawPiece(
    c: CanvasRenderingContext2D,
    p: Piece,
    s: number,
    a: number,
    b: number,
    cc: number,
    d: number,
    e: number,
    f: number,
    fixed: boolean,
  ): void {
    const { shape } = p,
      px = this.ratio / s;
    c.setTransform(a, b, cc, d, e, f);
    c.lineJoin = c.lineCap = 'round';
    if (shape.kind === 'stroke') {
      const w = shape.width ?? 0;
      if (w * s > 2.5 * this.ratio) {
        c.strokeStyle = p.edge;
        c.lineWidth = w;
        c.stroke(p.path);
        c.strokeStyle = p.fill;
        c.lineWidth = w - 2 * px;
        c.stroke(p.path);
      } else {
        c.strokeStyle = p.edge;
        c.lineWidth = Math.max(w, 1.25 * px);
        c.stroke(p.path);
      }
      return;
    }
    c.fillStyle = p.fill;
    c.fill(p.path, 'evenodd');
    if (fixed && this.hatch) {
      /* hatching is of the paper, not of the body */
      c.save();
      c.clip(p.path, 'evenodd');
      c.setTransform(1, 0, 0, 1, 0, 0);
      c.fillStyle = this.hatch;
      c.globalAlpha = 0.6;
      c.fillRect(0, 0, this.canvas.width, this.canvas.height);
      c.restore();
      c.setTransform(a, b, cc, d, e, f);
    }
    c.strokeStyle = p.edge;
    c.lineWidth = 1.25 * px;
    c.stroke(p.path);
    if (
      shape.kind === 'disc' &&
      (shape.role === 'gear' || (shape.role === 'body' && (shape.radius ?? 0) * s > 8 * this.ratio))
    ) {
      /* that it turns can be seen */
      const [x, y] = shape.center ?? [0, 0],
        r = shape.radius ?? 0;
      c.beginPath();
      c.arc(x, y, r * 0.72, 0, 2 * Math.PI);
      c.moveTo(x, y);
      c.lineTo(x + r * 0.72, y);
      c.globalAlpha = 0.5;
      c.stroke();
      c.globalAlpha = 1;
    }
  }

  private drawGrid(c: CanvasRenderingContext2D, s: number, ox: number, oy: number): void {
    const step = roundDown((90 * this.ratio) / s) * s,
      { width, height } = this.canvas;
    if (!(step > 4)) return;
    c.lineWidth = this.ratio;
    const rule = (gap: number, color: string, alpha: number): void => {
      c.strokeStyle = color;
      c.globalAlpha = alpha;
      c.beginPath();
      for (let x = ((ox % gap) + gap) % gap; x < width; x += gap) {
        c.moveTo(Math.round(x) + 0.5, 0);
        c.lineTo(Math.round(x) + 0.5, height);
      }
      for (let y = ((oy % gap) + gap) % gap; y < height; y += gap) {
        c.moveTo(0, Math.round(y) + 0.5);
        c.lineTo(width, Math.round(y) + 0.5);
      }
      c.stroke();
    };
    rule(step / 5, this.style.line, 0.28);
    rule(step, this.style.line, 0.75);
    c.globalAlpha = 1;
    /* axes of the world */
    const r = 34 * this.ratio;
    c.strokeStyle = c.fillStyle = this.style.faint;
    c.font = `${11 * this.ratio}px system-ui, sans-serif`;
    c.textBaseline = 'middle';
    c.textAlign = 'center';
    arrow(c, ox, oy, ox + r, oy, 1.25 * this.ratio);
    arrow(c, ox, oy, ox, oy - r, 1.25 * this.ratio);
    c.fillText('x', ox + r + 8 * this.ratio, oy);
    c.fillText('y', ox, oy - r - 8 * this.ratio);
  }

  private drawTraces(c: CanvasRenderingContext2D, s: number, ox: number, oy: number): void {
    c.setTransform(1, 0, 0, 1, 0, 0);
    c.lineJoin = 'round';
    c.lineCap = 'butt';
    const step = this.stepOf();
    for (const t of this.traces) {
      const p = this.pointsOf(t),
        n = p.length / 2;
      c.strokeStyle = this.colors[t.color];
      const run = (from: number, to: number, end: number[] | null): void => {
        c.beginPath();
        let lastX = NaN,
          lastY = NaN;
        for (let i = from; i < to; i++) {
          const x = ox + s * p[2 * i],
            y = oy - s * p[2 * i + 1];
          if (Math.abs(x - lastX) < 0.7 && Math.abs(y - lastY) < 0.7 && i + 1 < to) continue;
          if (lastX === lastX) c.lineTo(x, y);
          else c.moveTo(x, y);
          lastX = x;
          lastY = y;
        }
        if (end) c.lineTo(ox + s * end[0], oy - s * end[1]);
        c.stroke();
      };
      c.globalAlpha = 0.3;
      c.lineWidth = 1.25 * this.ratio;
      run(0, n, null);
      c.globalAlpha = 1;
      c.lineWidth = 1.75 * this.ratio;
      const now = this.run.place(this.pose, t.body, t.at);
      run(0, Math.min(n, Math.floor(this.row / step) + 1), now);
      c.beginPath();
      c.fillStyle = this.colors[t.color];
      c.arc(ox + s * now[0], oy - s * now[1], 3 * this.ratio, 0, 2 * Math.PI);
      c.fill();
    }
  }

  private signSize(): number {
    return Math.min(6, 0.06 * this.linkLength() * this.scale);
  }

  /* something of the ground is drawn there already */
  private stands([x, y]: number[]): boolean {
    const near = 0.02 * (this.run.page.length || 1);
    return this.groundPieces.some(
      ({ box, shape }) =>
        shape.role !== 'rail' && x > box[0] - near && x < box[2] + near && y > box[1] - near && y < box[3] + near,
    );
  }

  /* where joints hold to the ground */
  private drawAnchors(c: CanvasRenderingContext2D): void {
    const { ratio } = this,
      size = Math.max(this.signSize(), 2.5) * 2.4;
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    const g = this.run.page.gravity,
      tilt = g.length >= 2 && Math.hypot(g[0], g[1]) > 0 ? Math.atan2(-g[1], g[0]) - Math.PI / 2 : 0;
    for (const j of this.run.page.joints) {
      const side = j.bodies[0] < 0 ? 0 : j.bodies[1] < 0 ? 1 : -1;
      if (side < 0 || !j.at.length || j.bodies[1 - side] < 0) continue;
      if (j.symbol !== 'pin' && j.symbol !== 'weld' && j.symbol !== 'ball') continue;
      if (this.stands(j.at[side] ?? j.at[0])) continue;
      const [x, y] = this.toScreen(j.at[side] ?? j.at[0]);
      c.save();
      c.translate(x, y);
      c.rotate(tilt);
      c.fillStyle = this.style.panel;
      c.strokeStyle = this.style.faint;
      c.lineWidth = 1.25;
      c.lineJoin = 'round';
      c.beginPath();
      if (j.symbol === 'weld') c.rect(-size * 0.7, 0, size * 1.4, size);
      else {
        c.moveTo(0, 0);
        c.lineTo(size * 0.85, size * 1.25);
        c.lineTo(-size * 0.85, size * 1.25);
        c.closePath();
      }
      c.fill();
      c.stroke();
      const base = j.symbol === 'weld' ? size : size * 1.25,
        half = size * 1.35;
      c.beginPath();
      c.moveTo(-half, base);
      c.lineTo(half, base);
      const n = 6,
        gap = (2 * half) / n;
      for (let i = 0; i < n; i++) {
        c.moveTo(-half + gap * (i + 1), base);
        c.lineTo(-half + gap * i, base + gap);
      }
      c.stroke();
      c.restore();
    }
  }

  private drawJoints(c: CanvasRenderingContext2D): void {
    const r = this.signSize(),
      { joints } = this.run.page;
    const at = (i: number): [number, number] => {
      const j = joints[i],
        side = j.symbol === 'slide' && j.at[1] ? 1 : 0;
      return this.toScreen(this.run.place(this.pose, j.bodies[side], j.at[side]));
    };
    c.strokeStyle = this.style.ink;
    c.lineWidth = Math.min(1.4, r * 0.4);
    c.fillStyle = this.style.paper;
    c.beginPath();
    joints.forEach((j, i) => {
      if (!j.at.length || j.symbol !== 'pin' || r < 1) return;
      const [x, y] = at(i);
      c.moveTo(x + r, y);
      c.arc(x, y, r, 0, 2 * Math.PI);
    });
    c.fill();
    c.stroke();
    c.fillStyle = this.style.ink;
    c.beginPath();
    joints.forEach((j, i) => {
      if (!j.at.length || j.symbol === 'pin' || r < 1) return;
      const [x, y] = at(i);
      if (j.symbol === 'weld') c.rect(x - r * 0.7, y - r * 0.7, r * 1.4, r * 1.4);
      else if (j.symbol === 'ball') {
        c.moveTo(x + r * 0.8, y);
        c.arc(x, y, r * 0.8, 0, 2 * Math.PI);
      } else {
        c.moveTo(x + r * 0.4, y);
        c.arc(x, y, r * 0.4, 0, 2 * Math.PI);
      }
    });
    c.fill();
    const marked = this.selected?.kind === 'joint' ? this.selected.index : -1;
    if (marked >= 0 && joints[marked]?.at.length) {
      const [x, y] = at(marked);
      c.strokeStyle = this.style.accent;
      c.lineWidth = 2.5;
      c.beginPath();
      c.arc(x, y, r + 5, 0, 2 * Math.PI);
      c.stroke();
    }
  }

  private drawAxes(c: CanvasRenderingContext2D): void {
    c.strokeStyle = c.fillStyle = this.style.accent;
    for (const j of this.run.page.joints) {
      if (!j.at.length || j.symbol !== 'slide' || !j.axis.length) continue;
      const [x, y] = this.toScreen(this.run.place(this.pose, j.bodies[0], j.at[0])),
        d = this.run.direction(this.pose, j.bodies[0], j.axis);
      c.setLineDash([8, 3, 2, 3]);
      c.lineWidth = 1.25;
      c.beginPath();
      c.moveTo(x - 60 * d[0], y + 60 * d[1]);
      c.lineTo(x + 60 * d[0], y - 60 * d[1]);
      c.stroke();
      c.setLineDash([]);
      arrow(c, x + 46 * d[0], y - 46 * d[1], x + 64 * d[0], y - 64 * d[1], 1.25);
    }
    /* axes of bodies: x long, y short */
    this.run.page.bodies.slice(0, 400).forEach((_, i) => {
      const k = 3 * i,
        [x, y] = this.toScreen([this.pose[k], this.pose[k + 1]]),
        cos = Math.cos(this.pose[k + 2]),
        sin = Math.sin(this.pose[k + 2]);
      c.globalAlpha = 0.85;
      arrow(c, x, y, x + 26 * cos, y - 26 * sin, 1.25);
      arrow(c, x, y, x - 16 * sin, y - 16 * cos, 1.25);
      c.globalAlpha = 1;
    });
  }

  private drawScale(c: CanvasRenderingContext2D): void {
    const metres = roundDown(130 / this.scale),
      w = metres * this.scale,
      x = 14,
      y = this.height - 14;
    c.strokeStyle = c.fillStyle = this.style.ink;
    c.lineWidth = 1.5;
    c.beginPath();
    c.moveTo(x, y - 5);
    c.lineTo(x, y);
    c.lineTo(x + w, y);
    c.lineTo(x + w, y - 5);
    c.stroke();
    c.font = '12px system-ui, sans-serif';
    c.textAlign = 'left';
    c.textBaseline = 'bottom';
    c.fillText(
      metres < 1e-2
        ? `${number(metres * 1e3)} mm`
        : metres >= 1e3
          ? `${number(metres / 1e3)} km`
          : `${number(metres)} m`,
      x + 6,
      y - 3,
    );
    const g = this.run.page.gravity,
      size = Math.hypot(g[0] ?? 0, g[1] ?? 0);
    if (size > 0) {
      const px = this.width - 26,
        py = 44,
        ux = g[0] / size,
        uy = g[1] / size;
      c.strokeStyle = c.fillStyle = this.style.faint;
      arrow(c, px - 17 * ux, py + 17 * uy, px + 17 * ux, py - 17 * uy, 2);
      c.font = 'italic 13px system-ui, sans-serif';
      c.textAlign = 'center';
      c.textBaseline = 'middle';
      c.fillText('g', px + (Math.abs(uy) > 0.7 ? -12 : 0), py - (Math.abs(uy) > 0.7 ? 0 : 12));
    }
  }

  protected under(x: number, y: number): Target | null {
    const { joints, bodies } = this.run.page;
    let best = -1,
      near = 11;
    joints.forEach((j, i) => {
      if (!j.at.length) return;
      const [a, b] = this.toScreen(this.run.place(this.pose, j.bodies[0], j.at[0])),
        d = Math.hypot(a - x, b - y);
      if (d < near) [near, best] = [d, i];
    });
    if (best >= 0) return { kind: 'joint', index: best };
    const wx = this.cx + (x - this.width / 2) / this.scale,
      wy = this.cy - (y - this.height / 2) / this.scale;
    this.c.setTransform(1, 0, 0, 1, 0, 0);
    const reach = 5 / this.scale;
    for (let i = bodies.length - 1; i >= 0; i--) {
      const k = 3 * i,
        dx = wx - this.pose[k],
        dy = wy - this.pose[k + 1],
        cos = Math.cos(this.pose[k + 2]),
        sin = Math.sin(this.pose[k + 2]),
        u = cos * dx + sin * dy,
        v = cos * dy - sin * dx;
      for (const p of this.pieces[i]) {
        const [a, b, e, f] = p.box;
        if (u < a - reach || v < b - reach || u > e + reach || v > f + reach) continue;
        this.c.lineWidth = Math.max(p.shape.width ?? 0, 2 * reach);
        if (
          (p.shape.kind !== 'stroke' && this.c.isPointInPath(p.path, u, v, 'evenodd')) ||
          this.c.isPointInStroke(p.path, u, v)
        )
          return { kind: 'body', index: i };
      }
    }
    return null;
  }

  private zoomAt(x: number, y: number, factor: number): void {
    const size = this.run.page.length || 1;
    const to = Math.min(1e6 / size, Math.max(1e-3 / size, this.scale * factor));
    const k = 1 / this.scale - 1 / to;
    this.cx += (x - this.width / 2) * k;
    this.cy -= (y - this.height / 2) * k;
    this.scale = to;
    this.touched = true;
    this.later();
  }
  zoomBy(factor: number): void {
    this.zoomAt(this.width / 2, this.height / 2, factor);
  }

  private listen(): void {
    const { canvas } = this;
    const pointers = new Map<number, [number, number]>();
    let moved = 0;
    const at = (e: PointerEvent | WheelEvent): [number, number] => {
      const box = canvas.getBoundingClientRect();
      return [e.clientX - box.left, e.clientY - box.top];
    };
    canvas.addEventListener('pointerdown', (e) => {
      canvas.setPointerCapture(e.pointerId);
      pointers.set(e.pointerId, at(e));
      moved = pointers.size > 1 ? 99 : 0;
      if (e.pointerType === 'touch') this.point(...at(e), true);
    });
    canvas.addEventListener('pointermove', (e) => {
      const now = at(e),
        before = pointers.get(e.pointerId);
      if (!before) {
        this.point(...now, true);
        return;
      }
      const others = [...pointers].filter(([id]) => id !== e.pointerId).map(([, p]) => p);
      pointers.set(e.pointerId, now);
      moved += Math.hypot(now[0] - before[0], now[1] - before[1]);
      if (moved < 4) return;
      if (others.length) {
        const [o] = others,
          a = Math.hypot(before[0] - o[0], before[1] - o[1]),
          b = Math.hypot(now[0] - o[0], now[1] - o[1]);
        if (a > 5 && b > 5) this.zoomAt((now[0] + o[0]) / 2, (now[1] + o[1]) / 2, b / a);
      }
      const share = others.length ? 0.5 : 1;
      this.cx -= (share * (now[0] - before[0])) / this.scale;
      this.cy += (share * (now[1] - before[1])) / this.scale;
      this.touched = true;
      this.later();
    });
    const end = (e: PointerEvent): void => {
      if (!pointers.delete(e.pointerId)) return;
      if (e.type === 'pointerup' && moved < 4 && !pointers.size) this.onSelect(this.under(...at(e)));
    };
    canvas.addEventListener('pointerup', end);
    canvas.addEventListener('pointercancel', end);
    canvas.addEventListener('pointerleave', () => this.point(0, 0, false));
    canvas.addEventListener(
      'wheel',
      (e) => {
        e.preventDefault();
        this.zoomAt(...at(e), Math.exp(-Math.max(-120, Math.min(120, e.deltaY)) * (e.ctrlKey ? 0.01 : 0.0022)));
      },
      { passive: false },
    );
    canvas.addEventListener('dblclick', () => this.fit(true));
  }
}
