/* the motion as glTF, read again by three.js: every body is where the table of the same run says, at all rows; and the file keeps to
 * what glTF 2.0 asks. TENON names the program. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import * as THREE from 'three';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';

const tenon = process.env.TENON ?? new URL('../../build/release/tenon', import.meta.url).pathname;

const pose = {
  2: (body) => [`${body}.x`, `${body}.y`, `${body}.angle`],
  3: (body) => ['x', 'y', 'z', 'e0', 'e1', 'e2', 'e3'].map((k) => `${body}.${k}`),
};

const plane = {
  tenon: 1,
  dimension: 2,
  title: 'a "crank" \\ </script> <b>ü</b>',
  gravity: [0, -9.81],
  points: { O: [0, 0], P: [0, 0.1], Q: [0.28284271247461906, 0] },
  bodies: {
    crank: { rod: ['O', 'P'], mass: 0.4 },
    rod: { rod: ['P', 'Q'], mass: 0.6 },
    slider: { position: 'Q', mass: 0.5, inertia: 1e-4, draw: [{ box: [0.05, 0.03], color: '#ff8800' }] },
  },
  joints: {
    main: { type: 'revolute', between: ['ground', 'crank'], at: 'O' },
    big: { type: 'revolute', between: ['crank', 'rod'], at: 'P' },
    small: { type: 'revolute', between: ['rod', 'slider'], at: 'Q' },
    guide: { type: 'prismatic', between: ['ground', 'slider'], at: 'Q', axis: 'x' },
  },
  start: { 'main.rate': 40 },
  run: { until: 2, every: 0.01 },
};

/* it turns over often: the sign of its quaternion must not jump */
const space = {
  tenon: 1,
  dimension: 3,
  gravity: [0, 0, -9.81],
  bodies: {
    top: { mass: 1, cylinder: [0.1, 0.05], center: [0, 0, 0.3], axis_angle: ['x', 0.5] },
    ball: { mass: 0.2, position: [1, 0, 2], coordinates: 'point' },
  },
  joints: {
    tip: { type: 'spherical', between: ['ground', 'top'], at: [0, 0, 0] },
    string: { type: 'distance', between: ['top', 'ball'], on_bodies: [[0, 0, 0.5]] },
  },
  start: { 'top.wz': 30 },
  run: { until: 3, every: 0.01 },
};

function run(model) {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-glb-'));
  try {
    const file = { ...model, outputs: {} };
    for (const [name, body] of Object.entries(model.bodies)) {
      const point = body.coordinates === 'point';
      for (const k of pose[model.dimension](name))
        if (!(point && /\.(angle|e\d)$/.test(k))) file.outputs[k.replace('.', '_')] = k;
    }
    writeFileSync(join(folder, 'model.json'), JSON.stringify(file));
    execFileSync(tenon, ['run', 'model.json', '-q', '-o', 'out.glb', '-o', 'out.csv'], { cwd: folder, stdio: 'pipe' });
    const bytes = readFileSync(join(folder, 'out.glb'));
    const [head, ...rows] = readFileSync(join(folder, 'out.csv'), 'utf8').trim().split('\n');
    const names = head.split(',');
    const table = rows.map((row) => Object.fromEntries(row.split(',').map((x, i) => [names[i], Number(x)])));
    return { bytes, table };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function chunks(bytes) {
  assert.equal(bytes.toString('latin1', 0, 4), 'glTF');
  assert.equal(bytes.readUInt32LE(4), 2);
  assert.equal(bytes.readUInt32LE(8), bytes.length);
  const size = bytes.readUInt32LE(12);
  assert.equal(size % 4, 0);
  assert.equal(bytes.toString('latin1', 16, 20), 'JSON');
  const at = 20 + size;
  assert.equal(bytes.toString('latin1', at + 4, at + 8), 'BIN\0');
  assert.equal(bytes.readUInt32LE(at) + at + 8, bytes.length);
  return { json: JSON.parse(bytes.toString('utf8', 20, at)), binary: bytes.subarray(at + 8) };
}

const width = { SCALAR: 1, VEC3: 3, VEC4: 4 };

function numbers(json, binary, accessor) {
  const view = json.bufferViews[accessor.bufferView];
  const n = width[accessor.type];
  const stride = view.byteStride ?? 4 * n;
  const out = [];
  for (let i = 0; i < accessor.count; i++)
    for (let c = 0; c < n; c++) {
      const at = view.byteOffset + accessor.byteOffset + i * stride + 4 * c;
      out.push(accessor.componentType === 5126 ? binary.readFloatLE(at) : binary.readUInt32LE(at));
    }
  return out;
}

function isGood({ json, binary }) {
  assert.equal(json.asset.version, '2.0');
  let end = 0;
  for (const view of json.bufferViews) {
    assert.equal(view.byteOffset % 4, 0);
    assert.ok(view.byteOffset >= end, 'views do not overlap');
    end = view.byteOffset + view.byteLength;
  }
  assert.equal(end, json.buffers[0].byteLength);
  assert.equal(end, binary.length);
  const limited = new Set(json.meshes.flatMap((m) => m.primitives.map((p) => p.attributes.POSITION)));
  for (const sampler of json.animations[0].samplers) limited.add(sampler.input);
  json.accessors.forEach((accessor, number) => {
    const view = json.bufferViews[accessor.bufferView];
    const size = 4 * width[accessor.type];
    assert.equal(accessor.byteOffset % 4, 0);
    assert.ok(accessor.count > 0);
    assert.ok(accessor.byteOffset + (accessor.count - 1) * (view.byteStride ?? size) + size <= view.byteLength);
    if (!limited.has(number)) return;
    const n = width[accessor.type];
    const values = numbers(json, binary, accessor);
    for (let c = 0; c < n; c++) {
      const mine = values.filter((_, i) => i % n === c);
      assert.equal(Math.min(...mine), Math.fround(accessor.min[c]));
      assert.equal(Math.max(...mine), Math.fround(accessor.max[c]));
    }
  });
  for (const mesh of json.meshes)
    for (const primitive of mesh.primitives) {
      const { count } = json.accessors[primitive.attributes.POSITION];
      for (const i of numbers(json, binary, json.accessors[primitive.indices])) assert.ok(i < count);
      const normal = numbers(json, binary, json.accessors[primitive.attributes.NORMAL]);
      for (let i = 0; i < normal.length; i += 3)
        assert.ok(Math.abs(Math.hypot(normal[i], normal[i + 1], normal[i + 2]) - 1) < 1e-5, 'normals have length 1');
    }
  const times = numbers(json, binary, json.accessors[json.animations[0].samplers[0].input]);
  for (let i = 1; i < times.length; i++) assert.ok(times[i] > times[i - 1], 'times grow');
  for (const channel of json.animations[0].channels) {
    if (channel.target.path !== 'rotation') continue;
    const q = numbers(json, binary, json.accessors[json.animations[0].samplers[channel.sampler].output]);
    for (let i = 4; i < q.length; i += 4) {
      let dot = 0;
      for (let c = 0; c < 4; c++) dot += q[i + c] * q[i + c - 4];
      assert.ok(dot > 0, 'quaternions keep their sign');
    }
  }
}

const load = (bytes) =>
  new Promise((done, failed) =>
    new GLTFLoader().parse(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length), '', done, failed),
  );

async function follows(model) {
  const { bytes, table } = run(model);
  const file = chunks(bytes);
  isGood(file);
  assert.equal(file.json.accessors[0].count, table.length);
  const gltf = await load(bytes);
  const mixer = new THREE.AnimationMixer(gltf.scene);
  const action = mixer.clipAction(gltf.animations[0]);
  action.setLoop(THREE.LoopOnce, 1);
  action.clampWhenFinished = true;
  action.play();
  const bodies = Object.keys(model.bodies);
  const nodes = bodies.map((name) => gltf.scene.getObjectByName(name));
  const kept = Object.entries(model.joints).filter(([, joint]) => joint.type === 'distance');
  let worst = 0;
  for (const row of table) {
    mixer.setTime(Math.fround(row.t));
    gltf.scene.updateMatrixWorld(true);
    bodies.forEach((name, i) => {
      const at = (k) => row[`${name}_${k}`];
      const world = nodes[i].getWorldPosition(new THREE.Vector3());
      /* y is up in glTF */
      const there = model.dimension === 2 ? [at('x'), at('y'), 0] : [at('x'), at('z'), -at('y')];
      worst = Math.max(worst, ...there.map((x, c) => Math.abs(x - world.getComponent(c))));
      if (model.bodies[name].coordinates === 'point') return;
      const angle = at('angle') / 2;
      const [w, x, y, z] =
        model.dimension === 2 ? [Math.cos(angle), 0, 0, Math.sin(angle)] : [0, 1, 2, 3].map((k) => at(`e${k}`));
      const q = nodes[i].quaternion;
      worst = Math.max(worst, 1 - Math.abs(w * q.w + x * q.x + y * q.y + z * q.z));
      const sign = Math.sign(w * q.w + x * q.x + y * q.y + z * q.z);
      for (const [a, b] of [[w, q.w], [x, q.x], [y, q.y], [z, q.z]]) worst = Math.max(worst, Math.abs(a - sign * b));
    });
    /* a distance that is kept is a rod between its places */
    for (const [name, joint] of kept) {
      const node = gltf.scene.getObjectByName(name);
      const place = (i) => {
        const on = new THREE.Vector3(...(joint.on_bodies[i] ?? [0, 0, 0]));
        return gltf.scene.getObjectByName(joint.between[i]).localToWorld(on);
      };
      const [a, b] = [place(0), place(1)];
      const half = a.distanceTo(b) / 2;
      const along = model.dimension === 2 ? [half, 0, 0] : [0, 0, half];
      worst = Math.max(worst, node.localToWorld(new THREE.Vector3(...along)).distanceTo(b));
      worst = Math.max(worst, node.localToWorld(new THREE.Vector3(...along).negate()).distanceTo(a));
      node.geometry.computeBoundingBox();
      const long = node.geometry.boundingBox.max[model.dimension === 2 ? 'x' : 'z'];
      assert.ok(long > half && long < 1.1 * half, `${name} is ${long} long of ${half}`);
    }
  }
  assert.ok(worst < 1e-5, `bodies are off by ${worst}`);
  return { file, gltf };
}

test('a mechanism of the plane, turning many times', async () => {
  const { file } = await follows(plane);
  assert.equal(file.json.nodes[0].name, plane.title);
  const slider = file.json.nodes.find((n) => n.name === 'slider');
  const mesh = file.json.meshes[file.json.nodes[slider.children[0]].mesh];
  const color = file.json.materials[mesh.primitives[0].material].pbrMetallicRoughness.baseColorFactor;
  assert.ok(Math.abs(color[0] - 1) < 1e-9 && color[2] === 0);
});

test('bodies in space, with a particle', async () => {
  await follows(space);
});

test('equal links are one mesh', async () => {
  const model = {
    tenon: 1,
    dimension: 3,
    gravity: [0, 0, -9.81],
    bodies: {},
    joints: {},
    run: { until: 0.01, every: 0.01 },
  };
  for (let i = 0; i < 20; i++) {
    model.bodies[`link${i}`] = { mass: 1, inertia: [0.1, 0.1, 0.1], center: [0.5, 0, 0], position: [i, 0, 0] };
    model.joints[`pin${i}`] = {
      type: 'spherical',
      between: [i ? `link${i - 1}` : 'ground', `link${i}`],
      at: [i, 0, 0],
    };
  }
  const { file } = await follows(model);
  const used = file.json.accessors.filter((a) => a.type === 'SCALAR' && a.bufferView === 2).length;
  assert.ok(used <= 5, `${used} solids`);
});
