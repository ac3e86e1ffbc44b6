// pages of made-up runs, in the format of src/page.ts: node test/sample.mjs FOLDER
import { build } from 'esbuild';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { policy, safe } from '../policy.mjs';

const here = dirname(dirname(fileURLToPath(import.meta.url)));
const made = new Map();

// the bundle of one kind of page: { js, css }
export async function bundle(kind) {
  if (!made.has(kind)) {
    const out = await build({
      absWorkingDir: here,
      entryPoints: [join('src', `${kind}.ts`)],
      outdir: 'out',
      bundle: true,
      minify: true,
      format: 'iife',
      target: ['es2022'],
      charset: 'utf8',
      legalComments: 'inline',
      write: false,
      logLevel: 'warning',
    });
    const part = (suffix) => out.outputFiles.find((f) => f.path.endsWith(suffix))?.text ?? '';
    made.set(kind, { js: safe(part('.js')), css: safe(part('.css')) });
  }
  return made.get(kind);
}

const base64 = (view) => Buffer.from(view.buffer, view.byteOffset, view.byteLength).toString('base64');
const json = (value) =>
  JSON.stringify(value)
    .replace(/</g, '\\u003c')
    .replace(/\u2028/g, '\\u2028')
    .replace(/\u2029/g, '\\u2029');
const escape = (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/"/g, '&quot;');

export async function html(page, time, sections, meshes = new Uint8Array(0)) {
  const { js, css } = await bundle(page.dimension === 2 ? 'plane' : 'space');
  const block = (id, text) => `<script id="${id}" type="text/plain">${text}</script>\n`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy(js, css)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(page.title)}</title>
<style>${css}</style>
</head>
<body>
<script id="data" type="application/json">${json(page)}</script>
${block('time', base64(time))}${Object.entries(sections)
    .map(([id, v]) => block(id, base64(v)))
    .join('')}${block('meshes', base64(meshes))}<script>${js}</script>
</body>
</html>
`;
}

/* -- what all made-up runs share -- */

const column = (name, unit, base = 0) => ({ name, unit, base });

function sections(page, rows, poseOf, time) {
  const flat = page.dimension === 2;
  const parts = flat ? ['x', 'y', 'angle'] : ['x', 'y', 'z', 'e0', 'e1', 'e2', 'e3'];
  const units = flat ? ['m', 'm', 'rad'] : ['m', 'm', 'm', '', '', '', ''];
  const loads = flat ? ['fx', 'fy', 't'] : ['fx', 'fy', 'fz', 'tx', 'ty', 'tz'];
  const loadUnits = flat ? ['N', 'N', 'N m'] : ['N', 'N', 'N', 'N m', 'N m', 'N m'];
  const nb = page.bodies.length,
    nj = page.joints.length,
    stride = parts.length,
    load = loads.length + 1;
  page.sections = {
    poses: { columns: page.bodies.flatMap((b) => parts.map((p, i) => column(`${b.name}.${p}`, units[i]))) },
    outputs: { columns: [column('tip.x', 'm', 0.25), column('tip.speed', 'm/s')] },
    joints: {
      columns: page.joints.flatMap((j) => [
        column(`${j.name}.violation`, ''),
        ...loads.map((l, i) => column(`${j.name}.${l}`, loadUnits[i])),
      ]),
    },
    energy: {
      columns: ['kinetic', 'potential', 'total', 'force', 'driver', 'stabilizer', 'balance', 'dissipated'].map((n) =>
        column(`energy.${n}`, 'J'),
      ),
    },
    effort: { columns: ['steps', 'rejected', 'rhs', 'guard_calls'].map((n) => column(n, '')) },
  };
  const poses = new Float32Array(rows * nb * stride);
  const joints = new Float32Array(rows * nj * load);
  const energy = new Float32Array(rows * 8);
  const effort = new Float32Array(rows * 4);
  const outputs = new Float32Array(rows * 2);
  for (let r = 0; r < rows; r++) {
    const t = time[r];
    poseOf(t, poses.subarray(r * nb * stride, (r + 1) * nb * stride));
    for (let j = 0; j < nj; j++) {
      const k = (r * nj + j) * load;
      joints[k] = r === 0 ? 0 : 1e-15 * (1 + j) * (1.2 + Math.sin(7 * t + j)) * (1 + ((r * 7919 + j * 31) % 13));
      joints[k + 1] = (12 + j) * Math.sin(2 * t + j);
      joints[k + 2] = 30 + 10 * Math.cos(3 * t + j);
    }
    const T = 2 + Math.sin(2 * t),
      V = 3 - Math.sin(2 * t);
    energy.set([T, V, T + V, 0, 0, 0, 1e-9 * Math.sin(t) * t, 0], r * 8);
    effort.set([5 * r, Math.floor(r / 97), 35 * r, 0], r * 4);
    outputs.set([Math.cos(t) - 0.25, Math.abs(Math.sin(t))], r * 2);
  }
  return { poses, outputs, joints, energy, effort };
}

function summary(page, more = {}) {
  const end = page.end;
  return JSON.stringify({
    tenon: '0.11.0',
    model: page.name,
    verdict: 'trusted',
    reasons: [],
    facts: [
      ['size', 'run', 1, null, '8 rows, 1 degree of freedom'],
      ['method', 'run', 1e-8, null, 'method project: --integrator dopri5 --rtol 1e-08'],
      ['reached', 'cost', end, null, 'reached t = 10 s in 5120 steps (12 rejected), 36012 right-hand sides'],
      ['contract', 'worth', 4.1e-7, 1, 'largest violation: position 3.20e-14'],
      ['balance', 'worth', 4.4e-10, 1e-6, 'energy balance: 4.40e-10 of the largest kinetic energy, 3 J'],
    ].map(([key, about, value, limit, sentence]) => ({
      key,
      about,
      value,
      limit,
      unit: '1',
      severity: 'trusted',
      sentence,
    })),
    method: 'project',
    formulation: 'augmented',
    stabilizers: ['project(mass)'],
    integrator: 'dopri5',
    rtol: 1e-8,
    atol: null,
    atol_reason: 'not given',
    until: end,
    every: 0.01,
    t_end: end,
    steps: 5120,
    rejected: 12,
    rhs: 36012,
    factorizations: 36500,
    guard_calls: 0,
    switches: 2,
    max_position_violation: 3.2e-14,
    max_velocity_violation: 4.1e-13,
    worst_joint: page.joints[0]?.name ?? null,
    worst_time: 2.35,
    energy_balance: 4.4e-10,
    max_kinetic: 3,
    stabilizer_work: 0,
    contract: { position: 1e-8, velocity: 1e-6, breach: 'stop', kept: true },
    degrees_of_freedom: 1,
    redundant_rows: 0,
    singular_positions: [],
    singular_positions_more: 0,
    warnings: [],
    events: [],
    cpu_seconds: 0.0312,
    cpu_assemble: 0.011,
    cpu_solve: 0.013,
    cpu_project: 0.004,
    status: 'done',
    message: '',
    ...more,
  });
}

function frame(dimension, title, name, rows) {
  return {
    kind: 'run',
    tenon: '0.9.0',
    name,
    title,
    dimension,
    command: `tenon run ${name} -o run.html`,
    model: `{\n  // ${title}\n  "bodies": {}\n}\n`,
    summary: '',
    contract: { position: 1e-8, velocity: 1e-6 },
    gravity: dimension === 2 ? [0, -9.81] : [0, 0, -9.81],
    length: 1,
    rows,
    constraints: 8,
    every: 1,
    sections: {},
    bodies: [],
    ground: [],
    joints: [],
    links: [],
    traces: [],
    meshes: [],
    events: [],
    missing: [],
    remarks: [],
  };
}

/* a link from (0, 0) to (l, 0) with round ends */
function link(l, w, role = 'body') {
  const points = [];
  for (let i = 0; i <= 12; i++) points.push(l + w * Math.sin((Math.PI * i) / 12), -w * Math.cos((Math.PI * i) / 12));
  for (let i = 0; i <= 12; i++) points.push(-w * Math.sin((Math.PI * i) / 12), w * Math.cos((Math.PI * i) / 12));
  return { kind: 'fill', points, role };
}

const times = (rows, end) => Float64Array.from({ length: rows }, (_, i) => (rows > 1 ? (end * i) / (rows - 1) : 0));

/* -- the runs -- */

export async function fourBar({
  rows = 1001,
  end = 10,
  hostile = false,
  more = {},
  edit = (page) => page,
  spoil = () => {},
} = {}) {
  const page = frame(2, 'Four-bar with spring', 'models/four_bar.json', rows);
  const a = 0.4,
    b = 1.1,
    c = 0.9,
    d = 1;
  const bad =
    '</script><script>window.hacked=1</script><img src=x onerror="window.hacked=1">"\'`${1}\u2028 ünïcode 关节 ' +
    'x'.repeat(10000);
  const name = (n) => (hostile ? `${n} ${bad}` : n);
  page.title = name(page.title);
  page.bodies = [
    { name: name('crank'), shapes: [link(a, 0.04)] },
    {
      name: name('coupler'),
      shapes: [{ kind: 'fill', points: [-0.05, -0.05, 0.45, 0.42, 0.55, 0.42, b + 0.05, -0.05], role: 'body' }],
    },
    {
      name: name('rocker'),
      shapes: [link(c, 0.04), { kind: 'disc', center: [c / 2, 0], radius: 0.08, color: '#777777', role: 'given' }],
    },
    { name: name('wheel'), shapes: [{ kind: 'disc', center: [0, 0], radius: 0.14, role: 'gear' }] },
    { name: name('pinion'), shapes: [{ kind: 'disc', center: [0, 0], radius: 0.07, role: 'gear' }] },
    {
      name: name('block'),
      shapes: [{ kind: 'fill', points: [-0.09, -0.06, 0.09, -0.06, 0.09, 0.06, -0.09, 0.06], role: 'slider' }],
    },
  ];
  page.ground = [
    { kind: 'fill', points: [-0.6, -0.62, 1.7, -0.62, 1.7, -0.68, -0.6, -0.68], role: 'ground' },
    { kind: 'stroke', points: [-0.55, 0.95, 0.35, 0.95], width: 0.012, role: 'rail' },
  ];
  const pin = (n, bodies, at) => ({
    name: name(n),
    type: 'revolute',
    symbol: 'pin',
    bodies,
    at,
    axis: [0, 0, 1],
    rows: 2,
  });
  page.joints = [
    pin(
      'A',
      [-1, 0],
      [
        [0, 0],
        [0, 0],
      ],
    ),
    pin(
      'B',
      [0, 1],
      [
        [a, 0],
        [0, 0],
      ],
    ),
    pin(
      'C',
      [1, 2],
      [
        [b, 0],
        [c, 0],
      ],
    ),
    pin(
      'D',
      [-1, 2],
      [
        [d, 0],
        [0, 0],
      ],
    ),
    pin(
      'W',
      [-1, 3],
      [
        [-0.35, -0.25],
        [0, 0],
      ],
    ),
    pin(
      'P',
      [-1, 4],
      [
        [-0.14, -0.25],
        [0, 0],
      ],
    ),
    {
      name: name('S'),
      type: 'prismatic',
      symbol: 'slide',
      bodies: [-1, 5],
      at: [
        [-0.1, 0.95],
        [0, 0],
      ],
      axis: [1, 0, 0],
      rows: 2,
    },
  ];
  page.links = [
    {
      name: name('spring'),
      type: 'spring',
      bodies: [2, 5],
      at: [
        [c * 0.9, 0],
        [0, 0],
      ],
    },
  ];
  page.traces = [{ name: name('tip'), body: 1, at: [0.5, 0.42] }];
  page.events = [
    { t: 2.5, kind: 'branch', text: name('friction at S sticks') },
    { t: 2.51, kind: 'branch', text: 'friction at S slips' },
    { t: 7.1, kind: 'singular', text: 'A, B are in line' },
  ];
  if (hostile) {
    page.remarks = [bad];
    page.command = `tenon run '${bad.slice(0, 200)}'`;
    page.model = bad;
    page.gravity = [0, -9.81];
  }
  page.end = end;
  page.summary = summary(page, more);
  const time = times(rows, end);
  const data = sections(
    page,
    rows,
    (t, out) => {
      const th = 1.3 * t,
        bx = a * Math.cos(th),
        by = a * Math.sin(th);
      const ex = d - bx,
        ey = -by,
        e = Math.hypot(ex, ey);
      const al = Math.acos((b * b + e * e - c * c) / (2 * b * e)) + Math.atan2(ey, ex);
      const cx = bx + b * Math.cos(al),
        cy = by + b * Math.sin(al);
      out.set(
        [
          0,
          0,
          th,
          bx,
          by,
          al,
          d,
          0,
          Math.atan2(cy, cx - d),
          -0.35,
          -0.25,
          th,
          -0.14,
          -0.25,
          Math.PI / 15 - 2 * th,
          -0.1 + 0.25 * Math.sin(2 * t),
          0.95,
          0,
        ],
        0,
      );
    },
    time,
  );
  spoil(data);
  const final = edit(page);
  return { page: final, time, data, html: await html(final, time, data) };
}

/* n links in the plane, hanging and swinging; for size */
export async function planeChain({ bodies = 1000, rows = 1000, end = 10 } = {}) {
  const page = frame(2, `${bodies} links`, 'chain.json', rows);
  const l = 0.1;
  page.length = bodies * l;
  page.bodies = Array.from({ length: bodies }, (_, i) => ({ name: `link${i}`, shapes: [link(l, 0.02)] }));
  page.joints = page.bodies.map((_, i) => ({
    name: `pin${i}`,
    type: 'revolute',
    symbol: 'pin',
    bodies: [i - 1, i],
    at: [
      [i ? l : 0, 0],
      [0, 0],
    ],
    axis: [0, 0, 1],
    rows: 2,
  }));
  page.end = end;
  page.summary = summary(page, { degrees_of_freedom: bodies });
  const time = times(rows, end);
  const data = sections(
    page,
    rows,
    (t, out) => {
      let x = 0,
        y = 0;
      for (let i = 0; i < bodies; i++) {
        const a = -Math.PI / 2 + 0.6 * Math.sin(t) * Math.cos(i * 0.02 + t);
        out.set([x, y, a], 3 * i);
        x += l * Math.cos(a);
        y += l * Math.sin(a);
      }
    },
    time,
  );
  return { page, time, data, html: await html(page, time, data) };
}

/* a rod along x from 0 to l with a square section, as triangles */
function box(l, w) {
  const faces = [
    [1, 0, 0],
    [-1, 0, 0],
    [0, 1, 0],
    [0, -1, 0],
    [0, 0, 1],
    [0, 0, -1],
  ];
  const position = [],
    normal = [],
    index = [];
  for (const n of faces) {
    const u = [n[1], n[2], n[0]].map(Math.abs),
      v = [n[2], n[0], n[1]].map(Math.abs),
      k = position.length / 3;
    for (const [a, b] of [
      [-1, -1],
      [1, -1],
      [1, 1],
      [-1, 1],
    ]) {
      const p = [0, 1, 2].map((i) => n[i] + a * u[i] + b * v[i]);
      position.push(((p[0] + 1) / 2) * l, p[1] * w, p[2] * w);
      normal.push(...n);
    }
    const cross = u[1] * v[2] - u[2] * v[1] + u[2] * v[0] - u[0] * v[2] + u[0] * v[1] - u[1] * v[0];
    const flip = cross * (n[0] + n[1] + n[2]) < 0;
    index.push(...(flip ? [k, k + 2, k + 1, k, k + 3, k + 2] : [k, k + 1, k + 2, k, k + 2, k + 3]));
  }
  return { position, normal, index };
}

function pack(list) {
  const parts = [],
    meshes = [];
  let size = 0;
  const put = (view) => {
    const at = size;
    parts.push(Buffer.from(view.buffer));
    size += view.byteLength;
    return at;
  };
  for (const m of list)
    meshes.push({
      vertices: m.position.length / 3,
      triangles: m.index.length / 3,
      position: put(Float32Array.from(m.position)),
      normal: put(Float32Array.from(m.normal)),
      index: put(Uint32Array.from(m.index)),
    });
  const bytes = Buffer.concat(parts);
  return { meshes, bytes: new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength) };
}

const product = (p, q) => [
  p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
  p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
  p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
  p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0],
];
const about = (axis, angle) => [Math.cos(angle / 2), ...axis.map((a) => a * Math.sin(angle / 2))];

export async function spaceChain({
  bodies = 5,
  rows = 601,
  end = 6,
  eachItsMesh = false,
  title = 'Chain in space',
  spoil = () => {},
} = {}) {
  const page = frame(3, title, 'models/spatial_chain.json', rows);
  const l = 0.4;
  page.length = bodies * l;
  const packed = pack(
    eachItsMesh
      ? page.bodies.concat(Array.from({ length: bodies }, () => box(l, 0.04)))
      : [box(l, 0.04), box(0.12, 0.07)],
  );
  page.meshes = packed.meshes;
  page.bodies = Array.from({ length: bodies }, (_, i) => ({
    name: `link ${i + 1}`,
    shapes: [
      { mesh: eachItsMesh ? i : 0, at: [0, 0, 0, 1, 0, 0, 0], role: 'body' },
      ...(eachItsMesh
        ? []
        : [{ mesh: 1, at: [l / 2 - 0.06, 0, 0, 1, 0, 0, 0], color: i % 2 ? '#888888' : undefined, role: 'given' }]),
    ],
  }));
  page.ground = eachItsMesh ? [] : [{ mesh: 1, at: [-0.06, 0, 0.07, 1, 0, 0, 0], role: 'ground' }];
  page.joints = page.bodies.map((_, i) => ({
    name: `ball ${i + 1}`,
    type: i ? 'spherical' : 'revolute',
    symbol: i ? 'ball' : 'pin',
    bodies: [i - 1, i],
    at: [
      [i ? l : 0, 0, 0],
      [0, 0, 0],
    ],
    axis: i ? [] : [0, 1, 0],
    rows: i ? 3 : 5,
  }));
  page.traces = [{ name: 'tip', body: bodies - 1, at: [l, 0, 0] }];
  page.links =
    bodies > 3
      ? [
          {
            name: 'spring',
            type: 'spring',
            bodies: [-1, 2],
            at: [
              [0.8, 0.6, 0.2],
              [l / 2, 0, 0],
            ],
          },
        ]
      : [];
  page.end = end;
  page.summary = summary(page, { degrees_of_freedom: 3 * bodies - 2 });
  const time = times(rows, end);
  const data = sections(
    page,
    rows,
    (t, out) => {
      let p = [0, 0, 0],
        q = about([0, 1, 0], Math.PI / 2);
      for (let i = 0; i < bodies; i++) {
        q = product(
          q,
          product(
            about([0, 0, 1], (i ? 0.5 : 0) * Math.sin(1.7 * t + i)),
            about([0, 1, 0], (0.8 / (1 + i * 0.02)) * Math.sin(t + 0.3 * i) * (bodies > 50 ? 0.1 : 1)),
          ),
        );
        const n = Math.hypot(...q);
        q = q.map((v) => v / n);
        out.set([...p, ...q], 7 * i);
        const [e0, e1, e2, e3] = q;
        p = [
          p[0] + l * (e0 * e0 + e1 * e1 - e2 * e2 - e3 * e3),
          p[1] + l * 2 * (e1 * e2 + e0 * e3),
          p[2] + l * 2 * (e1 * e3 - e0 * e2),
        ];
      }
    },
    time,
  );
  spoil(data);
  return { page, time, data, html: await html(page, time, data, packed.bytes) };
}

if (process.argv[1] === fileURLToPath(import.meta.url) && process.argv[2]) {
  const folder = process.argv[2];
  await mkdir(folder, { recursive: true });
  const all = {
    plane: () => fourBar(),
    broken: () =>
      fourBar({
        more: {
          contract: {
            position: 1e-8,
            velocity: 1e-6,
            breach: 'record',
            kept: false,
            broken: "contract broken: joint 'C' at t = 3.2 s, 4.1e-7 > 1e-8",
          },
          max_position_violation: 4.1e-7,
          energy_balance: 0.02,
        },
      }),
    hostile: () => fourBar({ hostile: true }),
    long: () => fourBar({ rows: 100000, end: 100 }),
    chain: () => planeChain(),
    space: () => spaceChain(),
    crowd: () => spaceChain({ bodies: 1000, rows: 1000, eachItsMesh: true }),
  };
  for (const [name, make] of Object.entries(all)) await writeFile(join(folder, `${name}.html`), (await make()).html);
}
