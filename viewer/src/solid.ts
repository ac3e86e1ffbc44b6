/* space: bodies as solids, z up, on a grid; signs and names on a flat canvas above. */
import {
  AmbientLight,
  BatchedMesh,
  Box3,
  BufferAttribute,
  BufferGeometry,
  Color,
  DirectionalLight,
  DoubleSide,
  EdgesGeometry,
  HemisphereLight,
  Line,
  LineBasicMaterial,
  LineSegments,
  Matrix4,
  MeshLambertMaterial,
  PerspectiveCamera,
  Quaternion,
  Raycaster,
  Scene as World,
  Vector2,
  Vector3,
  WebGLRenderer,
} from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import type { Run } from './data';
import { h } from './dom';
import { number } from './format';
import { pageBytes, type Mesh as MeshData, type Shape3 } from './page';
import { arrow, hex, mix, roundDown, Scene, type Target } from './scene';
import { PALETTE } from './theme';

interface Instance {
  id: number;
  body: number; // -1: ground
  local: Matrix4;
  inverse: Matrix4;
  shape: Shape3;
}

const ONE = new Vector3(1, 1, 1);

export class Space extends Scene {
  private renderer: WebGLRenderer | null = null;
  private canvas = h('canvas', { role: 'img', 'aria-label': 'the mechanism', tabindex: -1 });
  private above = h('canvas', { class: 'over', 'aria-hidden': 'true' });
  private c = this.above.getContext('2d') as CanvasRenderingContext2D;
  private world = new World();
  private camera = new PerspectiveCamera(32, 1, 0.01, 100);
  private controls: OrbitControls | null = null;
  private batch: BatchedMesh | null = null; // of bodies
  private fixed: BatchedMesh | null = null; // of the ground
  private instances: Instance[] = [];
  private firstOf: (Instance | null)[] = [];
  private matrices: Matrix4[] = []; // of bodies without a shape too
  private lines = new Map<object, { all: Line; past: Line; step: number }>();
  private grid: LineSegments | null = null;
  private axes: LineSegments;
  private box = new Box3();
  private size = 1;
  private radii: number[] = [];
  private boxes: Box3[] = []; // of bodies, in their axes
  private standing: Box3[] = []; // of shapes of the ground
  private edges: { lines: LineSegments; one: Instance }[] = [];
  private up = new Vector3(0, 0, 1);
  private width = 1;
  private height = 1;
  private ratio = 1;
  private touched = false;
  private near = false; // fitted to the pose of now

  constructor(run: Run) {
    super(run);
    this.root.prepend(this.canvas, this.above);
    this.matrices = run.page.bodies.map(() => new Matrix4());
    this.firstOf = run.page.bodies.map(() => null);
    this.axes = new LineSegments(new BufferGeometry(), new LineBasicMaterial());
    try {
      this.renderer = new WebGLRenderer({ canvas: this.canvas, antialias: true });
    } catch {
      this.canvas.remove();
      this.root.append(
        h(
          'p',
          { class: 'scene-note' },
          'This browser offers no WebGL: the scene cannot be drawn. The plots and words are all there.',
        ),
      );
      return;
    }
    /* up is against gravity, where that is along an axis */
    const g = new Vector3(...[0, 1, 2].map((i) => run.page.gravity[i] ?? 0));
    if (g.length() > 0) {
      const a = g.toArray().map(Math.abs),
        k = a.indexOf(Math.max(...a));
      if (a[k] > 0.9 * g.length()) this.up.set(0, 0, 0).setComponent(k, -Math.sign(g.getComponent(k)));
    }
    this.camera.up.copy(this.up);
    this.build();
  }

  private geometry(m: MeshData, bytes: ArrayBuffer): BufferGeometry {
    const out = new BufferGeometry();
    out.setAttribute('position', new BufferAttribute(new Float32Array(bytes, m.position, m.vertices * 3), 3));
    out.setAttribute('normal', new BufferAttribute(new Float32Array(bytes, m.normal, m.vertices * 3), 3));
    out.setIndex(new BufferAttribute(new Uint32Array(bytes, m.index, m.triangles * 3), 1));
    return out;
  }

  /* all shapes of bodies are one batch: one call draws a thousand */
  private build(): void {
    const { page } = this.run,
      bytes = pageBytes('meshes');
    const made = new Map<number, BufferGeometry>();
    const geometry = (i: number): BufferGeometry | null => {
      const m = page.meshes[i];
      if (!m || !m.triangles) return null;
      let g = made.get(i);
      if (!g) made.set(i, (g = this.geometry(m, bytes)));
      return g;
    };
    const fill = (list: { shape: Shape3; body: number }[]): BatchedMesh | null => {
      const used = new Set(list.map((e) => e.shape.mesh).filter((i) => geometry(i)));
      if (!used.size) return null;
      let vertices = 0,
        indices = 0;
      for (const i of used) {
        vertices += page.meshes[i].vertices;
        indices += page.meshes[i].triangles * 3;
      }
      const batch = new BatchedMesh(
        list.length,
        vertices,
        indices,
        new MeshLambertMaterial({
          side: DoubleSide,
          polygonOffset: true,
          polygonOffsetFactor: 1,
          polygonOffsetUnits: 1,
        }),
      );
      batch.frustumCulled = false;
      batch.perObjectFrustumCulled = false;
      batch.sortObjects = false;
      const ids = new Map<number, number>();
      for (const i of used) ids.set(i, batch.addGeometry(geometry(i) as BufferGeometry));
      for (const { shape, body } of list) {
        const id = ids.get(shape.mesh);
        if (id === undefined) continue;
        const [x, y, z, e0, e1, e2, e3] = shape.at;
        const local = new Matrix4().compose(new Vector3(x, y, z), new Quaternion(e1, e2, e3, e0), ONE);
        const one: Instance = { id: batch.addInstance(id), body, local, inverse: local.clone().invert(), shape };
        batch.setMatrixAt(one.id, local);
        batch.setColorAt(one.id, new Color(1, 1, 1));
        this.instances.push(one);
        if (body >= 0 && !this.firstOf[body]) this.firstOf[body] = one;
      }
      this.world.add(batch);
      return batch;
    };
    this.batch = fill(page.bodies.flatMap((b, body) => (b.shapes as Shape3[]).map((shape) => ({ shape, body }))));
    this.fixed = fill((page.ground as Shape3[]).map((shape) => ({ shape, body: -1 })));

    /* how far each body reaches from its origin */
    this.radii = page.bodies.map(() => 0);
    this.boxes = page.bodies.map(() => new Box3());
    const p = new Vector3(),
      b = new Box3();
    for (const { shape, body, local } of this.instances) {
      const g = geometry(shape.mesh);
      if (!g) continue;
      if (!g.boundingSphere) g.computeBoundingSphere();
      const s = g.boundingSphere;
      if (!s) continue;
      p.copy(s.center).applyMatrix4(local);
      if (body < 0) {
        if (!g.boundingBox) g.computeBoundingBox();
        if (g.boundingBox) this.standing.push(g.boundingBox.clone().applyMatrix4(local));
        continue;
      }
      this.radii[body] = Math.max(this.radii[body], p.length() + s.radius);
      if (!g.boundingBox) g.computeBoundingBox();
      if (g.boundingBox) this.boxes[body].union(b.copy(g.boundingBox).applyMatrix4(local));
    }

    /* sharp edges are drawn, where they are not too many */
    const triangles = this.instances.reduce((n, i) => n + page.meshes[i.shape.mesh].triangles, 0);
    if (this.instances.length <= 80 && triangles <= 60000) {
      const cut = new Map<number, EdgesGeometry>();
      for (const one of this.instances) {
        const g = geometry(one.shape.mesh);
        if (!g) continue;
        let e = cut.get(one.shape.mesh);
        if (!e) cut.set(one.shape.mesh, (e = new EdgesGeometry(g, 40)));
        const lines = new LineSegments(e, new LineBasicMaterial());
        lines.matrixAutoUpdate = false;
        lines.frustumCulled = false;
        lines.matrix.copy(one.local);
        lines.matrixWorldNeedsUpdate = true;
        this.edges.push({ lines, one });
        this.world.add(lines);
      }
    }

    const sun = new DirectionalLight(0xffffff, 1.9);
    sun.position.set(0.6, 0.8, 1.6);
    this.camera.add(sun);
    this.camera.add(sun.target);
    this.world.add(new HemisphereLight(0xffffff, 0x8d8a86, 1.9), new AmbientLight(0xffffff, 0.5), this.camera);
    this.world.add(this.axes);
  }

  protected themed(): void {
    if (!this.renderer) return;
    const { paper, line, faint } = this.style;
    this.world.background = new Color(paper);
    const tint = new Color();
    for (const { id, body, shape } of this.instances) {
      if (body < 0) {
        this.fixed?.setColorAt(id, tint.set(hex(shape.color) ?? mix(faint, paper, 0.45)));
        continue;
      }
      const own = hex(shape.color);
      const base = own ?? (shape.role === 'rail' ? faint : mix(this.colors[body % PALETTE], '#ffffff', 0.12));
      const chosen = this.selected?.kind === 'body' && this.selected.index === body;
      this.batch?.setColorAt(id, tint.set(chosen ? mix(base, '#ffffff', 0.55) : base));
    }
    for (const { lines, one } of this.edges) {
      const base = one.body < 0 ? mix(faint, paper, 0.3) : (hex(one.shape.color) ?? this.colors[one.body % PALETTE]);
      (lines.material as LineBasicMaterial).color.set(mix(base, '#000000', 0.45));
    }
    if (this.grid) (this.grid.material as LineBasicMaterial).color.set(mix(line, paper, 0.15));
    for (const [key, l] of this.lines) {
      this.world.remove(l.all, l.past);
      l.all.geometry.dispose();
      this.lines.delete(key);
    }
    for (const t of this.traces) {
      const points = this.pointsOf(t),
        geometry = new BufferGeometry();
      geometry.setAttribute('position', new BufferAttribute(points, 3));
      const color = this.colors[t.color];
      const all = new Line(geometry, new LineBasicMaterial({ color: mix(color, paper, 0.62) }));
      const over = new BufferGeometry();
      over.setAttribute('position', geometry.getAttribute('position'));
      const past = new Line(over, new LineBasicMaterial({ color }));
      all.frustumCulled = past.frustumCulled = false;
      this.world.add(all, past);
      this.lines.set(t, { all, past, step: this.stepOf() });
    }
  }

  start(): void {
    if (!this.renderer) return;
    this.reach();
    this.resize();
    this.makeGrid();
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.enableDamping = false;
    this.controls.zoomToCursor = true;
    this.fit();
    this.themed();
    this.controls.addEventListener('change', () => this.later());
    this.controls.addEventListener('start', () => (this.touched = true));
    new ResizeObserver(() => {
      this.resize();
      if (!this.touched) this.fit();
      this.render();
    }).observe(this.root);
    this.canvas.addEventListener('webglcontextrestored', () => this.later());
    let down: [number, number] | null = null;
    const at = (e: PointerEvent): [number, number] => {
      const box = this.canvas.getBoundingClientRect();
      return [e.clientX - box.left, e.clientY - box.top];
    };
    this.canvas.addEventListener('pointerdown', (e) => {
      down = at(e);
      if (e.pointerType === 'touch') this.point(...down, true);
    });
    this.canvas.addEventListener('pointermove', (e) => {
      if (!e.buttons) this.point(...at(e), true);
    });
    this.canvas.addEventListener('pointerup', (e) => {
      const up = at(e);
      if (down && Math.hypot(up[0] - down[0], up[1] - down[1]) < 4) this.onSelect(this.under(...up));
      down = null;
    });
    this.canvas.addEventListener('pointerleave', () => this.point(0, 0, false));
    this.canvas.addEventListener('dblclick', () => this.fit(true));
  }

  private resize(): void {
    if (!this.root.clientWidth) return; // on paper a still stands for it
    this.ratio = Math.min(2, Math.max(1, devicePixelRatio || 1));
    this.width = Math.max(50, this.root.clientWidth);
    this.height = Math.max(50, this.root.clientHeight);
    this.renderer?.setPixelRatio(this.ratio);
    this.renderer?.setSize(this.width, this.height, false);
    this.above.width = Math.round(this.width * this.ratio);
    this.above.height = Math.round(this.height * this.ratio);
    this.camera.aspect = this.width / this.height;
    this.camera.updateProjectionMatrix();
  }

  /* all that the motion reaches */
  private reach(): void {
    const { run, box } = this,
      pose = run.newPose(),
      p = new Vector3(),
      n = run.page.bodies.length;
    box.makeEmpty();
    const samples = Math.min(run.rows, Math.max(2, Math.floor(20000 / Math.max(1, n))), 300);
    const add = (x: number, y: number, z: number, r: number): void => {
      if (!Number.isFinite(x + y + z)) return;
      box.expandByPoint(p.set(x - r, y - r, z - r));
      box.expandByPoint(p.set(x + r, y + r, z + r));
    };
    const q: number[] = [0, 0, 0];
    for (let k = 0; k < samples; k++) {
      run.pose(samples > 1 ? Math.round((k * (run.rows - 1)) / (samples - 1)) : 0, 0, pose);
      for (let b = 0; b < n; b++) {
        const { min, max } = this.boxes[b];
        if (min.x > max.x) add(pose[7 * b], pose[7 * b + 1], pose[7 * b + 2], 0);
        else
          for (let corner = 0; corner < 8; corner++) {
            run.place(pose, b, [corner & 1 ? max.x : min.x, corner & 2 ? max.y : min.y, corner & 4 ? max.z : min.z], q);
            add(q[0], q[1], q[2], 0);
          }
      }
    }
    for (const l of run.page.links)
      l.bodies.forEach(
        (body, side) => body < 0 && l.at[side] && add(l.at[side][0], l.at[side][1], l.at[side][2] ?? 0, 0),
      );
    for (const j of run.page.joints) {
      const side = j.bodies[0] < 0 ? 0 : j.bodies[1] < 0 ? 1 : -1;
      if (side >= 0 && j.at[side]) add(j.at[side][0], j.at[side][1], j.at[side][2] ?? 0, 0);
    }
    /* ground that reaches far must not make the rest small */
    const far = 0.5 * (box.isEmpty() ? Infinity : box.getSize(p).length());
    for (const own of this.standing) if (own.getSize(p).length() < far) box.union(own);
    if (box.isEmpty()) box.set(new Vector3(-1, -1, -1), new Vector3(1, 1, 1));
    this.size = Math.max(box.getSize(p).length(), 1e-3 * (run.page.length || 1), 1e-9);
  }

  /* where bodies are now */
  private extent(): Box3 {
    const out = new Box3(),
      b = new Box3();
    this.boxes.forEach((own, i) => {
      if (own.min.x <= own.max.x) out.union(b.copy(own).applyMatrix4(this.matrices[i]));
    });
    return out.isEmpty() ? this.box : out;
  }

  /* all of the motion; asked for again, the pose of now */
  fit(again = false): void {
    if (!this.controls) return;
    this.near = again && !this.touched && !this.near;
    const box = this.near ? this.extent() : this.box;
    const middle = box.getCenter(new Vector3());
    /* from in front, a little to the side and above */
    const side = new Vector3(1, 0, 0);
    if (Math.abs(this.up.x) > 0.9) side.set(0, 1, 0);
    const front = new Vector3().crossVectors(side, this.up).normalize();
    const from = front.multiplyScalar(1).addScaledVector(side, 0.55).addScaledVector(this.up, 0.5).normalize();
    /* so that all corners are seen */
    const right = new Vector3().crossVectors(this.up, from).normalize(),
      above = new Vector3().crossVectors(from, right),
      tan = Math.tan((this.camera.fov * Math.PI) / 360);
    let distance = 0;
    for (let k = 0; k < 8; k++) {
      const v = new Vector3(
        k & 1 ? box.max.x : box.min.x,
        k & 2 ? box.max.y : box.min.y,
        k & 4 ? box.max.z : box.min.z,
      ).sub(middle);
      const need =
        Math.max(Math.abs(v.dot(above)) / tan, Math.abs(v.dot(right)) / (tan * this.camera.aspect)) * 1.06 +
        v.dot(from);
      distance = Math.max(distance, need);
    }
    distance = Math.max(distance, this.near ? 0 : this.size * 0.3, 1e-6 * this.size);
    this.controls.target.copy(middle);
    this.camera.position.copy(middle).addScaledVector(from, distance);
    this.camera.near = distance * 1e-3;
    this.camera.far = distance * 20 + this.size * 20;
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.touched = false;
    this.later();
  }

  zoomBy(factor: number): void {
    if (!this.controls) return;
    this.camera.position.sub(this.controls.target).divideScalar(factor).add(this.controls.target);
    this.controls.update();
    this.touched = true;
    this.later();
  }

  private makeGrid(): void {
    const k = this.up.toArray().findIndex((v) => v !== 0),
      [a, b] = [(k + 1) % 3, (k + 2) % 3],
      low = this.up.getComponent(k) > 0 ? this.box.min.getComponent(k) : this.box.max.getComponent(k);
    const step = roundDown(this.size / 12) || 1,
      points: number[] = [];
    const lo = [a, b].map((i) => (Math.floor(this.box.min.getComponent(i) / step) - 1) * step),
      hi = [a, b].map((i) => (Math.ceil(this.box.max.getComponent(i) / step) + 1) * step);
    const put = (u: number, v: number): void => {
      const p = [0, 0, 0];
      p[k] = low;
      p[a] = u;
      p[b] = v;
      points.push(...p);
    };
    for (let u = lo[0]; u <= hi[0] + step / 2; u += step) {
      put(u, lo[1]);
      put(u, hi[1]);
    }
    for (let v = lo[1]; v <= hi[1] + step / 2; v += step) {
      put(lo[0], v);
      put(hi[0], v);
    }
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(Float32Array.from(points), 3));
    this.grid = new LineSegments(geometry, new LineBasicMaterial());
    this.gridStep = step;
    this.world.add(this.grid);
  }
  private gridStep = 1;

  poses(): number[][] {
    const m = new Matrix4(),
      p = new Vector3(),
      q = new Quaternion(),
      s = new Vector3();
    return this.firstOf.map((one, body) => {
      if (one && this.batch) {
        this.batch.getMatrixAt(one.id, m);
        m.premultiply(this.batch.matrixWorld).multiply(one.inverse);
      } else m.copy(this.matrices[body]);
      m.decompose(p, q, s);
      return [p.x, p.y, p.z, q.w, q.x, q.y, q.z];
    });
  }

  still(): string {
    if (!this.renderer) return '';
    this.render();
    const both = document.createElement('canvas');
    both.width = this.canvas.width;
    both.height = this.canvas.height;
    const c = both.getContext('2d') as CanvasRenderingContext2D;
    c.drawImage(this.canvas, 0, 0);
    c.drawImage(this.above, 0, 0, both.width, both.height);
    return both.toDataURL('image/png');
  }

  protected toScreen(w: number[]): [number, number] | null {
    const v = new Vector3(w[0], w[1], w[2]).project(this.camera);
    if (!(v.z > -1 && v.z < 1)) return null;
    return [((v.x + 1) / 2) * this.width, ((1 - v.y) / 2) * this.height];
  }
  protected pxPerMetre(): number {
    const d = this.camera.position.distanceTo(this.controls?.target ?? new Vector3());
    return this.height / (2 * d * Math.tan((this.camera.fov * Math.PI) / 360));
  }
  protected arrowLength(): number {
    return 0.22 * this.size;
  }

  protected render(): void {
    if (!this.renderer) return;
    const { pose, run } = this,
      p = new Vector3(),
      q = new Quaternion(),
      m = new Matrix4();
    for (let b = 0; b < this.matrices.length; b++) {
      const k = 7 * b;
      this.matrices[b].compose(
        p.set(pose[k], pose[k + 1], pose[k + 2]),
        q.set(pose[k + 4], pose[k + 5], pose[k + 6], pose[k + 3]),
        ONE,
      );
    }
    if (this.batch)
      for (const one of this.instances)
        if (one.body >= 0) this.batch.setMatrixAt(one.id, m.multiplyMatrices(this.matrices[one.body], one.local));
    for (const { lines, one } of this.edges) {
      if (one.body < 0) lines.visible = this.on.ground;
      else {
        lines.matrix.multiplyMatrices(this.matrices[one.body], one.local);
        lines.matrixWorldNeedsUpdate = true;
      }
    }
    if (this.fixed) this.fixed.visible = this.on.ground;
    if (this.grid) this.grid.visible = this.on.world;
    for (const [, l] of this.lines) {
      l.all.visible = l.past.visible = this.on.traces;
      l.past.geometry.setDrawRange(0, Math.floor(this.row / l.step) + 1);
    }
    this.renderer.render(this.world, this.camera);
    this.annotate(run);
  }

  private annotate(run: Run): void {
    const { c, ratio } = this,
      { page } = run;
    c.setTransform(1, 0, 0, 1, 0, 0);
    c.clearRect(0, 0, this.above.width, this.above.height);
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.drawLinks(c);
    this.drawSlender(c);
    if (this.on.traces)
      for (const t of this.traces) {
        const at = this.toScreen(run.place(this.pose, t.body, t.at));
        if (!at) continue;
        c.fillStyle = this.colors[t.color];
        c.beginPath();
        c.arc(at[0], at[1], 3, 0, 2 * Math.PI);
        c.fill();
      }
    if (this.on.axes) this.drawJointAxes(c);
    if (this.on.world) this.drawTriad(c);
    const chosen = this.selected?.kind === 'joint' ? page.joints[this.selected.index] : null;
    if (chosen?.at.length) {
      const at = this.toScreen(run.place(this.pose, chosen.bodies[0], chosen.at[0]));
      if (at) {
        c.strokeStyle = this.style.accent;
        c.lineWidth = 2.5;
        c.beginPath();
        c.arc(at[0], at[1], 9, 0, 2 * Math.PI);
        c.stroke();
      }
    }
    if (this.on.reactions) this.drawArrows(c);
    if (this.on.names) this.drawNames(c);
    if (this.on.world) {
      c.fillStyle = this.style.faint;
      c.font = '12px system-ui, sans-serif';
      c.textAlign = 'left';
      c.textBaseline = 'bottom';
      c.fillText(`grid ${number(this.gridStep)} m`, 12, this.height - 10);
    }
  }

  /* what is too thin for its pixels to be seen: lines between joints */
  private drawSlender(c: CanvasRenderingContext2D): void {
    const px = this.pxPerMetre(),
      { run } = this;
    if (this.linkLength() * px > 30) return;
    const last = run.page.bodies.map((): number[] | null => null);
    for (const j of run.page.joints)
      j.bodies.forEach((b, side) => {
        if (b < 0 || !j.at[side] || this.radii[b] * px > 15) return;
        const before = last[b];
        last[b] = j.at[side];
        if (!before) return;
        const p = this.toScreen(run.place(this.pose, b, before)),
          q = this.toScreen(run.place(this.pose, b, j.at[side]));
        if (!p || !q) return;
        c.strokeStyle = this.colors[b % PALETTE];
        c.lineWidth = 2;
        c.beginPath();
        c.moveTo(p[0], p[1]);
        c.lineTo(q[0], q[1]);
        c.stroke();
      });
  }

  private drawJointAxes(c: CanvasRenderingContext2D): void {
    const { run } = this,
      half = 0.07 * this.size;
    for (const j of run.page.joints) {
      if (!j.at.length) continue;
      const at = run.place(this.pose, j.bodies[0], j.at[0]);
      const mid = this.toScreen(at);
      if (!mid) continue;
      c.strokeStyle = c.fillStyle = this.style.accent;
      if (j.axis.length === 3) {
        const d = run.direction(this.pose, j.bodies[0], j.axis),
          n = half / (Math.hypot(d[0], d[1], d[2]) || 1);
        const a = this.toScreen([at[0] - n * d[0], at[1] - n * d[1], at[2] - n * d[2]]),
          b = this.toScreen([at[0] + n * d[0], at[1] + n * d[1], at[2] + n * d[2]]);
        if (!a || !b) continue;
        c.setLineDash([8, 3, 2, 3]);
        c.lineWidth = 1.5;
        c.beginPath();
        c.moveTo(a[0], a[1]);
        c.lineTo(b[0], b[1]);
        c.stroke();
        c.setLineDash([]);
        const length = Math.hypot(b[0] - mid[0], b[1] - mid[1]);
        if (length > 10)
          arrow(
            c,
            mid[0] + ((b[0] - mid[0]) * (length - 9)) / length,
            mid[1] + ((b[1] - mid[1]) * (length - 9)) / length,
            b[0],
            b[1],
            1.5,
          );
      }
      c.beginPath();
      c.arc(mid[0], mid[1], j.symbol === 'ball' ? 4 : 2.5, 0, 2 * Math.PI);
      c.fill();
    }
  }

  /* axes of the world, in a corner, and at its origin */
  private drawTriad(c: CanvasRenderingContext2D): void {
    const inverse = this.camera.matrixWorldInverse,
      x0 = this.width - 44,
      y0 = 46;
    const list = [0, 1, 2]
      .map((k) => ({ k, v: new Vector3().setComponent(k, 1).transformDirection(inverse) }))
      .sort((a, b) => a.v.z - b.v.z);
    c.font = '12px system-ui, sans-serif';
    c.textAlign = 'center';
    c.textBaseline = 'middle';
    for (const { k, v } of list) {
      c.strokeStyle = c.fillStyle = v.z < -0.3 ? this.style.faint : this.style.ink;
      arrow(c, x0, y0, x0 + 26 * v.x, y0 - 26 * v.y, 1.75);
      c.fillText('xyz'[k], x0 + 35 * v.x, y0 - 35 * v.y);
    }
    const g = new Vector3(...[0, 1, 2].map((i) => this.run.page.gravity[i] ?? 0));
    if (g.length() > 0) {
      g.normalize().transformDirection(inverse);
      const gx = x0 - 66;
      c.strokeStyle = c.fillStyle = this.style.faint;
      arrow(c, gx - 17 * g.x, y0 + 17 * g.y, gx + 17 * g.x, y0 - 17 * g.y, 2);
      c.font = 'italic 13px system-ui, sans-serif';
      c.fillText('g', gx - 12, y0);
    }
    const at = this.toScreen([0, 0, 0]);
    if (at)
      for (let k = 0; k < 3; k++) {
        const end = [0, 0, 0];
        end[k] = 0.06 * this.size;
        const b = this.toScreen(end);
        if (!b) continue;
        c.strokeStyle = c.fillStyle = this.style.faint;
        arrow(c, at[0], at[1], b[0], b[1], 1.25);
      }
  }

  private ray = new Raycaster();
  protected under(x: number, y: number): Target | null {
    if (!this.renderer) return null;
    const { joints } = this.run.page;
    let best = -1,
      near = 10;
    if (joints.length <= 2000)
      joints.forEach((j, i) => {
        if (!j.at.length) return;
        const at = this.toScreen(this.run.place(this.pose, j.bodies[0], j.at[0]));
        if (!at) return;
        const d = Math.hypot(at[0] - x, at[1] - y);
        if (d < near) [near, best] = [d, i];
      });
    if (best >= 0) return { kind: 'joint', index: best };
    if (!this.batch) return null;
    this.ray.setFromCamera(new Vector2((2 * x) / this.width - 1, 1 - (2 * y) / this.height), this.camera);
    this.batch.computeBoundingSphere();
    const [hit] = this.ray.intersectObject(this.batch, false);
    const id = hit?.batchId;
    if (id === undefined) return null;
    const one = this.instances.find((i) => i.body >= 0 && i.id === id);
    return one ? { kind: 'body', index: one.body } : null;
  }
}
