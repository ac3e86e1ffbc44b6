/* where steps of integrators do not let zdot = lambda z grow, and which gains may be held over a step. */
import { h } from './dom';
import { number } from './format';
import { isPrinting, onTheme, PALETTE } from './theme';
import { choice, commandLine, header, plural, scroller, section } from './study_parts';
import { contour, place, s, ticksOf, type Scale } from './study_svg';
import type { Integrator, Limits, Num, Region, StabilityData } from './study_data';

const DASHES = ['', '7 3', '2 3', '10 3 2 3', '5 2 2 2 2 2', '14 4'];

/* the whole region as lines of h lambda; cells of the upper half and their mirror, a little smoothed */
interface Outline {
  lines: [number, number][][];
  label: [number, number] | null; // well inside, on the left
  window: { left: number; right: number; top: number };
  endless: boolean;
}

/* the stairs of cells taken out of a ring; it moves by less than a cell */
function smooth(ring: [number, number][]): [number, number][] {
  let line = ring.slice(0, -1);
  const n = line.length;
  for (let pass = 0; pass < 6 && n > 8; pass++)
    line = line.map(([x, y], k) => {
      const [a, b] = line[(k + n - 1) % n],
        [c, d] = line[(k + 1) % n];
      return [(a + 2 * x + c) / 4, (b + 2 * y + d) / 4];
    });
  return [...line, line[0]];
}

function outlineOf(r: Region, endless: boolean): Outline {
  const nx = r.columns.length,
    ny = r.rows;
  const mask: Uint8Array[] = r.columns.map((edges) => {
    const column = new Uint8Array(ny);
    for (let k = 0; k + 1 < edges.length; k += 2) column.fill(1, edges[k], edges[k + 1]);
    return column;
  });
  /* both halves with a margin of 2: beyond the picture it is as at its edge where it has no end, else not stable */
  const W = nx + 4,
    H = 2 * ny + 4;
  const raw: Float32Array[] = Array.from({ length: W }, (_, i) => {
    const column = new Float32Array(H);
    const out = i < 2 || i >= nx + 2;
    if (out && !endless) return column;
    const from = mask[Math.min(nx - 1, Math.max(0, i - 2))];
    for (let k = 0; k < ny + 2; k++) {
      const v = k < ny ? from[k] : endless ? from[ny - 1] : 0;
      column[ny + 2 + k] = column[ny + 1 - k] = v;
    }
    return column;
  });
  /* smoothed by 1 2 1 both ways, in a frame of zeros so that lines close; that is cut off when drawn */
  const framed = Array.from({ length: W + 2 }, () => new Float32Array(H + 2));
  for (let i = 0; i < W; i++) {
    const a = raw[Math.max(0, i - 1)],
      b = raw[i],
      c = raw[Math.min(W - 1, i + 1)];
    let before = a[0] + 2 * b[0] + c[0],
      now = before;
    for (let j = 0; j < H; j++) {
      const k = Math.min(H - 1, j + 1);
      const next = a[k] + 2 * b[k] + c[k];
      framed[i + 1][j + 1] = (before + 2 * now + next) / 16;
      before = now;
      now = next;
    }
  }
  const dx = (r.right - r.left) / nx,
    dy = r.top / ny;
  const lines = contour(framed, 0.5).map((line) =>
    smooth(line).map(([i, j]) => [r.left + (i - 3 + 0.5) * dx, (j - 3 - ny + 0.5) * dy] as [number, number]),
  );
  /* the middle of what is stable on the left, or the place of the axis nearest to it */
  let sum = 0,
    cells = 0;
  const places: number[] = [];
  mask.forEach((column, i) => {
    const x = r.left + (i + 0.5) * dx;
    if (x >= 0) return;
    const n = column.reduce((p, q) => p + q, 0);
    sum += n * x;
    cells += n;
    if (column[0]) places.push(x);
  });
  const middle = sum / cells;
  const best: [number, number] | null = places.length
    ? [places.reduce((p, q) => (Math.abs(q - middle) < Math.abs(p - middle) ? q : p)), 0]
    : null;
  return { lines, label: best, window: { left: r.left, right: r.right, top: r.top }, endless };
}

interface Shown {
  name: string;
  color: number;
  outline: Outline;
  fill: boolean;
}

/* the plane of h lambda, both axes to the same scale */
function planeOf(host: HTMLElement, title: string, shownNow: () => Shown[], most: number): { draw(): void } {
  let last = 0;
  const draw = (): void => {
    const all = shownNow();
    const width = isPrinting() ? 560 : Math.max(240, Math.min(most, host.clientWidth));
    const ends = all.filter((x) => !x.outline.endless);
    const reach = (ends.length ? ends : all).map((x) => x.outline.window);
    const min = Math.min(...reach.map((w) => w.left)),
      max = Math.max(...reach.map((w) => w.right), 0.15 * -min),
      top = Math.max(...reach.map((w) => w.top));
    const left = 52,
      bottomRoom = 40;
    const scale = Math.min((width - left - 12) / (max - min), Math.min(540, Math.max(240, width * 0.9)) / (2 * top));
    const w = (max - min) * scale,
      high = 2 * top * scale;
    const height = high + 14 + bottomRoom;
    const X: Scale = { log: false, min, max, from: left, to: left + w },
      Y: Scale = { log: false, min: -top, max: top, from: 14 + high, to: 14 };
    const svg = s('svg', { width, height, viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': title });
    const id = `clip-${Math.random().toString(36).slice(2)}`;
    svg.append(s('clipPath', { id }, s('rect', { x: left, y: 14, width: w, height: high })));
    const text = (x: number, y: number, what: string, look: Record<string, string | number> = {}): SVGTextElement =>
      s('text', { x, y, 'font-size': 12, fill: 'var(--faint)', ...look }, what);
    for (const { v, text: t } of ticksOf(X, Math.floor(w / 60))) {
      svg.append(s('line', { x1: place(X, v), y1: 14, x2: place(X, v), y2: 14 + high, stroke: 'var(--line)' }));
      svg.append(text(place(X, v), 14 + high + 16, t, { 'text-anchor': 'middle' }));
    }
    for (const { v, text: t } of ticksOf(Y, Math.floor(high / 40))) {
      svg.append(s('line', { x1: left, y1: place(Y, v), x2: left + w, y2: place(Y, v), stroke: 'var(--line)' }));
      svg.append(text(left - 6, place(Y, v) + 4, t, { 'text-anchor': 'end' }));
    }
    const inside = s('g', { 'clip-path': `url(#${id})` });
    all.forEach((one, i) => {
      const d = one.outline.lines
        .map((line) => `M${line.map(([x, y]) => `${place(X, x).toFixed(1)} ${place(Y, y).toFixed(1)}`).join('L')}Z`)
        .join('');
      const color = `var(--c${one.color % PALETTE})`;
      inside.append(
        s('path', {
          d,
          fill: one.fill ? color : 'none',
          'fill-opacity': 0.22,
          'fill-rule': 'evenodd',
          stroke: color,
          'stroke-width': one.fill ? 2 : 1.5,
          'stroke-dasharray': one.fill ? '' : DASHES[i % 6],
        }),
      );
    });
    svg.append(inside);
    for (const axis of [
      { x1: place(X, 0), y1: 14, x2: place(X, 0), y2: 14 + high },
      { x1: left, y1: place(Y, 0), x2: left + w, y2: place(Y, 0) },
    ])
      svg.append(s('line', { ...axis, stroke: 'var(--ink)', opacity: 0.6 }));
    const filled = all.filter((one) => one.fill);
    if (filled.length === 1 && filled[0].outline.label) {
      const [x, y] = filled[0].outline.label;
      svg.append(
        text(place(X, x), place(Y, y) - 8, 'stable', {
          'text-anchor': 'middle',
          'font-size': 13,
          'font-weight': 650,
          fill: 'var(--ink)',
        }),
      );
      if (!filled[0].outline.endless) svg.append(text(left + 8, 30, 'grows', { 'font-size': 13 }));
      else svg.append(text(left + 8, 30, 'stable to the left without end', { 'font-size': 12 }));
    }
    svg.append(text(left + w / 2, height - 6, 'real part of h\u03bb', { 'text-anchor': 'middle' }));
    svg.append(
      text(0, 0, 'imaginary part', {
        'text-anchor': 'middle',
        transform: `translate(12 ${14 + high / 2}) rotate(-90)`,
      }),
    );
    svg.append(s('rect', { x: left, y: 14, width: w, height: high, fill: 'none', stroke: 'var(--line)' }));
    host.replaceChildren(svg);
  };
  new ResizeObserver(() => {
    if (host.clientWidth === last) return;
    last = host.clientWidth;
    draw();
  }).observe(host);
  onTheme(draw);
  return { draw };
}

const limit = (v: Num | undefined): string => (v === null || v === undefined ? 'without end' : number(v, 6));

function limitsOf(x: Integrator, k: number): Limits {
  return x.orders
    ? x.orders[k]
    : { real_limit: x.real_limit ?? null, imaginary_limit: x.imaginary_limit ?? null, area: x.area ?? null };
}

/* gains a over b that may be held */
function gainsOf(host: HTMLElement, x: Integrator): void {
  let last = 0;
  const draw = (): void => {
    const width = isPrinting() ? 560 : Math.max(240, Math.min(560, host.clientWidth)),
      height = 300,
      left = 46,
      right = width - 12,
      top = 12,
      bottom = height - 40;
    const most = Math.max(2.2, ...x.gains.map((g) => g[2])) * 1.05;
    const X: Scale = { log: false, min: 0, max: Math.max(0.25, ...x.gains.map((g) => g[0])), from: left, to: right },
      Y: Scale = { log: false, min: 0, max: most, from: bottom, to: top };
    const svg = s('svg', {
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
      role: 'img',
      'aria-label': `gains that may be held over a step of ${x.integrator}`,
    });
    const text = (px: number, py: number, what: string, look: Record<string, string | number> = {}): SVGTextElement =>
      s('text', { x: px, y: py, 'font-size': 12, fill: 'var(--faint)', ...look }, what);
    for (const { v, text: t } of ticksOf(X, 6)) {
      svg.append(s('line', { x1: place(X, v), y1: top, x2: place(X, v), y2: bottom, stroke: 'var(--line)' }));
      svg.append(text(place(X, v), bottom + 16, t, { 'text-anchor': 'middle' }));
    }
    for (const { v, text: t } of ticksOf(Y, 5)) {
      svg.append(s('line', { x1: left, y1: place(Y, v), x2: right, y2: place(Y, v), stroke: 'var(--line)' }));
      svg.append(text(left - 6, place(Y, v) + 4, t, { 'text-anchor': 'end' }));
    }
    /* pieces without a gap */
    const step = x.gains.length > 1 ? Math.min(...x.gains.slice(1).map((g, i) => g[0] - x.gains[i][0])) : 1;
    const pieces: (typeof x.gains)[] = [];
    for (const g of x.gains) {
      const piece = pieces[pieces.length - 1];
      if (piece && g[0] - piece[piece.length - 1][0] < 1.5 * step) piece.push(g);
      else pieces.push([g]);
    }
    for (const piece of pieces) {
      const way = [...piece.map((g) => [g[0], g[2]]), ...[...piece].reverse().map((g) => [g[0], g[1]])];
      svg.append(
        s('path', {
          d: `M${way.map(([b, a]) => `${place(X, b).toFixed(1)} ${place(Y, a).toFixed(1)}`).join('L')}Z`,
          fill: 'var(--c0)',
          'fill-opacity': 0.22,
          stroke: 'var(--c0)',
          'stroke-width': 2,
        }),
      );
    }
    if (x.gains.length) {
      const [b, from, to] = x.gains[Math.floor(x.gains.length / 2)];
      svg.append(
        text(place(X, b), place(Y, (from + to) / 2) + 4, 'stable', {
          'text-anchor': 'middle',
          'font-weight': 650,
          fill: 'var(--ink)',
          'font-size': 13,
        }),
      );
    } else
      svg.append(
        text((left + right) / 2, (top + bottom) / 2, 'not stable for any of these', { 'text-anchor': 'middle' }),
      );
    if (0.5 <= X.max && 1 <= Y.max) {
      svg.append(s('circle', { cx: place(X, 0.5), cy: place(Y, 1), r: 4, fill: 'var(--c1)' }));
      svg.append(text(place(X, 0.5) + 7, place(Y, 1) + 4, 'a = 1, b = \u00bd', { 'font-size': 11 }));
    }
    svg.append(text((left + right) / 2, height - 6, 'b', { 'text-anchor': 'middle' }));
    svg.append(text(12, top + 10, 'a'));
    host.replaceChildren(svg);
  };
  new ResizeObserver(() => {
    if (host.clientWidth === last) return;
    last = host.clientWidth;
    draw();
  }).observe(host);
  onTheme(draw);
}

function one(x: Integrator, i: number): HTMLElement {
  const outlines = x.regions.map((r, k) => outlineOf(r, limitsOf(x, k).area === null));
  let now = x.orders ? Math.min(3, x.regions.length - 1) : 0;
  const host = h('div', { class: 'picture' });
  const facts = h('dl', { class: 'facts' });
  const tell = (): void => {
    const l = limitsOf(x, now);
    facts.replaceChildren(
      ...(
        [
          ['negative real axis to', l.real_limit],
          ['imaginary axis to', l.imaginary_limit],
          ['area', l.area],
        ] as const
      ).map(([what, v]) => h('div', {}, h('dt', {}, what), h('dd', { title: v === null ? '' : String(v) }, limit(v)))),
    );
  };
  const plane = planeOf(
    host,
    `region of stability of ${x.integrator}`,
    () =>
      x.orders
        ? outlines.map((outline, k) => ({ name: `order ${k + 1}`, color: k === now ? 0 : 6, outline, fill: k === now }))
        : [{ name: x.integrator, color: 0, outline: outlines[0], fill: true }],
    560,
  );
  tell();
  const gains = h('div', { class: 'picture' });
  gainsOf(gains, x);
  const rows = x.held.stable.map((g) =>
    h(
      'tr',
      {},
      h('td', {}, number(g.b, 4)),
      h('td', {}, g.a_from === null ? '\u2013' : number(g.a_from, 6)),
      h('td', {}, g.a_to === null ? '\u2013' : number(g.a_to, 6)),
      h('td', { class: 'words' }, g.a_from === null ? '\u2715 not stable for any a' : '\u2713 stable in between'),
    ),
  );
  const growth = x.held.growth_a_1_b_half;
  return h(
    'section',
    { class: 'part', id: `i${i}` },
    h('h2', {}, x.integrator),
    h('p', { class: 'note' }, x.doc),
    x.orders
      ? choice(
          'order',
          x.orders.map((l) => [String(l.order), String(l.order)] as [string, string]),
          String(now + 1),
          (v) => {
            now = Number(v) - 1;
            tell();
            plane.draw();
          },
        )
      : null,
    x.orders ? h('p', { class: 'note' }, 'Thin lines: the other orders.') : null,
    facts,
    h(
      'div',
      { class: 'pair below' },
      h('div', {}, h('h3', {}, 'z\u2032 = \u03bbz does not grow'), host),
      h(
        'div',
        {},
        h('h3', {}, 'Gains that may be held over a step'),
        gains,
        h(
          'p',
          { class: 'note' },
          'Feedback (a/h) C\u2032 + (b/h\u00b2) C, computed at the start of a step and held: ',
          h('code', {}, 'baumgarte:a=..,b=..,feedback=held'),
          growth === null
            ? '.'
            : `. With a = 1, b = \u00bd a violation is multiplied by ${number(growth, 6)} a step, in the long run.`,
        ),
        h(
          'table',
          { class: 'small held' },
          h(
            'thead',
            {},
            h('tr', {}, h('th', {}, 'b'), h('th', {}, 'a from'), h('th', {}, 'a to'), h('th', { class: 'words' }, '')),
          ),
          h('tbody', {}, ...rows),
        ),
      ),
    ),
  );
}

/* all on one scale; of several orders the one that is shown first */
function together(data: StabilityData): HTMLElement | null {
  if (data.integrators.length < 2) return null;
  const host = h('div', { class: 'picture' });
  const legend = h('div', { class: 'chart-legend' });
  const off = new Set<number>();
  const all = data.integrators.map((x, i) => {
    const k = x.orders ? Math.min(3, x.regions.length - 1) : 0;
    return {
      name: x.orders ? `${x.integrator}, order ${k + 1}` : x.integrator,
      color: i,
      outline: outlineOf(x.regions[k], limitsOf(x, k).area === null),
      fill: false,
      i,
    };
  });
  const plane = planeOf(
    host,
    'regions of stability together',
    () => (all.length > off.size ? all.filter((x) => !off.has(x.i)) : all),
    860,
  );
  for (const x of all) {
    const icon = s(
      'svg',
      { width: 26, height: 12, viewBox: '0 0 26 12', 'aria-hidden': 'true' },
      s('line', {
        x1: 0,
        y1: 6,
        x2: 26,
        y2: 6,
        stroke: `var(--c${x.color % PALETTE})`,
        'stroke-width': 2,
        'stroke-dasharray': DASHES[x.i % 6],
      }),
    );
    const key = h('button', { type: 'button', class: 'chart-key', 'aria-pressed': 'true', title: 'show or hide' });
    key.append(icon, h('span', { class: 'chart-name' }, x.outline.endless ? `${x.name} (outside)` : x.name));
    key.addEventListener('click', () => {
      if (!off.delete(x.i)) off.add(x.i);
      key.setAttribute('aria-pressed', String(!off.has(x.i)));
      plane.draw();
    });
    legend.append(key);
  }
  return section(
    'together',
    'On one scale',
    h(
      'p',
      { class: 'note' },
      'A step h is stable where h\u03bb is inside the line',
      all.some((x) => x.outline.endless) ? '; of regions without end, outside of it.' : '.',
    ),
    host,
    legend,
  );
}

export function stabilityPage(data: StabilityData): HTMLElement {
  const names = data.integrators.map((x) => x.integrator);
  document.title = `${names.join(', ')}: stability`;
  const table = h(
    'table',
    { class: 'small' },
    h(
      'thead',
      {},
      h(
        'tr',
        {},
        h('th', { scope: 'col', class: 'words' }, 'integrator'),
        ...['real axis to', 'imaginary axis to', 'area'].map((t) => h('th', { scope: 'col' }, t)),
      ),
    ),
    h(
      'tbody',
      {},
      ...data.integrators.flatMap((x) =>
        x.regions.map((_, k) => {
          const l = limitsOf(x, k);
          return h(
            'tr',
            {},
            h('td', { class: 'words' }, x.orders ? `${x.integrator}, order ${k + 1}` : x.integrator),
            ...[l.real_limit, l.imaginary_limit, l.area].map((v) =>
              h('td', { class: 'limit', title: v === null ? '' : String(v) }, limit(v)),
            ),
          );
        }),
      ),
    ),
  );
  return h(
    'main',
    {},
    header(
      'Stability of steps',
      names.join(', '),
      [`${plural(names.length, 'integrator')} on z\u2032 = \u03bbz with a step h: where the step does not let z grow.`],
      data.tenon,
    ),
    together(data),
    ...data.integrators.map(one),
    section('numbers', 'In numbers', scroller('limits', table)),
    section('repeat', 'To repeat it', commandLine(data.command, 'the command of this page')),
  );
}
