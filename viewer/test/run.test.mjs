// the page of a run in a browser without network: what is seen, moved, zoomed, printed. figures are printed.
//   TENON_SHOTS: folder of the pictures
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { launch } from './browser.mjs';
import { bundle, fourBar, planeChain, spaceChain } from './sample.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const shots = process.env.TENON_SHOTS ?? join(root, 'build', 'shots');
const LOADED = 3; // a loaded machine may take so many times as long

let browser, folder;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tenon-viewer-'));
  await mkdir(shots, { recursive: true });
  browser = await launch();
});

after(async () => {
  await browser?.close();
  if (folder) await rm(folder, { recursive: true, force: true });
});

let made = 0;

// a page that is ready; whatever it says or asks of the network is kept
async function open(html, options = {}) {
  const file = join(folder, `page${made++}.html`);
  await writeFile(file, html);
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    colorScheme: 'light',
    ...options,
  });
  await context.setOffline(true);
  const page = await context.newPage();
  page.said = [];
  page.on(
    'console',
    (m) => ['error', 'warning'].includes(m.type()) && !/GPU stall|GL Driver/.test(m.text()) && page.said.push(m.text()),
  );
  page.on('pageerror', (e) => page.said.push(e.message));
  page.on('request', (r) => !/^(file|data|blob):/.test(r.url()) && page.said.push(`asked for ${r.url()}`));
  await page.goto(pathToFileURL(file).href);
  await page.waitForFunction(() => document.documentElement.dataset.ready !== undefined, null, { timeout: 60000 });
  return page;
}

async function close(page) {
  const said = page.said;
  await page.context().close();
  assert.deepEqual(said, []);
}

// what was asked for has been drawn
const frames = (page) =>
  page.evaluate(
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)))),
  );

const shot = (page, name, options = {}) => page.screenshot({ path: join(shots, `${name}.png`), ...options });

// what the last frame drew: the pixels of the scene's canvas that are not of its corner's colour, and a sum over them
const pixels = (page) =>
  page.evaluate(() => {
    const from = document.querySelector('.scene canvas'),
      to = document.createElement('canvas');
    to.width = from.width;
    to.height = from.height;
    const c = to.getContext('2d', { willReadFrequently: true });
    window.tenon.seekTime(window.tenon.time()); // GL keeps no picture: read in the task that draws
    c.drawImage(from, 0, 0);
    const d = c.getImageData(0, 0, to.width, to.height).data;
    let seen = 0,
      sum = 0;
    for (let i = 0; i < d.length; i += 4) {
      if (d[i] !== d[0] || d[i + 1] !== d[1] || d[i + 2] !== d[2]) seen++;
      sum = (sum * 31 + d[i] + 7 * d[i + 1] + 13 * d[i + 2]) % 1000000007;
    }
    return { seen, sum };
  });

// the largest difference of what is drawn at sample i from the data
function difference(poses, sample, i) {
  const flat = sample.page.dimension === 2,
    n = flat ? 3 : 7,
    columns = sample.page.sections.poses.columns;
  let most = 0;
  assert.equal(poses.length, sample.page.bodies.length);
  poses.forEach((pose, b) => {
    const want = Array.from(
      { length: n },
      (_, k) => columns[b * n + k].base + sample.data.poses[i * columns.length + b * n + k],
    );
    if (flat) {
      const turn = pose[2] - want[2];
      want[2] = pose[2] - Math.atan2(Math.sin(turn), Math.cos(turn));
    } else {
      const sign = pose.slice(3).reduce((s, v, k) => s + v * want[3 + k], 0) < 0 ? -1 : 1;
      for (let k = 3; k < 7; k++) want[k] *= sign;
    }
    pose.forEach((v, k) => (most = Math.max(most, Math.abs(v - want[k]))));
  });
  return most;
}

for (const [kind, make] of [
  ['plane', () => fourBar()],
  ['space', () => spaceChain()],
]) {
  test(`${kind}: drawn as the data say, moves, and all cursors with it`, async () => {
    const sample = await make();
    const page = await open(sample.html);
    const rows = await page.evaluate(() => window.tenon.rows);
    assert.equal(rows, sample.time.length);
    assert.equal(await page.evaluate(() => window.tenon.time()), sample.time[0]);
    assert.equal(await page.evaluate(() => window.tenon.playing()), false);

    for (const i of [0, 1, 137, rows >> 1, rows - 1]) {
      await page.evaluate((k) => window.tenon.seek(k), i);
      const off = difference(await page.evaluate(() => window.tenon.poses()), sample, i);
      assert.ok(off < 1e-5, `sample ${i}: off by ${off}`);
    }

    // between samples: between their poses
    await page.evaluate(([a, b]) => window.tenon.seekTime((a + b) / 2), [sample.time[100], sample.time[101]]);
    const middle = await page.evaluate(() => window.tenon.poses()[1]);
    const n = middle.length,
      k = sample.page.sections.poses.columns.length;
    const [p, q] = [100, 101].map((i) => Array.from(sample.data.poses.subarray(i * k + n, i * k + 2 * n)));
    assert.ok(Math.hypot(...p.map((v, i) => v - q[i])) > 1e-3); // it moves
    const want = p.map((v, i) => (v + q[i]) / 2);
    if (n === 7) {
      const size = Math.hypot(...want.slice(3)) * Math.sign(want[3] * middle[3]);
      for (let i = 3; i < 7; i++) want[i] /= size;
    }
    middle.forEach((v, i) => assert.ok(Math.abs(v - want[i]) < 1e-5, `${v} for ${want[i]}`));

    // something is seen, and it changes as it plays
    await page.evaluate(() => window.tenon.seek(0));
    const still = await pixels(page);
    assert.ok(still.seen > 2000, `${still.seen} pixels`);
    await page.evaluate(() => window.tenon.play());
    await page.waitForFunction(() => window.tenon.time() > 0.2);
    await page.evaluate(() => window.tenon.pause());
    assert.notEqual((await pixels(page)).sum, still.sum);

    // the slider moves pose and cursors
    await page.evaluate(() => window.tenon.seek(0));
    const slider = page.locator('.scrub input');
    await slider.evaluate((e, v) => {
      e.value = v;
      e.dispatchEvent(new Event('input', { bubbles: true }));
    }, String(200));
    const t = sample.time[200];
    assert.equal(await page.evaluate(() => window.tenon.time()), t);
    assert.ok(difference(await page.evaluate(() => window.tenon.poses()), sample, 200) < 1e-5);
    const cursors = await page.evaluate(() => window.tenon.charts().map((c) => c.now));
    assert.ok(cursors.length >= 5);
    for (const c of cursors) assert.equal(c, t);
    const span = sample.time[rows - 1];
    const lines = await page.evaluate(() =>
      [...document.querySelectorAll('.chart')].map((c) => {
        const over = c.querySelector('.u-over').getBoundingClientRect(),
          now = c.querySelector('.chart-now').getBoundingClientRect();
        return (now.left + now.width / 2 - over.left) / over.width;
      }),
    );
    for (const part of lines) assert.ok(Math.abs(part - t / span) < 0.01, `cursor at ${part} for ${t / span}`);

    // a click in a plot moves the pose; hovering shows it, and leaving brings the chosen one back
    const over = page.locator('.chart .u-over').first();
    await over.scrollIntoViewIfNeeded();
    const box = await over.boundingBox();
    await page.mouse.click(box.x + box.width * 0.75, box.y + box.height / 2);
    const picked = await page.evaluate(() => window.tenon.time());
    assert.ok(Math.abs(picked - 0.75 * span) < 0.01 * span, `picked ${picked}`);
    const index = await page.evaluate(() => window.tenon.index());
    assert.equal(sample.time[index], picked);
    assert.ok(difference(await page.evaluate(() => window.tenon.poses()), sample, index) < 1e-5);
    await page.mouse.move(box.x + box.width * 0.25, box.y + box.height / 2);
    const near = Math.round(0.25 * (rows - 1));
    const seen = await page.evaluate(() => window.tenon.poses());
    assert.ok([-2, -1, 0, 1, 2].some((d) => difference(seen, sample, near + d) < 1e-5));
    assert.equal(await page.evaluate(() => window.tenon.time()), picked);
    // clock and slider tell of it, and that it is only looked at
    const clock = async () => parseFloat(await page.locator('.clock').innerText());
    const ghost = page.locator('.scrub .ghost');
    assert.ok(Math.abs((await clock()) - 0.25 * span) < 0.01 * span);
    assert.match(await page.locator('.sample').innerText(), /^preview: sample/);
    assert.ok(Math.abs((await ghost.evaluate((e) => parseFloat(e.style.left))) - 25) < 1);
    assert.equal(await page.locator('.scrub input').inputValue(), String(index));
    await page.mouse.move(5, 5);
    await page.waitForFunction(() => document.querySelector('.scrub .ghost').hidden);
    assert.ok(Math.abs((await clock()) - picked) < 0.002);
    assert.match(await page.locator('.sample').innerText(), /^sample/);
    await page.waitForFunction(
      (want) => Math.abs(window.tenon.poses()[0][2] - want) < 1e-9,
      (await page.evaluate(() => (window.tenon.seekTime(window.tenon.time()), window.tenon.poses())))[0][2],
    );

    // a drag in one plot zooms all
    await page.mouse.move(box.x + box.width * 0.3, box.y + 40);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.6, box.y + 42, { steps: 5 });
    await page.mouse.up();
    for (const r of await page.evaluate(() => window.tenon.charts().map((c) => c.range))) {
      assert.ok(Math.abs(r[0] - 0.3 * span) < 0.02 * span && Math.abs(r[1] - 0.6 * span) < 0.02 * span, String(r));
    }
    await page.mouse.move(5, 5);
    console.log(`  ${kind}: first frame ${(await page.evaluate(() => window.tenon.firstFrame)).toFixed(0)} ms`);
    assert.ok((await page.evaluate(() => window.tenon.firstFrame)) < 1000 * LOADED);
    await close(page);
  });

  test(`${kind}: by keys alone`, async () => {
    const sample = await make();
    const page = await open(sample.html);
    const at = () => page.evaluate(() => window.tenon.index());
    const press = (key) => page.keyboard.press(key);
    await press('ArrowRight');
    assert.equal(await at(), 1);
    await press('Shift+ArrowRight');
    assert.equal(await at(), 11);
    await press('ArrowLeft');
    assert.equal(await at(), 10);
    await press('End');
    assert.equal(await at(), sample.time.length - 1);
    await press('Home');
    assert.equal(await at(), 0);
    await press(' ');
    assert.equal(await page.evaluate(() => window.tenon.playing()), true);
    await press(' ');
    assert.equal(await page.evaluate(() => window.tenon.playing()), false);
    await press('.');
    const whole = await pixels(page);
    await press('+');
    await frames(page);
    assert.notEqual((await pixels(page)).sum, whole.sum);
    await press('f');
    // poses over one another, in the plane alone
    const button = page.locator('.toggles button', { hasText: 'poses' });
    if (kind === 'plane') {
      await frames(page);
      const one = (await pixels(page)).sum;
      await press('p');
      await frames(page);
      assert.equal(await button.getAttribute('aria-pressed'), 'true');
      assert.notEqual((await pixels(page)).sum, one);
      await press('p');
      await frames(page);
      assert.equal((await pixels(page)).sum, one);
    } else assert.equal(await button.count(), 0);
    await press('r');
    assert.equal(await page.locator('.toggles button', { hasText: 'reactions' }).getAttribute('aria-pressed'), 'true');
    assert.match(await page.locator('.scene-key').innerText(), /largest .* N at/);
    await press('?');
    assert.ok(await page.locator('dialog.keys').isVisible());
    await press('Escape');
    assert.ok(!(await page.locator('dialog.keys').isVisible()));

    // in a plot
    await press('Home');
    await page.locator('.chart').first().focus();
    await press('ArrowRight');
    await press('ArrowRight');
    assert.equal(await at(), 2);
    await press('+');
    const zoomed = await page.evaluate(() => window.tenon.charts()[0].range);
    assert.ok(zoomed[1] - zoomed[0] < 0.6 * sample.time.at(-1));
    await press('Escape');
    assert.equal((await page.evaluate(() => window.tenon.charts()[0].range))[1], sample.time.at(-1));

    // what the tab key reaches can be seen to have it
    await page.evaluate(() => document.querySelector('.look').focus());
    const reached = new Set();
    for (let i = 0; i < 40; i++) {
      await press('Tab');
      reached.add(
        await page.evaluate(() => {
          const e = document.activeElement;
          return e === document.body
            ? ''
            : `${e.tagName} ${e.className} ${getComputedStyle(e).outlineStyle !== 'none' ? '' : 'no outline'}`;
        }),
      );
    }
    assert.ok(
      [...reached].some((r) => r.startsWith('INPUT')) && [...reached].some((r) => r.startsWith('SECTION chart')),
    );
    assert.deepEqual(
      [...reached].filter((r) => r.endsWith('no outline')),
      [],
    );
    await close(page);
  });
}

// the policy of a page holds: its own script runs, what was put into the file does not, and nothing is said on the console otherwise
test('a script that was put into a page does not run', async () => {
  const good = (await fourBar()).html;
  const page = await open(good);
  await frames(page);
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  await close(page); // without a word
  const inline = '<script>window.hacked = "inline"</script>';
  const handler = '<img src="data:," onerror="window.hacked = \'handler\'"><svg onload="window.hacked = \'svg\'"></svg>';
  const remote = '<script src="https://example.org/x.js"></script><link rel="stylesheet" href="https://example.org/x.css">';
  const broken = good.replace('<body>', `<body>${inline}${handler}${remote}`);
  assert.notEqual(broken, good);
  const bad = await open(broken);
  await frames(bad);
  assert.equal(await bad.evaluate(() => window.hacked), undefined);
  // code from texts; later, since the browser allows it to whoever drives it
  const refused = await bad.evaluate(
    () =>
      new Promise((done) =>
        setTimeout(() => {
          try {
            done(eval('1 + 1'));
          } catch {
            done('refused');
          }
        }),
      ),
  );
  assert.equal(refused, 'refused');
  assert.ok(bad.said.filter((text) => /Content Security Policy/.test(text)).length >= 3, bad.said.join('\n'));
  for (const what of ['script', 'stylesheet'])
    assert.ok(
      bad.said.some((text) => new RegExp(`Loading the ${what} 'https://example.org.*has been blocked`).test(text)),
      bad.said.join('\n'),
    );
  await bad.context().close();
});

test('space: e and -e are the same turn, between samples too', async () => {
  const plain = await spaceChain({ rows: 50 });
  const flipped = await spaceChain({
    rows: 50,
    spoil: ({ poses }) => {
      for (let r = 1; r < 50; r += 2)
        for (let b = 0; b < 5; b++) for (let i = 3; i < 7; i++) poses[(r * 5 + b) * 7 + i] *= -1;
    },
  });
  const seen = [];
  for (const { html, time } of [plain, flipped]) {
    const page = await open(html);
    await page.evaluate((t) => window.tenon.seekTime(t), 0.7 * time[20] + 0.3 * time[21]);
    seen.push(await page.evaluate(() => window.tenon.poses()));
    await close(page);
  }
  seen[0].forEach((pose, b) => {
    const sign = Math.sign(pose.slice(3).reduce((s, v, i) => s + v * seen[1][b][3 + i], 0));
    pose.forEach((v, i) => assert.ok(Math.abs(v - (i < 3 ? 1 : sign) * seen[1][b][i]) < 1e-6));
  });
});

test('between rows far apart: the nearer of the two, no joint is shown apart', async () => {
  for (const make of [fourBar, spaceChain]) {
    const sample = await make({ rows: 12 });
    const page = await open(sample.html);
    for (const [part, row] of [
      [0.2, 4],
      [0.8, 5],
    ]) {
      await page.evaluate((t) => window.tenon.seekTime(t), (1 - part) * sample.time[4] + part * sample.time[5]);
      assert.ok(difference(await page.evaluate(() => window.tenon.poses()), sample, row) < 1e-5);
    }
    await close(page);
  }
});

test('a browser that cannot decode by itself', async () => {
  const sample = await fourBar({ rows: 50 });
  const page = await open(sample.html.replace('<head>', '<head><script>delete Uint8Array.fromBase64</script>'));
  await page.evaluate(() => window.tenon.seek(31));
  assert.ok(difference(await page.evaluate(() => window.tenon.poses()), sample, 31) < 1e-5);
  await close(page);
});

test('names of all kinds are text', async () => {
  const sample = await fourBar({ hostile: true });
  const page = await open(sample.html);
  await page.evaluate(() => window.tenon.seek(50));
  await page.keyboard.press('n');
  for (const kind of ['body 0', 'joint 1']) {
    await page.locator('.chooser').selectOption(kind);
    await page.locator('.card button', { hasText: 'trace' }).click();
    await page.locator('.card button', { hasText: 'plot' }).click();
  }
  await page.locator('.model summary').click();
  await page.locator('.picker summary').click();
  await page.locator('.picker input[type=search]').fill('crank');
  await page.locator('.picker-list input').first().check();
  await page.locator('.picker .primary').click();
  await frames(page);
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  assert.equal(await page.locator('img[src=x]').count(), 0);
  assert.match(await page.locator('h1').innerText(), /<\/script><script>window\.hacked=1/);
  assert.equal(await page.locator('.model pre').evaluate((e) => e.textContent), sample.page.model);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(wide <= 0, `${wide} px too wide`);
  await shot(page, 'hostile');
  await close(page);
});

const fact = (key, severity, sentence) => ({ key, value: 1, limit: 0, unit: '1', severity, sentence });

test('the verdict is the first thing seen, with its reasons, and not by colour alone', async () => {
  const colors = new Set();
  for (const [verdict, kind, sign, title] of [
    ['trusted', 'good', '✓', 'Trusted'],
    ['doubtful', 'doubt', '!', 'Doubtful'],
    ['wrong', 'bad', '✕', 'Wrong'],
  ]) {
    const reasons =
      verdict === 'trusted'
        ? []
        : [
            fact('balance', verdict, 'energy balance: <b>7</b> of it'),
            fact('forced-steps', 'doubtful', '3 steps forced'),
          ];
    const page = await open((await fourBar({ more: { verdict, reasons } })).html);
    const box = page.locator(`.verdict.${kind}`);
    assert.equal(await box.locator('strong').innerText(), `${sign}${title}`);
    assert.deepEqual(
      await box.locator('li').allInnerTexts(),
      reasons.map((r) => `${r.sentence[0].toUpperCase()}${r.sentence.slice(1)}.`),
    );
    colors.add(await box.locator('strong').evaluate((e) => getComputedStyle(e).color));
    assert.match(await page.locator('.words').innerText(), /Largest violation: position 3\.20e-14\./);
    assert.match(await page.locator('.words').innerText(), /Method project: --integrator dopri5 --rtol 1e-08\./);
    assert.match(await page.locator('.words').innerText(), /7 joints, 8 constraint equations\.\s+8 rows, 1 degree of freedom\./);
    await shot(page, `verdict-${verdict}`);
    await close(page);
  }
  assert.equal(colors.size, 3);
  // a word that is no verdict, and a file older than verdicts
  for (const verdict of ['splendid', undefined, 7]) {
    const page = await open((await fourBar({ more: { verdict } })).html);
    assert.match(await page.locator('.verdict.unknown').innerText(), /No verdict[\s\S]*before 0\.11/);
    await close(page);
  }
});

test('what went wrong is the first thing seen', async () => {
  const contract = {
    position: 1e-8,
    velocity: 1e-6,
    breach: 'record',
    kept: false,
    broken: "contract broken: joint 'C' at t = 3.2 s, position off by 4.1e-07, allowed 1e-08",
  };
  const broken = await open(
    (
      await fourBar({
        more: {
          verdict: undefined,
          contract,
        },
      })
    ).html,
  );
  assert.match(
    await broken.locator('.verdict.bad').innerText(),
    /Contract broken[\s\S]*Joint 'C' at t = 3\.2\ss, position off by 4\.1e-07, allowed 1e-08\./i,
  );
  await shot(broken, 'broken');
  await close(broken);
  // a run that did not reach its end says why in its own words
  for (const [status, title, sentence] of [
    ['stopped', 'The run stopped', 'stopped: step became too short'],
    ['interrupted', 'The run was interrupted', 'interrupted: the run was interrupted at t = 3 s'],
  ]) {
    const facts = [{ ...fact('message', 'trusted', sentence), about: 'end' }];
    const page = await open((await fourBar({ more: { status, facts } })).html);
    const said = `${title}\\s+${sentence[0].toUpperCase()}${sentence.slice(1)}`.replace(/ /g, '\\s');
    assert.match(await page.locator('.verdict.bad').innerText(), new RegExp(said));
    await close(page);
  }
  for (const [text, title] of [
    ['', /summary is missing/],
    ['{"tenon": "0.9', /cannot be read/],
    ['[1]', /cannot be read/],
  ]) {
    const page = await open((await fourBar({ edit: (p) => ({ ...p, summary: text }) })).html);
    assert.match(await page.locator('.verdict.unknown').innerText(), title);
    await close(page);
  }
});

test('every fact of the summary is in the page, in its own words and under its own heading', async () => {
  const about = ['worth', 'run', 'cost', 'events'];
  const facts = about.map((a) => ({ ...fact(a, 'trusted', `a sentence about ${a} <i>x</i>`), about: a, limit: null }));
  const reasons = [fact('balance', 'doubtful', 'a reason')];
  const warnings = [{ message: 'a warning' }];
  const page = await open((await fourBar({ more: { verdict: 'doubtful', reasons, facts, warnings } })).html);
  const said = await page.locator('.words').innerText();
  for (const a of about) assert.equal(said.split(`A sentence about ${a} <i>x</i>.`).length, 2, a);
  assert.deepEqual(await page.locator('.verdict.doubt li').allInnerTexts(), ['A reason.']);
  assert.match(said, /a warning/);
  assert.match(said, /0\.0312\ss of CPU: assembling 35\s%/);
  await close(page);
});

test('what happened on the way is told: guard calls, rejected steps, singular positions', async () => {
  const more = {
    guard_calls: 254,
    rejected: 10,
    singular_positions: [
      { t: 4.25, joints: ['A', 'B'], where: 'passed' },
      { t: 5, joints: ['A', 'B', 'C', 'D', 'E'], where: 'passed' },
    ],
    singular_positions_more: 2,
  };
  const sample = await fourBar({
    more,
    edit: (p) => ({ ...p, events: [] }),
    spoil: ({ effort }) => {
      for (let r = 0; r < 1001; r++) effort[4 * r + 3] = r < 100 ? 0 : r < 300 ? r - 99 : r < 800 ? 200 : 254;
    },
  });
  const page = await open(sample.html);
  const told = (await page.locator('.events').innerText()).replace(/\s+/g, ' ');
  assert.match(told, /254 guard calls, first by t = 1 s, last by t = 8 s/);
  assert.match(told, /10 rejected steps, first by t = 0\.97 s, last by t = 9\.7 s/);
  assert.match(told, /4\.25 s singular singular position of A, B, passed/);
  assert.match(told, /singular position of A, B, C and 2 more, passed/);
  assert.match(told, /2 more singular positions not listed/);
  await page.locator('.events .link', { hasText: '4.25' }).click();
  assert.equal(await page.evaluate(() => window.tenon.time()), 4.25);
  const ticks = page.locator('.marks i');
  assert.equal(await ticks.and(page.locator('[title="singular position of A, B, passed"]')).count(), 1);
  assert.ok((await page.locator('.marks .faint').count()) > 10);
  // in a plot: a word
  const over = page.locator('.chart .u-over').first();
  await over.scrollIntoViewIfNeeded();
  const box = await over.boundingBox();
  await page.mouse.move(box.x + box.width * 0.425, box.y + box.height / 2);
  assert.match(await page.locator('.chart-readout').first().innerText(), /singular position of A, B/);
  await page.mouse.move(box.x + box.width * 0.2, box.y + box.height / 2);
  assert.match(await over.getAttribute('title'), /\d+ guard calls/);
  await close(page);

  const none = await open(
    (
      await fourBar({
        more: { rejected: 0 },
        edit: (p) => ({ ...p, events: [] }),
        spoil: ({ effort }) => {
          for (let r = 0; r < 1001; r++) effort[4 * r + 1] = 0;
        },
      })
    ).html,
  );
  assert.match(await none.locator('.events').innerText(), /no step was rejected/);
  await close(none);

  // a list that is longer than its box is cut within a row
  const events = Array.from({ length: 40 }, (_, i) => ({ t: i / 4, kind: 'branch', text: `change ${i}` }));
  const many = await open((await fourBar({ edit: (p) => ({ ...p, events }) })).html);
  const cut = await many.locator('.events .scroll').evaluate((e) => {
    const bottom = e.getBoundingClientRect().bottom;
    return {
      faded: e.classList.contains('more'),
      parts: [...e.querySelectorAll('tr')].map((r) => r.getBoundingClientRect()).map((r) => (bottom - r.top) / r.height),
    };
  });
  assert.ok(cut.faded && cut.parts.some((p) => p > 0.3 && p < 0.8));
  await many.locator('.events .scroll').evaluate((e) => e.scrollTo(0, e.scrollHeight));
  await many.waitForFunction(() => !document.querySelector('.events .scroll').classList.contains('more'));
  await close(many);
});

test('plots of any size have numbers; what only rounds is not shown unasked', async () => {
  for (const size of [0, 3e-44, 1e-38, 1e-20, 1, 1e20, 1e37]) {
    const sample = await fourBar({
      edit: (p) => {
        p.sections.outputs.columns.forEach((c) => (c.base = 0));
        return p;
      },
      spoil: ({ outputs }) => outputs.forEach((_, i) => (outputs[i] = size * Math.sin(i / 80))),
    });
    const page = await open(sample.html);
    const chart = (await page.evaluate(() => window.tenon.charts())).find((c) => c.title === 'tip.x');
    assert.ok(chart.ticks.length >= 3 && new Set(chart.ticks).size === chart.ticks.length, chart.ticks.join(' '));
    const most = Math.max(...chart.ticks.map((t) => Math.abs(Number(t))));
    assert.ok(size === 0 ? most > 0 : most > 0.4 * size && most <= 1.2 * size, `${size}: ${chart.ticks.join(' ')}`);
    await close(page);
  }
  const still = await fourBar({
    spoil: ({ poses }) =>
      poses.forEach((_, i) => (poses[i] = i % 3 === 2 ? 0.01 * Math.floor(i / 18) : 1e-13 * Math.sin(i))),
  });
  const page = await open(still.html);
  const titles = (await page.evaluate(() => window.tenon.charts())).map((c) => c.title);
  assert.ok(titles.includes('Angles') && !titles.some((t) => /^Position/.test(t)), titles.join('; '));
  await close(page);
});

test('a run of nothing, one sample, numbers that are none', async () => {
  const empty = await fourBar({ rows: 0 });
  const none = await open(empty.html);
  assert.match(await none.locator('.scene-note').innerText(), /no motion/);
  await none.keyboard.press(' ');
  await none.keyboard.press('ArrowRight');
  await close(none);
  const one = await open((await fourBar({ rows: 1 })).html);
  await one.keyboard.press('ArrowRight');
  await one.keyboard.press('r');
  assert.equal(await one.evaluate(() => window.tenon.index()), 0);
  await close(one);
  for (const make of [fourBar, spaceChain]) {
    const sample = await make({
      rows: 50,
      edit: (p) => p,
      spoil: (data) => data.poses.fill(NaN, 100, 200) && data.joints.fill(NaN, 60, 90),
    });
    const page = await open(sample.html);
    for (let i = 0; i < 50; i += 7) await page.evaluate((k) => window.tenon.seek(k), i);
    await page.keyboard.press('r');
    await page.keyboard.press('n');
    await frames(page);
    await close(page);
  }
  const bare = await open(
    (
      await fourBar({
        edit: (p) => ({
          ...p,
          joints: [],
          links: [],
          traces: [],
          events: [],
          ground: [],
          gravity: [],
          model: '',
          command: '',
          title: '',
        }),
      })
    ).html,
  );
  await bare.evaluate(() => window.tenon.seek(5));
  for (const key of ['r', 'a', 'n', 'f']) await bare.keyboard.press(key);
  await close(bare);
});

test('plots are added and removed, bodies chosen', async () => {
  const page = await open((await fourBar()).html);
  const n = await page.locator('.chart').count();
  await page.locator('.picker summary').click();
  await page.locator('.picker input[type=search]').fill('rocker angle');
  await page.locator('.picker-list input').first().check();
  await page.locator('.picker input[type=search]').fill('energy total');
  await page.locator('.picker-list input').first().check();
  await page.locator('.picker .primary').click();
  assert.equal(await page.locator('.chart').count(), n + 2); // one for each unit
  await page.locator('.chart-remove').last().click();
  assert.equal(await page.locator('.chart').count(), n + 1);
  // a click on the crank chooses it
  await page.evaluate(() => window.tenon.seek(0));
  const before = await pixels(page);
  await page.locator('.chooser').selectOption('body 2');
  assert.equal(await page.locator('.card strong').innerText(), 'rocker');
  await page.locator('.card button', { hasText: 'trace' }).click();
  await frames(page);
  assert.notEqual((await pixels(page)).sum, before.sum);
  await page.keyboard.press('Escape');
  assert.ok(await page.locator('.card').isHidden());
  await close(page);
});

test('a hundred thousand samples', async () => {
  const page = await open((await fourBar({ rows: 100000, end: 100 })).html);
  const took = await page.evaluate(async () => {
    const out = [],
      one = [];
    for (let i = 0; i < 15; i++) {
      const start = performance.now();
      window.tenon.charts()[0].zoom(1 + i, 99 - 2 * i);
      await new Promise((done) => queueMicrotask(done));
      await new Promise((done) => setTimeout(done));
      out.push(performance.now() - start);
      one.push(window.tenon.charts()[0].drawTime);
    }
    out.sort((a, b) => a - b);
    one.sort((a, b) => a - b);
    return { all: out[7], one: one[7], charts: window.tenon.charts().length };
  });
  console.log(
    `  100,000 samples: zoom of all ${took.charts} plots ${took.all.toFixed(1)} ms (median),`,
    `drawing one ${took.one.toFixed(1)} ms`,
  );
  assert.ok(took.all < 100 * LOADED);
  await close(page);
});

test('a thousand bodies, a thousand samples', async () => {
  for (const [kind, make] of [
    ['plane', planeChain],
    ['space', spaceChain],
  ]) {
    const sample = await make({ bodies: 1000, rows: 1000, end: 10, eachItsMesh: true });
    const page = await open(sample.html);
    const first = await page.evaluate(() => window.tenon.firstFrame);
    await page.evaluate(() => window.tenon.seek(700));
    assert.ok(difference(await page.evaluate(() => window.tenon.poses()), sample, 700) < 1e-4); // m of a hundred
    const rate = await page.evaluate(
      () =>
        new Promise((done) => {
          window.tenon.play();
          const start = performance.now();
          let n = 0;
          const count = () => {
            n++;
            const t = performance.now() - start;
            if (t < 1500) requestAnimationFrame(count);
            else done((1000 * n) / t);
          };
          requestAnimationFrame(count);
        }),
    );
    console.log(`  1000 x 1000 in ${kind}: first frame ${first.toFixed(0)} ms, ${rate.toFixed(0)} frames a second`);
    assert.ok(first < 3000 * LOADED);
    assert.ok(rate > 20 / LOADED);
    await close(page);
  }
});

test('without WebGL: words and plots', async () => {
  const sample = await spaceChain();
  const without = (get) =>
    function (kind, ...rest) {
      return /webgl/.test(kind) ? null : get.call(this, kind, ...rest);
    };
  const canvas = 'HTMLCanvasElement.prototype.getContext';
  const html = sample.html.replace('<head>', () => `<head><script>${canvas} = (${without})(${canvas})</script>`);
  const page = await open(html);
  page.said = page.said.filter((s) => !/WebGL/.test(s));
  assert.match(await page.locator('.scene-note').innerText(), /no WebGL/);
  assert.ok((await page.locator('.chart').count()) >= 5);
  await close(page);
});

test('pictures: light, dark, phone, paper', async () => {
  for (const [kind, make] of [
    ['plane', fourBar],
    ['space', spaceChain],
  ]) {
    const sample = await make();
    const page = await open(sample.html);
    await page.evaluate(() => window.tenon.seek(220));
    await shot(page, `${kind}-light`);
    const light = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    await page.emulateMedia({ colorScheme: 'dark' });
    await frames(page);
    await page.waitForFunction((was) => getComputedStyle(document.body).backgroundColor !== was, light);
    await page.keyboard.press('r');
    await page.keyboard.press('n');
    await page.keyboard.press('a');
    await frames(page);
    await shot(page, `${kind}-dark`);
    await page.pdf({ path: join(shots, `${kind}-paper.pdf`), format: 'A4', printBackground: true });
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    await page.setViewportSize({ width: 688, height: 1000 }); // A4 less its margins
    await frames(page);
    await page.waitForFunction(() => getComputedStyle(document.body).backgroundColor === 'rgb(255, 255, 255)');
    assert.ok(await page.locator('.player').isHidden());
    await page.waitForFunction(() => {
      const still = document.querySelector('.still');
      return still.checkVisibility() && still.naturalWidth > 400;
    });
    await shot(page, `${kind}-paper`, { fullPage: true });
    await close(page);

    const phone = await open(sample.html, {
      viewport: { width: 390, height: 844 },
      deviceScaleFactor: 2,
      hasTouch: true,
      isMobile: true,
    });
    await phone.evaluate(() => window.tenon.seek(220));
    const wide = await phone.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(wide <= 0, `${wide} px too wide`);
    const small = await phone.evaluate(() =>
      [...document.querySelectorAll('button, select, summary, input')]
        .filter((e) => e.checkVisibility() && e.getBoundingClientRect().height < 40)
        .map((e) => `${e.tagName} ${e.className} ${e.getBoundingClientRect().height}`),
    );
    assert.deepEqual(small, []);
    await shot(phone, `${kind}-phone`);
    await shot(phone, `${kind}-phone-all`, { fullPage: true });
    await close(phone);
  }
});

test('bundles: no more than they need', async () => {
  const plane = await bundle('plane'),
    space = await bundle('space');
  console.log(
    `  plane.js ${(plane.js.length / 1024).toFixed(0)} KiB, space.js ${(space.js.length / 1024).toFixed(0)} KiB`,
  );
  assert.ok(!/WebGLRenderer|BatchedMesh/.test(plane.js));
  for (const { js, css } of [plane, space])
    assert.ok(!/innerHTML|\beval\(|https?:\/\/(?!www\.w3\.org)/.test(css) && !/\beval\(/.test(js));
});
