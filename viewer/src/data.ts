/* a run: its numbers, decoded when first asked for. */
import { pageBytes, pageData, type Column, type RunPage, type SectionName } from './page';

export interface Channel {
  section: SectionName;
  column: number;
  name: string;
  unit: string;
}

const MOST_TURN = 0.15; // rad between two rows; beyond, what lies between them would show joints apart

export class Run {
  readonly page: RunPage;
  readonly time: Float64Array;
  readonly rows: number;
  readonly flat: boolean;
  readonly stride: number; // numbers of one pose
  private stored = new Map<SectionName, Float32Array | Float64Array>();
  private series = new Map<string, Float64Array>();
  private bases: Float64Array | null = null; // of poses
  private asked = { row: -1, far: false };

  constructor() {
    this.page = pageData<RunPage>();
    this.flat = this.page.dimension === 2;
    this.stride = this.flat ? 3 : 7;
    const bytes = pageBytes('time');
    this.time = new Float64Array(bytes, 0, Math.floor(bytes.byteLength / 8));
    this.rows = Math.min(this.time.length, this.page.rows);
  }

  columns(section: SectionName): Column[] {
    return this.page.sections[section]?.columns ?? [];
  }

  private data(section: SectionName): Float32Array | Float64Array {
    let d = this.stored.get(section);
    if (!d) {
      const bytes = pageBytes(section);
      d = this.page.sections[section]?.wide
        ? new Float64Array(bytes, 0, Math.floor(bytes.byteLength / 8))
        : new Float32Array(bytes, 0, Math.floor(bytes.byteLength / 4));
      this.stored.set(section, d);
    }
    return d;
  }

  value(section: SectionName, column: number, row: number): number {
    const c = this.columns(section);
    return c[column].base + this.data(section)[row * c.length + column];
  }

  values(section: SectionName, column: number): Float64Array {
    const key = `${section} ${column}`;
    let v = this.series.get(key);
    if (!v) {
      const c = this.columns(section),
        n = c.length,
        d = this.data(section),
        base = c[column].base;
      v = new Float64Array(this.rows);
      for (let i = 0; i < this.rows; i++) v[i] = base + d[i * n + column];
      this.series.set(key, v);
    }
    return v;
  }

  /* whether some body turns too far from row to the next */
  private far(row: number): boolean {
    if (this.asked.row === row) return this.asked.far;
    const n = this.columns('poses').length,
      c = this.columns('poses'),
      d = this.data('poses'),
      a = row * n,
      b = a + n,
      least = Math.cos(MOST_TURN / 2);
    let far = false;
    for (let k = 0; k + this.stride <= n && !far; k += this.stride) {
      if (this.flat) {
        far = Math.abs(d[b + k + 2] - d[a + k + 2]) > MOST_TURN;
        continue;
      }
      let dot = 0;
      for (let i = k + 3; i < k + 7; i++) dot += (c[i].base + d[a + i]) * (c[i].base + d[b + i]);
      far = Math.abs(dot) < least;
    }
    this.asked = { row, far };
    return far;
  }

  /* what is shown `part` of the way from row to the next: that, or where they are far apart the nearer of the two */
  shown(row: number, part: number): [number, number] {
    if (!(part > 0) || row + 1 >= this.rows) return [row, 0];
    return this.far(row) ? [part < 0.5 ? row : row + 1, 0] : [row, part];
  }

  /* all poses `part` of the way from row to the next; at a row exactly its numbers */
  pose(row: number, part: number, out: Float64Array): void {
    [row, part] = this.shown(row, part);
    const c = (this.bases ??= Float64Array.from(this.columns('poses'), (k) => k.base)),
      n = c.length,
      d = this.data('poses');
    const a = row * n,
      b = part > 0 ? a + n : a;
    for (let i = 0; i < n; i++) {
      const v = d[a + i];
      out[i] = c[i] + (b === a ? v : v + part * (d[b + i] - v));
    }
    if (this.flat || b === a) return;
    for (let k = 3; k + 3 < n; k += 7) {
      let dot = 0;
      for (let i = 0; i < 4; i++) dot += (c[k + i] + d[a + k + i]) * (c[k + i] + d[b + k + i]);
      const sign = dot < 0 ? -1 : 1;
      let size = 0;
      for (let i = 0; i < 4; i++) {
        const p = c[k + i] + d[a + k + i],
          q = sign * (c[k + i] + d[b + k + i]);
        out[k + i] = p + part * (q - p);
        size += out[k + i] ** 2;
      }
      size = Math.sqrt(size) || 1;
      for (let i = 0; i < 4; i++) out[k + i] /= size;
    }
  }

  newPose(): Float64Array {
    return new Float64Array(this.columns('poses').length);
  }

  /* a place of a body, or of the ground, in the world */
  place(pose: Float64Array, body: number, at: number[], out: number[] = [0, 0, 0]): number[] {
    const [x, y, z] = [at[0] ?? 0, at[1] ?? 0, at[2] ?? 0];
    if (body < 0) {
      out[0] = x;
      out[1] = y;
      out[2] = z;
      return out;
    }
    turn(pose, body, this.flat, x, y, z, out);
    const k = body * this.stride;
    out[0] += pose[k];
    out[1] += pose[k + 1];
    if (!this.flat) out[2] += pose[k + 2];
    return out;
  }

  direction(pose: Float64Array, body: number, v: number[], out: number[] = [0, 0, 0]): number[] {
    if (body < 0) {
      for (let i = 0; i < 3; i++) out[i] = v[i] ?? 0;
      return out;
    }
    return turn(pose, body, this.flat, v[0] ?? 0, v[1] ?? 0, v[2] ?? 0, out);
  }

  /* all that can be plotted */
  channels(): Channel[] {
    const out: Channel[] = [];
    for (const section of ['outputs', 'poses', 'joints', 'energy', 'effort'] as SectionName[])
      this.columns(section).forEach((c, column) => out.push({ section, column, name: c.name, unit: c.unit }));
    return out;
  }

  /* columns of joint i: violation, then force and torque */
  jointColumn(i: number): number {
    return i * (this.flat ? 4 : 7);
  }

  /* |force| of joint i */
  force(i: number): Float64Array {
    const key = `force ${i}`;
    let f = this.series.get(key);
    if (!f) {
      const n = this.columns('joints').length,
        d = this.data('joints'),
        base = this.columns('joints'),
        k = this.jointColumn(i),
        m = this.flat ? 2 : 3;
      f = new Float64Array(this.rows);
      for (let r = 0; r < this.rows; r++) {
        let s = 0;
        for (let a = 1; a <= m; a++) s += (base[k + a].base + d[r * n + k + a]) ** 2;
        f[r] = Math.sqrt(s);
      }
      this.series.set(key, f);
    }
    return f;
  }

  /* of every joint the largest violation and the largest |force| squared; one pass, in the order of the memory */
  private most: { violation: Float64Array; force: Float64Array; row: Int32Array } | null = null;
  maxima(): { violation: Float64Array; force: Float64Array; row: Int32Array } {
    if (this.most) return this.most;
    const joints = this.page.joints.length,
      violation = new Float64Array(joints),
      force = new Float64Array(joints),
      row = new Int32Array(joints);
    this.most = { violation, force, row };
    if (!this.hasJoints()) return this.most;
    const c = this.columns('joints'),
      d = this.data('joints'),
      n = c.length,
      m = this.flat ? 2 : 3,
      stride = this.flat ? 4 : 7,
      base = Float64Array.from(c, (k) => k.base);
    for (let r = 0, at = 0; r < this.rows; r++, at += n)
      for (let j = 0, k = 0; j < joints; j++, k += stride) {
        const v = base[k] + d[at + k];
        if (v > violation[j]) violation[j] = v;
        let s = 0;
        for (let a = 1; a <= m; a++) s += (base[k + a] + d[at + k + a]) ** 2;
        if (s > force[j] && s < Infinity) {
          force[j] = s;
          row[j] = r;
        }
      }
    return this.most;
  }

  hasJoints(): boolean {
    return (
      this.page.joints.length > 0 && this.columns('joints').length >= this.page.joints.length * (this.flat ? 4 : 7)
    );
  }

  body(i: number): string {
    return i < 0 ? 'ground' : (this.page.bodies[i]?.name ?? `body ${i}`);
  }
}

function turn(
  pose: Float64Array,
  body: number,
  flat: boolean,
  x: number,
  y: number,
  z: number,
  out: number[],
): number[] {
  if (flat) {
    const a = pose[body * 3 + 2],
      c = Math.cos(a),
      s = Math.sin(a);
    out[0] = c * x - s * y;
    out[1] = s * x + c * y;
    out[2] = 0;
    return out;
  }
  const k = body * 7 + 3;
  const e0 = pose[k],
    e1 = pose[k + 1],
    e2 = pose[k + 2],
    e3 = pose[k + 3];
  /* v + 2 e0 (e x v) + 2 e x (e x v) */
  const cx = e2 * z - e3 * y,
    cy = e3 * x - e1 * z,
    cz = e1 * y - e2 * x;
  out[0] = x + 2 * (e0 * cx + e2 * cz - e3 * cy);
  out[1] = y + 2 * (e0 * cy + e3 * cx - e1 * cz);
  out[2] = z + 2 * (e0 * cz + e1 * cy - e2 * cx);
  return out;
}
