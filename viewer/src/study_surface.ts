/* the surface of a controller: F(x, y) as a map with lines of equal value, in space, cut through; its sets and table. */
import { h } from './dom';
import { number } from './format';
import { Chart } from './plot';
import { isPrinting, onTheme } from './theme';
import { commandLine, header, scroller, section, shown } from './study_parts';
import { contour, place, s, ticksOf, type Scale } from './study_svg';
import type { SurfaceData } from './study_data';

type RGB = [number, number, number];

/* blue through grey to orange: told apart by all eyes, and by lightness from the middle */
function color(v: number, dark: boolean): RGB {
  const ends: [RGB, RGB, RGB] = dark
    ? [
        [94, 170, 232],
        [38, 43, 50],
        [240, 150, 70],
      ]
    : [
        [0, 96, 168],
        [244, 244, 242],
        [205, 88, 0],
      ];
  const z = Math.max(-1, Math.min(1, v));
  const [a, b] = z < 0 ? [ends[1], ends[0]] : [ends[1], ends[2]];
  const k = Math.abs(z) ** 0.9;
  return [0, 1, 2].map((i) => Math.round(a[i] + (b[i] - a[i]) * k)) as RGB;
}

const isDark = (): boolean => document.documentElement.dataset.look === 'dark';

function member(set: number[], x: number): number {
  if (set.length === 2) return Math.exp(-0.5 * ((x - set[0]) / set[1]) ** 2);
  const [a, b, c, d] = set;
  if (x >= b && x <= c) return 1;
  return Math.max(0, x < b ? (x - a) / (b - a) : (d - x) / (d - c));
}

/* between the points of the grid, as near as can be seen */
function at(data: SurfaceData, x: number, y: number): number {
  const n = data.x.length - 1;
  const u = Math.max(0, Math.min(n - 1e-9, ((x - data.x[0]) / (data.x[n] - data.x[0])) * n)),
    v = Math.max(0, Math.min(n - 1e-9, ((y - data.y[0]) / (data.y[n] - data.y[0])) * n));
  const i = Math.floor(u),
    j = Math.floor(v),
    p = u - i,
    q = v - j;
  const F = data.F;
  return (1 - p) * ((1 - q) * F[i][j] + q * F[i][j + 1]) + p * ((1 - q) * F[i + 1][j] + q * F[i + 1][j + 1]);
}

/* x to the right, y up; a cross that can be moved */
function map(data: SurfaceData, host: HTMLElement, now: { x: number; y: number }, moved: () => void): () => void {
  const canvas = h('canvas', { class: 'map', 'aria-hidden': 'true' });
  const over = h('div', { class: 'map-over' });
  const box = h(
    'div',
    { class: 'map-box', tabindex: 0, role: 'application', 'aria-label': 'F over x and y; arrow keys move the cross' },
    canvas,
    over,
  );
  host.append(box);
  let X: Scale, Y: Scale;
  const draw = (): void => {
    const size = isPrinting() ? 460 : Math.max(240, Math.min(520, host.clientWidth));
    const left = 44,
      top = 8,
      side = size - left - 10;
    X = { log: false, min: -1, max: 1, from: left, to: left + side };
    Y = { log: false, min: -1, max: 1, from: top + side, to: top };
    const px = Math.ceil(side * Math.min(2, devicePixelRatio));
    canvas.width = canvas.height = px;
    Object.assign(canvas.style, { left: `${left}px`, top: `${top}px`, width: `${side}px`, height: `${side}px` });
    box.style.width = `${size}px`;
    box.style.height = `${side + top + 40}px`;
    const c = canvas.getContext('2d');
    if (!c) return;
    const image = c.createImageData(px, px);
    const dark = isDark();
    for (let b = 0; b < px; b++)
      for (let a = 0; a < px; a++) {
        const [r, g, l] = color(at(data, -1 + (2 * (a + 0.5)) / px, 1 - (2 * (b + 0.5)) / px), dark);
        image.data.set([r, g, l, 255], 4 * (b * px + a));
      }
    c.putImageData(image, 0, 0);
    const svg = s('svg', {
      width: size,
      height: side + top + 40,
      role: 'img',
      'aria-label': 'F(x, y) with lines of equal value',
    });
    const text = (x: number, y: number, what: string, look: Record<string, string | number> = {}): SVGTextElement =>
      s('text', { x, y, 'font-size': 12, fill: 'var(--faint)', ...look }, what);
    const n = data.x.length - 1;
    for (let k = -4; k <= 4; k++) {
      const level = k / 5;
      const lines = contour(data.F, level + 1e-9);
      const on = ([i, j]: [number, number]): [number, number] => [
        place(X, data.x[0] + (2 * i) / n),
        place(Y, data.y[0] + (2 * j) / n),
      ];
      const d = lines
        .map(
          (line) =>
            `M${line
              .map((p) =>
                on(p)
                  .map((v) => v.toFixed(1))
                  .join(' '),
              )
              .join('L')}`,
        )
        .join('');
      if (!d) continue;
      svg.append(
        s('path', {
          d,
          fill: 'none',
          stroke: 'var(--ink)',
          'stroke-opacity': k ? 0.45 : 0.9,
          'stroke-width': k ? 1 : 1.5,
        }),
      );
      const longest = lines.reduce((p, q) => (q.length > p.length ? q : p));
      const [lx, ly] = on(longest[Math.floor(longest.length * (0.3 + 0.05 * (k + 4)))]);
      svg.append(
        text(lx, ly + 4, number(level, 2).replace('-', '\u2212'), {
          'text-anchor': 'middle',
          'font-size': 11,
          fill: 'var(--ink)',
          stroke: 'var(--paper)',
          'stroke-width': 3,
          'paint-order': 'stroke',
        }),
      );
    }
    for (const { v, text: t } of ticksOf(X, 5))
      svg.append(text(place(X, v), top + side + 16, t, { 'text-anchor': 'middle' }));
    for (const { v, text: t } of ticksOf(Y, 5))
      svg.append(text(left - 6, place(Y, v) + 4, t, { 'text-anchor': 'end' }));
    svg.append(text(left + side / 2, top + side + 34, 'x = Kp C', { 'text-anchor': 'middle' }));
    svg.append(
      text(0, 0, 'y = Kd C\u2032', {
        'text-anchor': 'middle',
        transform: `translate(12 ${top + side / 2}) rotate(-90)`,
      }),
    );
    svg.append(s('rect', { x: left, y: top, width: side, height: side, fill: 'none', stroke: 'var(--line)' }));
    const cx = place(X, now.x),
      cy = place(Y, now.y);
    for (const l of [
      { x1: left, x2: left + side, y1: cy, y2: cy },
      { x1: cx, x2: cx, y1: top, y2: top + side },
    ])
      svg.append(s('line', { ...l, stroke: 'var(--ink)', 'stroke-dasharray': '3 3' }));
    svg.append(s('circle', { cx, cy, r: 5, fill: 'var(--paper)', stroke: 'var(--ink)', 'stroke-width': 2 }));
    over.replaceChildren(svg);
  };
  const go = (x: number, y: number): void => {
    now.x = Math.max(-1, Math.min(1, Math.round(x * 20) / 20));
    now.y = Math.max(-1, Math.min(1, Math.round(y * 20) / 20));
    draw();
    moved();
  };
  const toPlace = (e: PointerEvent): void => {
    const b = box.getBoundingClientRect();
    const back = (a: Scale, p: number): number => a.min + ((p - a.from) / (a.to - a.from)) * (a.max - a.min);
    go(back(X, e.clientX - b.left), back(Y, e.clientY - b.top));
  };
  box.addEventListener('pointerdown', (e) => {
    box.setPointerCapture(e.pointerId);
    toPlace(e);
  });
  box.addEventListener('pointermove', (e) => {
    if (box.hasPointerCapture(e.pointerId)) toPlace(e);
  });
  box.addEventListener('keydown', (e) => {
    const by: Record<string, [number, number]> = {
      ArrowLeft: [-1, 0],
      ArrowRight: [1, 0],
      ArrowUp: [0, 1],
      ArrowDown: [0, -1],
    };
    const way = by[e.key];
    if (!way) return;
    e.preventDefault();
    go(now.x + way[0] / 20, now.y + way[1] / 20);
  });
  return draw;
}

/* the surface as a net in space, far faces first; dragged or by arrow keys it turns */
function net(data: SurfaceData, host: HTMLElement): () => void {
  const canvas = h('canvas', {
    tabindex: 0,
    role: 'img',
    'aria-label': 'F(x, y) as a surface in space; arrow keys turn it',
    class: 'net',
  });
  host.append(canvas);
  let turn = -2.2,
    tilt = 0.5;
  const draw = (): void => {
    const width = isPrinting() ? 420 : Math.max(240, Math.min(520, host.clientWidth)),
      height = width * 0.82,
      px = Math.min(2, devicePixelRatio) || 1;
    canvas.width = width * px;
    canvas.height = height * px;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    const c = canvas.getContext('2d');
    if (!c) return;
    c.scale(px, px);
    const look = getComputedStyle(document.documentElement);
    const ink = look.getPropertyValue('--ink'),
      faint = look.getPropertyValue('--faint');
    const [ct, st, cp, sp] = [Math.cos(turn), Math.sin(turn), Math.cos(tilt), Math.sin(tilt)];
    const k = width * 0.3;
    const to = (x: number, y: number, z: number): [number, number, number] => {
      const a = ct * x - st * y,
        b = st * x + ct * y;
      return [width / 2 + k * a, height / 2 + k * (sp * b - 0.8 * cp * z), b * cp + z * sp];
    };
    const line = (p: number[], q: number[]): void => {
      c.beginPath();
      c.moveTo(p[0], p[1]);
      c.lineTo(q[0], q[1]);
      c.stroke();
    };
    c.strokeStyle = faint;
    c.fillStyle = faint;
    c.font = '12px system-ui, sans-serif';
    c.textAlign = 'center';
    c.lineWidth = 1;
    const floor = [to(-1, -1, -1), to(1, -1, -1), to(1, 1, -1), to(-1, 1, -1)];
    floor.forEach((p, i) => line(p, floor[(i + 1) % 4]));
    const name = (x: number, y: number, z: number, t: string): void => {
      const p = to(x, y, z);
      c.fillText(t, p[0], p[1] + 4);
    };
    const sy = Math.sin(turn) > 0 ? 1 : -1; // the side that is near
    const faces: { depth: number; p: number[][]; v: number }[] = [];
    const n = data.x.length - 1;
    for (let i = 0; i < n; i += 1)
      for (let j = 0; j < n; j += 1) {
        const p = [
          [i, j],
          [i + 1, j],
          [i + 1, j + 1],
          [i, j + 1],
        ].map(([a, b]) => to(data.x[a], data.y[b], data.F[a][b]));
        const v = (data.F[i][j] + data.F[i + 1][j + 1]) / 2;
        faces.push({ depth: p.reduce((sum, q) => sum + q[2], 0), p, v });
      }
    faces.sort((p, q) => p.depth - q.depth);
    const dark = isDark();
    for (const f of faces) {
      c.beginPath();
      f.p.forEach((q, i) => (i ? c.lineTo(q[0], q[1]) : c.moveTo(q[0], q[1])));
      c.closePath();
      c.fillStyle = `rgb(${color(f.v, dark).join(',')})`;
      c.fill();
      c.globalAlpha = 0.28;
      c.strokeStyle = ink;
      c.lineWidth = 0.6;
      c.stroke();
      c.globalAlpha = 1;
    }
    c.fillStyle = faint;
    const near = Math.cos(turn) > 0 ? 1 : -1;
    name(0, 1.25 * near, -1, 'x');
    name(1.25 * sy, 0, -1, 'y');
    for (const v of [-1, 1]) {
      name(0.98 * v, 1.12 * near, -1, v < 0 ? '\u22121' : '1');
      name(1.12 * sy, 0.98 * v, -1, v < 0 ? '\u22121' : '1');
    }
  };
  const by = (a: number, b: number): void => {
    turn += a;
    tilt = Math.max(0.08, Math.min(1.5, tilt + b));
    draw();
  };
  canvas.addEventListener('pointerdown', (e) => canvas.setPointerCapture(e.pointerId));
  canvas.addEventListener('pointermove', (e) => {
    if (canvas.hasPointerCapture(e.pointerId)) by(-e.movementX * 0.01, e.movementY * 0.01);
  });
  canvas.addEventListener('keydown', (e) => {
    const ways: Record<string, [number, number]> = {
      ArrowLeft: [-0.1, 0],
      ArrowRight: [0.1, 0],
      ArrowUp: [0, -0.08],
      ArrowDown: [0, 0.08],
    };
    const way = ways[e.key];
    if (!way) return;
    e.preventDefault();
    by(...way);
  });
  return draw;
}

const NAMES: Record<number, string[]> = {
  3: ['negative', 'zero', 'positive'],
  5: ['negative large', 'negative small', 'zero', 'positive small', 'positive large'],
};
const nameOf = (k: number, n: number): string => NAMES[n]?.[k] ?? `set ${k + 1}`;

/* sets of an input or of the output: a drawing, and their corners */
function setsOf(title: string, axis: string, sets: number[][], named: (k: number) => string): HTMLElement {
  const chart = h('div');
  const ends = sets.flatMap((set) => (set.length === 2 ? [] : [set[0], set[3]]));
  const from = axis === 'F' ? Math.min(-1, ...ends) : -1,
    to = axis === 'F' ? Math.max(1, ...ends) : 1;
  const fine = Array.from({ length: 401 }, (_, k) => from + ((to - from) * k) / 400);
  new Chart(
    chart,
    sets.map((set, k) => ({ label: named(k), x: fine, y: fine.map((x) => member(set, x)) })),
    { title, x: { label: axis }, y: { label: 'membership' }, height: 220 },
  );
  const shape = (set: number[]): string =>
    set.length === 2
      ? `bell, centre ${shown(set[0])}, width ${shown(set[1])}`
      : `corners ${set.map((v) => shown(v)).join(', ')}`;
  const corners = h(
    'table',
    { class: 'small' },
    h(
      'thead',
      {},
      h('tr', {}, h('th', { scope: 'col', class: 'words' }, 'set'), h('th', { scope: 'col', class: 'words' }, 'shape')),
    ),
    h(
      'tbody',
      {},
      ...sets.map((set, k) =>
        h('tr', {}, h('td', { class: 'words' }, named(k)), h('td', { class: 'words' }, shape(set))),
      ),
    ),
  );
  return h('div', { class: 'pair' }, chart, corners);
}

/* a number for each rule */
function rules(data: SurfaceData, numbers: number[][]): HTMLElement {
  const { sets: ofX, sets_rate: ofY } = data;
  return h(
    'table',
    { class: 'small rules' },
    h(
      'thead',
      {},
      h(
        'tr',
        {},
        h('th', { class: 'words' }, 'x is \\ y is'),
        ...ofY.map((_, k) => h('th', { scope: 'col' }, nameOf(k, ofY.length))),
      ),
    ),
    h(
      'tbody',
      {},
      ...numbers.map((row, j) =>
        h(
          'tr',
          {},
          h('th', { scope: 'row', class: 'words' }, nameOf(j, ofX.length)),
          ...row.map((v) => h('td', { title: String(v) }, shown(v))),
        ),
      ),
    ),
  );
}

function described(data: SurfaceData): HTMLElement[] {
  const { sets, sets_rate: rate, outputs } = data;
  const alike = JSON.stringify(sets) === JSON.stringify(rate);
  const named = (k: number): string => nameOf(k, sets.length);
  const all = [setsOf(`How much ${alike ? 'x (or y)' : 'x'} belongs to each set`, alike ? 'x, y' : 'x', sets, named)];
  if (!alike) all.push(setsOf('How much y belongs to each set', 'y', rate, (k) => nameOf(k, rate.length)));
  if (outputs) all.push(setsOf('Output sets', 'F', outputs, (k) => `output ${k + 1}`));
  const table = (what: string, numbers: number[][]): void => {
    all.push(h('h3', {}, what), scroller(what.toLowerCase(), rules(data, numbers)));
  };
  table(outputs ? 'Middle of the output set of each rule' : 'Output of each rule', data.table);
  if (data.table_x) table('Slope of each output along x', data.table_x);
  if (data.table_y) table('Slope of each output along y', data.table_y);
  return all;
}

/* what is done with two memberships, and with the rules */
function inference(data: SurfaceData): string {
  const both = data.both === 'minimum' ? 'the smaller membership' : 'the product';
  if (data.infer === 'mamdani')
    return `of two sets ${both} counts (Mamdani): output sets are ${data.both === 'minimum' ? 'cut' : 'scaled'} to it, and F is their centroid.`;
  return `of two sets ${both} counts, and F is the mean of ${data.table_x ? 'planes' : 'numbers'} (Sugeno).`;
}

export function surfacePage(data: SurfaceData): HTMLElement {
  document.title = `${data.stabilizer}: control surface`;
  const now = { x: 0.5, y: 0 };
  const mapHost = h('div', { class: 'picture' }),
    netHost = h('div', { class: 'picture' }),
    cuts = h('div', { class: 'pair' }),
    told = h('p', { class: 'told', role: 'status' });
  let charts: Chart[] = [];
  const cut = (): void => {
    for (const one of charts) one.destroy();
    const i = Math.round(((now.x + 1) / 2) * (data.x.length - 1)),
      j = Math.round(((now.y + 1) / 2) * (data.y.length - 1));
    told.textContent = `F(${number(data.x[i], 3)}, ${number(data.y[j], 3)}) = ${number(data.F[i][j], 4)}`.replaceAll(
      '-',
      '\u2212',
    );
    const y = { label: 'F' };
    charts = [
      new Chart(cuts, [{ label: `y = ${number(data.y[j], 3)}`, x: data.x, y: data.F.map((row) => row[j]) }], {
        title: 'Along x',
        x: { label: 'x' },
        y,
        height: 220,
      }),
      new Chart(
        cuts,
        [
          { label: `x = ${number(data.x[i], 3)}`, x: data.y, y: data.F[i] },
          { label: 'y alone: rows on velocities', x: data.y, y: data.line, color: 1 },
        ],
        { title: 'Along y', x: { label: 'y' }, y, height: 220 },
      ),
    ];
  };
  const drawMap = map(data, mapHost, now, cut);
  const drawNet = net(data, netHost);
  const draw = (): void => {
    drawMap();
    drawNet();
  };
  let last = 0;
  new ResizeObserver(() => {
    if (mapHost.clientWidth === last) return;
    last = mapHost.clientWidth;
    draw();
  }).observe(mapHost);
  onTheme(draw);
  cut();
  const fact = (what: string, v: number): HTMLElement =>
    h('div', {}, h('dt', {}, what), h('dd', { title: String(v) }, shown(v, undefined, 6)));
  return h(
    'main',
    {},
    header(
      'Control surface',
      data.stabilizer,
      [`U = Ku F(x, y), x = Kp C and y = Kd C\u2032, both within \u22121 .. 1; ${inference(data)}`],
      data.tenon,
    ),
    h(
      'dl',
      { class: 'facts' },
      fact('slope at zero along x', data.slope_x),
      fact('along y', data.slope_y),
      fact('of y alone', data.slope_line),
    ),
    section(
      'surface',
      'The surface',
      told,
      h('div', { class: 'pair' }, mapHost, netHost),
      h(
        'p',
        { class: 'note' },
        'The cross says where the surface is cut: press or drag on the map, or arrow keys. The net turns likewise.',
      ),
      cuts,
    ),
    section('sets', 'Sets and table', ...described(data)),
    section('repeat', 'To repeat it', commandLine(data.command, 'the command of this page')),
  );
}
