/* what a page holds, and how it gets there. src/report/page.c writes it:
 *
 *   <script id="data" type="application/json">   one Page
 *   <script id="time" type="text/plain">         base64: f64, little endian, one a row
 *   <script id="poses" ..>, `outputs` `joints` `energy` `effort`: a Section each, base64: f32 or f64, row by row
 *   <script id="meshes" ..>                      base64: of space, positions and normals f32, indices u32
 *
 * every name comes from outside: it is shown as text, never as markup. */

export interface Column {
  name: string; // `crank.x`, `tip.y`, `energy.balance`
  unit: string; // '' where it is not known
  base: number; // value = base + what is stored
}

export interface Section {
  columns: Column[];
  wide?: boolean; // f64: angles of the plane count turns, of which there may be thousands
}

export type SectionName = 'poses' | 'outputs' | 'joints' | 'energy' | 'effort';

/* of the plane, in the axes of its body, m */
export interface Shape2 {
  kind: 'fill' | 'stroke' | 'disc';
  points?: number[]; // x, y, x, y: of a fill its outline, of a stroke its line
  holes?: number[][];
  closed?: boolean; // of a stroke
  width?: number; // of a stroke, m; 0: a hairline
  center?: [number, number];
  radius?: number;
  color?: string; // `#rrggbb`, where the model says so
  role: Role;
}

/* of space */
export interface Shape3 {
  mesh: number;
  at: number[]; // x, y, z, e0, e1, e2, e3 in the axes of its body
  color?: string;
  role: Role;
}

/* body: drawn from joints and inertia; given: from shapes of the model; point: a particle or mass; slider, rail, gear: what joints
 * want to be seen; ground: what does not move */
export type Role = 'body' | 'given' | 'point' | 'slider' | 'rail' | 'gear' | 'ground';

export interface Mesh {
  vertices: number;
  triangles: number;
  position: number; // byte offsets in `meshes`
  normal: number;
  index: number;
}

export interface Body {
  name: string;
  shapes: (Shape2 | Shape3)[];
}

/* pin: turns about an axis; slide: goes along one; ball; weld; wheel: rolls or meshes; other */
export type Symbol = 'pin' | 'slide' | 'ball' | 'weld' | 'wheel' | 'other';

export interface Joint {
  name: string;
  type: string;
  symbol: Symbol;
  bodies: [number, number]; // -1: ground; of a joint without places both -1
  at: number[][]; // its place in the axes of each of the two; empty: it has none
  axis: number[]; // of a pin or slide, in the axes of the first; empty: none
  rows: number; // holonomic; 0: it carries a body, or has none, and cannot drift
}

/* between two places: forces, as springs; and `rod`: one with mass between particles, or a distance that a joint keeps */
export interface Link {
  name: string;
  type: string;
  bodies: [number, number];
  at: number[][];
}

export interface Trace {
  name: string;
  body: number;
  at: number[]; // in its axes
}

export interface Event {
  t: number;
  kind: string;
  text: string;
}

export interface RunPage {
  kind: 'run';
  tenon: string; // version
  name: string; // of the model file
  title: string;
  dimension: 2 | 3;
  command: string; // how to make it again
  model: string; // the text of the model
  summary: string; // JSON as of `tenon run --json`; '' where it is missing
  contract: { position: number; velocity: number };
  gravity: number[];
  length: number; // of the model, m
  rows: number;
  constraints: number; // equations, as `tenon check` counts them
  every: number; // rows of the result for one here; 1: all
  sections: Record<SectionName, Section>;
  /* columns of `poses`: x y angle of every body, in space x y z e0 e1 e2 e3, body after body.
   * of `joints`: violation, then fx fy t (fx fy fz tx ty tz) on the second body at its place, world axes, joint after joint.
   * of `energy`: kinetic potential total force driver stabilizer balance dissipated.
   * of `effort`: steps, rejected, rhs, guard_calls up to here.
   * of `outputs`: what the model asks for */
  bodies: Body[];
  ground: (Shape2 | Shape3)[];
  joints: Joint[];
  links: Link[];
  traces: Trace[];
  meshes: Mesh[];
  events: Event[];
  missing: string[]; // in a result file that is damaged or has no end, in words
  remarks: string[]; // what could not be drawn or shown, in words
}

function text(id: string): string {
  return document.getElementById(id)?.textContent ?? '';
}

export function pageData<T>(): T {
  return JSON.parse(text('data')) as T;
}

/* the bytes of one element; the text is let go, it may be large */
export function pageBytes(id: string): ArrayBuffer {
  const element = document.getElementById(id);
  const coded = element?.textContent ?? '';
  const direct = (Uint8Array as { fromBase64?(text: string): Uint8Array<ArrayBuffer> }).fromBase64; // newer browsers
  if (direct) {
    element?.remove();
    return direct.call(Uint8Array, coded).buffer;
  }
  const binary = atob(coded.trim());
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  element?.remove();
  return bytes.buffer;
}
