// pages that the program writes: what is drawn of a model is where the CSV of the same run has it. TENON names the program; screenshots go to
// TENON_SHOTS.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { launch } from './browser.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const tenon = process.env.TENON ?? join(root, 'build/release/tenon');
const shots = process.env.TENON_SHOTS ?? join(root, 'build/shots');
const folder = mkdtempSync(join(tmpdir(), 'tenon-model-'));
let browser;

before(async () => {
  mkdirSync(shots, { recursive: true });
  browser = await launch();
});

after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

const run = (...words) => execFileSync(tenon, words, { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 28 });

// the model without outputs of its own: then all coordinates are outputs
function made(name, ...words) {
  const model = JSON.parse(run('show', join(root, 'models', `${name}.json`)));
  delete model.outputs;
  writeFileSync(join(folder, `${name}.json`), JSON.stringify(model));
  run('run', `${name}.json`, '-q', '-o', `${name}.html`, '-o', `${name}.csv`, ...words);
  const [head, ...lines] = readFileSync(join(folder, `${name}.csv`), 'utf8').trim().split('\n').map((l) => l.split(','));
  return { bodies: Object.keys(model.bodies), dimension: model.dimension, head, rows: lines.map((l) => l.map(Number)), page: join(folder, `${name}.html`) };
}

async function opened(file, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, colorScheme: 'light', ...options });
  await context.setOffline(true);
  const page = await context.newPage();
  page.said = [];
  page.on('console', (m) => m.type() === 'error' && page.said.push(m.text()));
  page.on('pageerror', (e) => page.said.push(e.message));
  page.on('request', (r) => !/^(file|data|blob):/.test(r.url()) && page.said.push(`asked for ${r.url()}`));
  await page.goto(pathToFileURL(file).href);
  await page.waitForFunction(() => document.documentElement.dataset.ready !== undefined, null, { timeout: 60000 });
  return page;
}

function off(m, row, poses) {
  const word = m.dimension === 2 ? ['x', 'y', 'angle'] : ['x', 'y', 'z', 'e0', 'e1', 'e2', 'e3'];
  let most = 0;
  m.bodies.forEach((body, b) => {
    const value = (w) => {
      const column = m.head.indexOf(`${body}.${w}`);
      assert.ok(column > 0 || w === 'angle', `${body}.${w}`);
      return column > 0 ? m.rows[row][column] : 0; // a particle
    };
    const want = word.map(value), got = poses[b].slice();
    if (m.dimension === 2) {
      const turn = got[2] - want[2];
      got[2] = want[2] + Math.atan2(Math.sin(turn), Math.cos(turn));
    } else {
      const sign = want.slice(3).reduce((s, v, k) => s + v * got[3 + k], 0) < 0 ? -1 : 1;
      for (let k = 3; k < 7; k++) got[k] *= sign;
    }
    want.forEach((v, k) => (most = Math.max(most, Math.abs(v - got[k]))));
  });
  return most;
}

for (const [name, picture, at, ...words] of [
  ['four_bar', 'demo', 31],
  ['gear_train', 'gear_train', 7],
  ['hoang_const', 'parallel_robot', 60, '--until', '2'],
  ['engine', 'engine', 20],
  ['andrews', 'andrews', 20, '--until', '0.3'], // hundreds of turns
  ['stewart_platform', 'stewart_platform', 30],
  ['rolling_disc', 'rolling_disc', 60],
])
  test(`${name} is drawn where it is`, async () => {
    const m = made(name, ...words), page = await opened(m.page);
    assert.equal(await page.evaluate(() => window.tenon.rows), m.rows.length);
    let most = 0, moved = 0;
    for (const row of [0, 1, at, m.rows.length >> 1, m.rows.length - 1]) {
      await page.evaluate((i) => window.tenon.seek(i), row);
      assert.equal(await page.evaluate(() => window.tenon.time()), m.rows[row][0]);
      const poses = await page.evaluate(() => window.tenon.poses());
      most = Math.max(most, off(m, row, poses));
      moved = Math.max(moved, off(m, 0, poses));
    }
    assert.ok(most < 1e-5, `off by ${most}`);
    assert.ok(moved > 1e-3);
    await page.evaluate((i) => window.tenon.seek(i), at);
    await page.waitForTimeout(200);
    await page.screenshot({ path: join(shots, `${picture}.png`) });
    console.log(`  ${name}: ${(statSync(m.page).size / 1e6).toFixed(2)} MB, first frame ${Math.round(await page.evaluate(() => window.tenon.firstFrame))} ms, drawn to ${most.toExponential(1)}`);
    if (name === 'four_bar') assert.ok(statSync(m.page).size <= 1.5e6); // 10 s
    await page.context().close();
    assert.deepEqual(page.said, []);
  });

// what plays it is seen when the page opens, on the windows of small laptops too
for (const [width, height] of [[1366, 768], [1280, 720]])
  test(`the player is in a window of ${width} x ${height}`, async () => {
    for (const name of ['four_bar', 'gear_train']) {
      const m = made(name, '--until', '0.5'), page = await opened(m.page, { viewport: { width, height } });
      const box = await page.getByRole('button', { name: /^play/i }).first().boundingBox();
      assert.ok(box.y > 0 && box.y + box.height <= height, `${name}: play ends at ${box.y + box.height} of ${height}`);
      const scene = await page.locator('.scene').first().boundingBox();
      assert.ok(scene.height >= 258, `${name}: ${scene.height} px of scene`);
      await page.context().close();
      assert.deepEqual(page.said, []);
    }
  });

// a run of one row has something in its plots: points
test('one row is drawn as points', async () => {
  const m = made('four_bar', '--until', '0'), page = await opened(m.page);
  assert.equal(m.rows.length, 1);
  const drawn = await page.evaluate(() => {
    const plot = document.querySelectorAll('.side canvas')[1]; // outputs, on a linear axis
    plot.scrollIntoView();
    return new Promise((done) =>
      setTimeout(() => {
        const { data } = plot.getContext('2d').getImageData(0, 0, plot.width, plot.height);
        let colored = 0; // neither paper nor the grey of lines and letters
        for (let i = 0; i < data.length; i += 4)
          if (data[i + 3] > 100 && Math.max(data[i], data[i + 1], data[i + 2]) - Math.min(data[i], data[i + 1], data[i + 2]) > 90) colored++;
        done(colored);
      }, 500),
    );
  });
  assert.ok(drawn > 20, `${drawn} pixels of points`);
  await page.context().close();
  assert.deepEqual(page.said, []);
});
