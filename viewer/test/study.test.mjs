// pages of comparisons, papers, regions of stability and control surfaces, in a browser and without a network.
// TENON names the program; screenshots go to TENON_SHOTS.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { launch } from './browser.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const tenon = process.env.TENON ?? join(root, 'build/release/tenon');
const shots = process.env.TENON_SHOTS ?? join(root, 'build/shots');
const models = join(root, 'models');
const phone = { width: 390, height: 844 };

let browser, folder;

before(async () => {
  mkdirSync(shots, { recursive: true });
  folder = mkdtempSync(join(tmpdir(), 'tenon-study-'));
  browser = await launch();
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

// what it printed; a study whose claims are not as expected exits with 6, a sweep of which a run failed with 3
function run(...words) {
  try {
    return execFileSync(tenon, words, {
      cwd: folder,
      encoding: 'utf8',
      maxBuffer: 1 << 28,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  } catch (e) {
    if (e.status === 6 || (e.status === 3 && words[0] === 'sweep')) return e.stdout;
    throw new Error(`${words.join(' ')}: ${e.stderr}`);
  }
}

// the page from its file, offline; whatever it complains of, or asks the network for, fails the test
async function open(t, name, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, offline: true, ...options });
  const page = await context.newPage();
  const bad = [];
  page.on('console', (m) => ['error', 'warning'].includes(m.type()) && bad.push(m.text()));
  page.on('pageerror', (e) => bad.push(String(e.stack)));
  page.on('request', (r) => /^(file|data|blob):/.test(r.url()) || bad.push(r.url()));
  await page.goto(pathToFileURL(join(folder, name)).href);
  await page.waitForSelector('main h1');
  t.after(async () => {
    await context.close();
    assert.deepEqual(bad, []);
  });
  return page;
}

// all of it, with what draws itself when it is seen
async function shoot(page, name) {
  const high = await page.evaluate(() => document.documentElement.scrollHeight);
  for (let y = 0; y < Math.min(high, 6000); y += 700) {
    await page.evaluate((to) => scrollTo(0, to), y);
    await page.waitForTimeout(30);
  }
  await page.evaluate(() => scrollTo(0, 0));
  await page.waitForTimeout(100);
  const size = page.viewportSize();
  const clip = { x: 0, y: 0, width: size.width, height: Math.min(high, 6000) };
  await page.screenshot({ path: join(shots, `${name}.png`), fullPage: true, clip });
}

const fits = (page) =>
  page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth);
const column = (page, k) => page.$$eval('#table tbody tr', (rows, n) => rows.map((r) => r.cells[n].textContent), k);
const heads = (page) =>
  page.$$eval('#table thead th', (all) => all.map((h) => h.textContent.replace(/[\u2191\u2193]/, '').trim()));
// numbers as they are, which cells have for those who point at them
const exact = (page, k) =>
  page.$$eval('#table tbody tr', (rows, n) => rows.map((r) => Number(r.cells[n].querySelector('.num').title)), k);

let comparison;
function compared() {
  if (comparison) return comparison;
  run(
    'compare',
    join(models, 'hoang_const.json'),
    '--until',
    '2',
    '--methods',
    'project,baumgarte-b1,fuzzy,fci,nullspace',
    '--integrators',
    'rk4',
    '--step',
    '1e-3,2e-3,5e-3',
    '-q',
    '-o',
    'compare.html',
    '-o',
    'compare.json',
  );
  return (comparison = JSON.parse(readFileSync(join(folder, 'compare.json'), 'utf8')));
}

test('a comparison says what its JSON says', async (t) => {
  const c = compared();
  const page = await open(t, 'compare.html');
  assert.equal(await page.textContent('.say'), c.recommendation);
  assert.equal(await page.textContent('.remark'), c.remark);
  const names = await heads(page);
  const order = c.rows.map((r, i) => ({ ...r, i })).sort((a, b) => a.rank_error - b.rank_error || a.i - b.i);
  assert.deepEqual(
    await exact(page, names.indexOf('error')),
    order.map((r) => r.error),
  );
  assert.deepEqual(
    await exact(page, names.indexOf('cpu [s]')),
    order.map((r) => r.cpu_seconds),
  );
  assert.deepEqual(
    await exact(page, names.indexOf('max |C|')),
    order.map((r) => r.C_max),
  );
  assert.deepEqual(
    await exact(page, names.indexOf('rhs')),
    order.map((r) => r.rhs),
  );
  const contract = await column(page, names.indexOf('contract'));
  assert.deepEqual(
    contract.map((x) => x.slice(2)),
    order.map((r) => (r.contract_kept ? 'kept' : 'broken')),
  );
  const winner = await page.textContent('tr.winner .name');
  assert.equal(winner, c.rows[c.winner].method);
  // a mark for every run, hollow where the contract was broken
  const marks = await page.$$eval('.scatter svg g path title', (all) => all.map((x) => x.textContent));
  assert.equal(marks.length, c.rows.length);
  assert.equal(
    marks.filter((m) => m.includes('contract broken')).length,
    c.rows.filter((r) => !r.contract_kept).length,
  );
  const hollow = await page.$$eval('#work svg g path[fill="var(--paper)"]', (all) => all.length);
  assert.equal(hollow, c.rows.filter((r) => !r.contract_kept).length);
  const drawn = await page.textContent('#work svg');
  assert.ok(
    drawn.includes('good enough') && drawn.includes('the reference may be off by') && drawn.includes('recommended'),
  );
  assert.match(await page.textContent('#reference'), /It may be off by/);
  assert.ok((await page.textContent('#repeat pre')).includes('"tenon"'));
});

test('a table is sorted by keys alone', async (t) => {
  const c = compared();
  const page = await open(t, 'compare.html');
  const names = await heads(page);
  const k = names.indexOf('max |C|');
  await page.focus(`#table thead th:nth-child(${k + 1}) button`);
  await page.keyboard.press('Enter');
  const up = c.rows.map((r) => r.C_max).sort((a, b) => a - b);
  assert.deepEqual(await exact(page, k), up);
  assert.equal(await page.getAttribute(`#table thead th:nth-child(${k + 1})`, 'aria-sort'), 'ascending');
  await page.keyboard.press('Enter');
  assert.deepEqual(await exact(page, k), up.toReversed());
  assert.equal(await page.getAttribute(`#table thead th:nth-child(${k + 1})`, 'aria-sort'), 'descending');
  await page.keyboard.press('Tab'); // on to the next heading
  await page.keyboard.press('Space');
  const next = await page.$$eval('#table thead th', (all) => all.findIndex((h) => h.hasAttribute('aria-sort')));
  assert.equal(next, k + 1);
});

test('work and precision over another cost; points by keys', async (t) => {
  compared();
  const page = await open(t, 'compare.html');
  await page.focus('#work input[value=cpu_seconds]');
  await page.keyboard.press('ArrowRight');
  await page.waitForFunction(() => document.querySelector('#work h3').textContent === 'Error over right-hand sides');
  await page.focus('#work .chart-body');
  await page.keyboard.press('ArrowRight');
  assert.match(await page.textContent('#work .chart-readout'), /error .* right-hand sides, contract (kept|broken)/);
  // a method is put away and comes back
  const count = () => page.$$eval('#work svg g path title', (all) => all.length);
  const all = await count();
  await page.click('#work .chart-key');
  assert.ok((await count()) < all);
  await page.click('#work .chart-key');
  assert.equal(await count(), all);
});

test('drift: curves of the runs that are chosen', async (t) => {
  const c = compared();
  const page = await open(t, 'compare.html');
  await page.locator('#drift').scrollIntoViewIfNeeded();
  await page.waitForSelector('#drift .chart');
  const keys = () => page.$$eval('#drift .chart:first-child .chart-key', (all) => all.length);
  assert.equal(await keys(), new Set(c.rows.map((r) => r.method)).size);
  await page.click('#drift summary');
  await page.click('#drift .buttons button:nth-child(2)');
  assert.equal(await keys(), c.rows.length);
  const painted = await page.$eval('#drift canvas', (canvas) => {
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const seen = new Set();
    for (let i = 0; i < data.length; i += 4)
      if (data[i + 3] > 200) seen.add(`${data[i]},${data[i + 1]},${data[i + 2]}`);
    return seen.size;
  });
  assert.ok(painted > 8, String(painted));
});

test('a run that failed says why', async (t) => {
  run(
    'compare',
    join(models, 'pendulum.json'),
    '--methods',
    'fci,project',
    '--integrators',
    'euler',
    '--step',
    '0.2,1e-3',
    '--until',
    '5',
    '-q',
    '-o',
    'failed.html',
    '-o',
    'failed.json',
  );
  const c = JSON.parse(readFileSync(join(folder, 'failed.json'), 'utf8'));
  const why = c.rows.filter((r) => r.failure).map((r) => r.failure);
  assert.ok(why.length > 0);
  const page = await open(t, 'failed.html');
  assert.deepEqual(
    (await page.$$eval('#table .failure', (all) => all.map((x) => x.textContent))).sort(),
    why.map((w) => `failed: ${w}`).sort(),
  );
  // and stays at the end, whichever way it is sorted
  const last = () => page.$eval('#table tbody tr:last-child', (r) => r.className);
  assert.equal(await last(), 'failed');
  await page.click('#table thead th:nth-child(1) button');
  assert.equal(await last(), 'failed');
});

test('a comparison in light, dark, on a phone and on paper', async (t) => {
  compared();
  for (const [name, options] of [
    ['compare_light', {}],
    ['compare_dark', { colorScheme: 'dark' }],
    ['compare_phone', { viewport: phone, hasTouch: true, isMobile: true }],
  ]) {
    const page = await open(t, 'compare.html', options);
    await shoot(page, name);
    assert.ok(await fits(page), name);
    if (name !== 'compare_phone') continue;
    const low = await page.$$eval('button, select, .chip', (all) =>
      all.filter((x) => x.offsetParent && x.getBoundingClientRect().height < 39.5).map((x) => x.textContent),
    );
    assert.deepEqual(low, []);
  }
  const page = await open(t, 'compare.html', { colorScheme: 'dark' });
  await page.emulateMedia({ media: 'print' });
  await page.waitForSelector('#drift .chart');
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(255, 255, 255)');
  assert.equal(await page.isVisible('.copy'), false);
  await page.screenshot({ path: join(shots, 'compare_print.png'), fullPage: true });
});

test('a paper: counts, values and verdicts as in its JSON; filters', async (t) => {
  const s = JSON.parse(
    run('reproduce', join(root, 'studies/wu2000.json'), '--quick', '-q', '--json', '-o', 'paper.html'),
  );
  const page = await open(t, 'paper.html');
  const of = (v) => s.rows.filter((r) => r.verdict === v).length;
  const say = await page.textContent('.say');
  const n = s.counts;
  assert.ok(say.startsWith(`Of ${n.claims} claims of the paper, ${n.reproduced} are reproduced`), say);
  assert.equal(n.claims, s.claims.filter((c) => c.kind === 'claim').length);
  assert.ok(n.claims < s.rows.length && n.checks > 0 && n.remarks > 0);
  const beside = await page.textContent('.lead .beside');
  assert.ok(beside.includes('0 values outside the independent check, explained'), beside);
  assert.ok(beside.includes(`${n.remarks} remarks`), beside);
  const about = await page.textContent('.about');
  for (const word of Object.values(s.publication)) assert.ok(about.includes(word), word);
  assert.ok((await page.textContent('.lead')).includes(s.check));
  assert.ok(!(await page.textContent('main')).includes('Paper reproduced'));
  // what had to be assumed, with the verdicts that change
  const assumed = await page.$$eval('#assumptions tbody tr', (all) => all.map((r) => r.textContent));
  assert.equal(assumed.length, s.assumptions.length);
  s.assumptions.forEach((a, i) => {
    for (const word of [a.what, a.used, a.why, ...a.variations.flatMap((v) => [v.to, ...v.changes.map((c) => c.row)])])
      assert.ok(assumed[i].includes(word), word);
  });
  assert.ok(s.assumptions.some((a) => a.variations.some((v) => v.changes.length > 0)));
  // the table of claims leads to the rows of each
  const listed = await page.$$eval('#claims tbody tr', (all) =>
    all.map((r) => ({ what: r.cells[0].lastChild.textContent, rows: [...r.querySelectorAll('a')].map((a) => a.title) })),
  );
  for (const c of s.claims)
    assert.deepEqual(
      listed.find((l) => l.what === c.what).rows,
      s.rows.filter((r) => r.claim === c.name).map((r) => r.id),
    );
  const shown = await page.$$eval('.claim', (all) =>
    all.map((c) => ({
      id: c.querySelector('footer code').textContent,
      what: c.querySelector('h3').textContent,
      verdict: c.querySelector('.verdict').className.replace(/^.*v-/, ''),
      word: c.querySelector('.verdict').textContent.slice(2).replace(' ', '-'),
      measured: Number(c.querySelectorAll('.values .num')[c.querySelectorAll('.values .num').length - 1]?.title),
    })),
  );
  const by = new Map(s.rows.map((r) => [r.id, r]));
  assert.equal(shown.length, s.rows.length);
  for (const c of shown) {
    const r = by.get(c.id);
    assert.equal(c.what, r.what);
    assert.equal(c.verdict, r.verdict);
    assert.equal(c.word, r.verdict);
    if (r.measured !== null) assert.equal(c.measured, r.measured, r.id);
  }
  // claims stand where the paper makes them
  const groups = await page.$$eval('.group h2', (all) => all.map((x) => x.textContent));
  assert.deepEqual(groups, [...new Set(s.rows.map((r) => r.where || 'Elsewhere'))]);
  const visible = () => page.$$eval('.claim', (all) => all.filter((c) => c.offsetParent).length);
  await page.fill('input[type=search]', 'table2');
  assert.equal(await visible(), s.rows.filter((r) => JSON.stringify(r).toLowerCase().includes('table2')).length);
  await page.fill('input[type=search]', '');
  await page.focus('.filters .chip.v-reproduced input');
  await page.keyboard.press('Space');
  assert.equal(await visible(), s.rows.length - of('reproduced'));
  await page.keyboard.press('Space');
  // the runs that a claim is measured on are drawn beside it
  const table3 = page.locator('.group', { has: page.locator('h2', { hasText: /^Table 3$/ }) });
  await table3.scrollIntoViewIfNeeded();
  await table3.locator('.scatter').first().waitFor();
  const order = await table3.locator('.scatter svg g path title').allTextContents();
  assert.ok(order.some((x) => x.startsWith('ampc3_coarse')) && order.some((x) => x.startsWith('mampc3_fine')));
  assert.ok((await table3.locator('.chart-name').allTextContents()).includes('ampc3_fine'));
  await shoot(page, 'paper_light');
});

test('figures of a paper: in its order, with captions and what is on the axes', async (t) => {
  const s = JSON.parse(
    run('reproduce', join(root, 'studies/wu2000.json'), '--quick', '-q', '--json', '--only', 'fig', '-o', 'figures.html'),
  );
  const page = await open(t, 'figures.html');
  const seen = await page.$$eval('.of-paper', (all) =>
    all.map((f) => ({
      id: f.id,
      words: f.querySelector('figcaption').textContent,
      drawn: f.querySelectorAll(':scope > svg').length,
      curves: f.querySelectorAll('svg svg path').length,
    })),
  );
  assert.deepEqual(
    seen.map((f) => f.id),
    [1, 2, 3, 4, 5, 6, 7].map((n) => `fig${n}`),
  );
  for (const [i, f] of seen.entries()) {
    assert.ok(f.words.startsWith(`Fig. ${i + 1} ${s.figures[i].caption}.`), f.words);
    assert.equal(f.drawn, s.figures[i].state === 'drawn' ? 1 : 0);
    if (f.drawn) assert.ok(f.curves >= 2, f.id);
  }
  assert.ok(seen[4].words.includes('\u2016\u03a6\u2016\u2082 over time, s'), seen[4].words);
  assert.ok(seen[3].words.includes('Not drawn: It shows the mechanism'), seen[3].words);
  // names under and beside the axes do not lie on one another
  const crossed = await page.$$eval('.of-paper > svg', (all) =>
    all.map((svg) => {
      const boxes = [...svg.querySelectorAll('text')].map((x) => [x.getBoundingClientRect(), x.textContent]);
      return boxes.flatMap(([a, p], i) =>
        boxes
          .slice(i + 1)
          .filter(([b]) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 4 && b.top < a.bottom - 4)
          .map(([, q]) => `${p} / ${q}`),
      );
    }),
  );
  assert.deepEqual(
    crossed.flat(),
    [],
  );
  await shoot(page, 'paper_figures');
});

test('a paper in the dark and on a phone', async (t) => {
  run('reproduce', join(root, 'studies/hoang2023.json'), '--quick', '-q', '-o', 'hoang.html');
  for (const [name, options] of [
    ['paper_dark', { colorScheme: 'dark', viewport: { width: 1440, height: 900 } }],
    ['paper_phone', { viewport: phone, hasTouch: true, isMobile: true }],
  ]) {
    const page = await open(t, 'hoang.html', options);
    await shoot(page, name);
    assert.ok(await fits(page), name);
  }
});

test('regions of stability: limits, and what is drawn', async (t) => {
  const all = JSON.parse(run('stability', 'rk4', 'ab3', 'trbdf2', 'abm', '--json', '-o', 'stability.html'));
  const page = await open(t, 'stability.html');
  const limits = await page.$$eval('#numbers tbody tr', (rows) =>
    rows.map((r) => [...r.querySelectorAll('.limit')].map((c) => (c.title === '' ? null : Number(c.title)))),
  );
  const want = all.flatMap((x) => (x.orders ?? [x]).map((l) => [l.real_limit, l.imaginary_limit, l.area]));
  assert.deepEqual(limits, want);
  // the line crosses the real axis where the limit is
  const inside = await page.evaluate(() => {
    const svg = document.querySelector('#i0 .picture svg');
    const at = (text) =>
      [...svg.querySelectorAll('text[text-anchor=middle]')].find((x) => x.textContent === text).x.baseVal[0].value;
    const zero = at('0'),
      one = (zero - at('\u22122')) / 2;
    const path = svg.querySelector('path'),
      axis = [...svg.querySelectorAll('line')].at(-1).y1.baseVal.value;
    const hit = (re, im) => {
      const p = svg.createSVGPoint();
      p.x = zero + re * one;
      p.y = axis - im * one;
      return path.isPointInFill(p);
    };
    return [hit(-2.75, 0.01), hit(-2.82, 0.01), hit(-0.05, 2.7), hit(0.3, 0.01), hit(-1, -1), hit(-2.7, 2.7)];
  });
  assert.deepEqual(inside, [true, false, true, false, true, false]);
  assert.ok((await page.textContent('#i0 .picture')).includes('stable'));
  // another order by keys
  await page.focus('#i3 .choice input:checked');
  await page.keyboard.press('ArrowRight');
  const dd = await page.$$eval('#i3 .facts dd', (x) => x.map((k) => Number(k.title)));
  assert.deepEqual(dd, [all[3].orders[4].real_limit, all[3].orders[4].imaginary_limit, all[3].orders[4].area]);
  await shoot(page, 'stability_light');
  const small = await open(t, 'stability.html', {
    viewport: phone,
    colorScheme: 'dark',
    hasTouch: true,
    isMobile: true,
  });
  await shoot(small, 'stability_phone');
  assert.ok(await fits(small));
});

test('a control surface of another size: sets of both inputs and of the output', async (t) => {
  const part = 'fuzzy:infer=mamdani,both=minimum,set=gaussian,set_rate=triangular,size_rate=3';
  const f = JSON.parse(run('surface', part, '--json', '-o', 'mamdani.html'));
  const page = await open(t, 'mamdani.html');
  const table = await page.$$eval('.rules tbody tr', (rows) =>
    rows.map((r) => [...r.querySelectorAll('td')].map((c) => Number(c.title))),
  );
  assert.deepEqual(table, f.table);
  const heads = await page.$$eval('.rules thead th', (all) => all.map((c) => c.textContent));
  assert.deepEqual(heads.slice(1), ['negative', 'zero', 'positive']);
  const counts = await page.$$eval('#sets .pair table tbody', (all) => all.map((b) => b.rows.length));
  assert.deepEqual(counts, [5, 3, 5]);
});

test('a control surface: values, cut by keys', async (t) => {
  const f = JSON.parse(run('surface', 'fuzzy:set=gaussian,both=minimum', '--json', '-o', 'surface.html'));
  const page = await open(t, 'surface.html');
  const told = async () =>
    Number((await page.textContent('#surface .told')).replace(/^.*= /, '').replace('\u2212', '-'));
  const near = (a, b) => assert.ok(Math.abs(a - b) < 1e-4, `${a} ${b}`);
  near(await told(), f.F[30][20]); // x = 0.5, y = 0
  await page.focus('.map-box');
  for (let i = 0; i < 4; i++) await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowLeft');
  near(await told(), f.F[29][24]);
  const colors = await page.$eval('canvas.map', (c) => {
    const { data } = c.getContext('2d').getImageData(0, 0, c.width, c.height);
    const at = (x, y) =>
      [...data.slice(4 * (Math.floor(y * c.height) * c.width + Math.floor(x * c.width)))].slice(0, 3);
    return { low: at(0.02, 0.98), high: at(0.98, 0.02) };
  });
  assert.ok(colors.low[2] > colors.low[0] + 50 && colors.high[0] > colors.high[2] + 50, JSON.stringify(colors));
  const table = await page.$$eval('.rules tbody tr', (rows) =>
    rows.map((r) => [...r.querySelectorAll('td')].map((c) => Number(c.title))),
  );
  assert.deepEqual(table, f.table);
  await shoot(page, 'surface_light');
  const small = await open(t, 'surface.html', { viewport: phone, colorScheme: 'dark', hasTouch: true, isMobile: true });
  await shoot(small, 'surface_phone');
  assert.ok(await fits(small));
});

const hostile = [
  '</script><script>window.bad = 1</script>',
  '<img src=x onerror="window.bad = 1">',
  '"><svg onload=window.bad=1>',
  "'; window.bad = 1; //",
  '\u202eright to left \u2028 line \u0001 bell',
  '<!-- <script> ' + 'x'.repeat(10000),
];

async function harmless(page, words) {
  assert.equal(await page.evaluate(() => window.bad), undefined);
  assert.equal(
    await page.evaluate(() => document.querySelectorAll('main img, main script, main svg[onload]').length),
    0,
  );
  const text = await page.evaluate(() => document.body.textContent);
  for (const w of words) assert.ok(text.includes(w), w.slice(0, 60));
  assert.ok(await fits(page));
}

const sweepOf = (more) => ({
  sweep: 1,
  title: 'masses',
  run: { model: join(models, 'pendulum.json'), until: 0.5, integrator: '{by}' },
  vary: { '/bodies/bob/mass': { from: -1, to: 3, n: 9 }, by: ['dopri5', 'dop853'] },
  measures: { low: { expression: 'bob.y', take: 'min' }, rhs: { of: 'rhs' } },
  ...more,
});

test('a sweep: values as in its JSON, over any parameter, with what failed', async (t) => {
  writeFileSync(join(folder, 'sweep.json'), JSON.stringify(sweepOf({})));
  run('sweep', 'sweep.json', '-q', '-o', 'sweep.html', '-o', 'told.json');
  const told = JSON.parse(readFileSync(join(folder, 'told.json'), 'utf8'));
  const page = await open(t, 'sweep.html');
  assert.equal(await page.textContent('main h1'), 'masses');
  assert.deepEqual(await page.$$eval('.facts dd', (all) => all.map((d) => d.textContent)), ['18', String(told.failed)]);
  assert.ok(told.failed >= 4);
  assert.equal(await page.$$eval('#failures tbody tr', (all) => all.length), told.failed);
  const cells = await page.$$eval('#summary tbody tr', (all) => all.map((r) => [...r.cells].map((c) => c.textContent)));
  assert.equal(cells[0][0], 'low');
  assert.equal(cells[0][1], String(18 - told.failed));
  const all = await page.$$eval('#summary tbody tr .num', (some) => some.map((e) => e.title));
  assert.equal(Number(all[0]), told.summary.low.least);
  assert.equal(Number(all[4]), told.summary.low.largest);
  // a point for every run that has a value, and as many in the bars
  const dots = () => page.$$eval('#values .scatter svg path title', (p) => p.map((e) => e.textContent));
  assert.equal((await dots()).length, 18 - told.failed);
  assert.ok((await dots())[0].startsWith('run '));
  await page.selectOption('select[aria-label="measure"]', { label: 'rhs' });
  await page.selectOption('select[aria-label="over"]', { label: 'low' });
  assert.match(await page.textContent('#values .scatter h3'), /rhs over low/);
  const row = told.rows.find((r) => r.values);
  assert.ok((await dots()).some((d) => d.startsWith(`run ${row.run}:`) && d.endsWith(`rhs ${row.values.rhs}`)));
  const bars = await page.$$eval('#values .picture rect title', (p) => p.map((e) => parseInt(e.textContent, 10)));
  assert.equal(bars.reduce((a, b) => a + b, 0), 18 - told.failed);
  assert.equal(await page.textContent('#repeat .command code'), 'tenon sweep sweep.json');
  await shoot(page, 'sweep');
});

test('a sweep at random in the dark and on a phone; a sensitivity', async (t) => {
  const random = sweepOf({ vary: { '/bodies/bob/mass': { 'log-uniform': [1, 2] }, by: ['dopri5'] }, samples: 60 });
  writeFileSync(join(folder, 'random.json'), JSON.stringify(random));
  run('sweep', 'random.json', '-q', '-o', 'random.html');
  const page = await open(t, 'random.html', { viewport: phone, hasTouch: true, isMobile: true, colorScheme: 'dark' });
  assert.ok(await fits(page));
  await shoot(page, 'sweep-phone');
  const depends = sweepOf({ kind: 'sensitivity', vary: { '/bodies/bob/mass': { at: 1 } } });
  depends.run.integrator = 'dopri5';
  writeFileSync(join(folder, 'depends.json'), JSON.stringify(depends));
  run('sweep', 'depends.json', '-q', '-o', 'depends.html', '-o', 'depends.told.json');
  const told = JSON.parse(readFileSync(join(folder, 'depends.told.json'), 'utf8'));
  const other = await open(t, 'depends.html');
  const shown = await other.$$eval('#sensitivities tbody tr', (all) =>
    all.map((r) => [...r.cells].map((c) => c.textContent)),
  );
  assert.deepEqual(
    shown.map((r) => [r[0], r[1]]),
    told.sensitivities.map((d) => [d.parameter, d.measure]),
  );
  assert.ok(await fits(other));
});

test('hostile names of a sweep are text', async (t) => {
  const measures = Object.fromEntries(hostile.slice(0, 4).map((word) => [word.slice(0, 200), { of: 'rhs' }]));
  const bad = sweepOf({ title: hostile[1], vary: { by: ['dopri5', hostile[0].slice(0, 500)] }, measures });
  writeFileSync(join(folder, 'bad.json'), JSON.stringify(bad));
  run('sweep', 'bad.json', '-q', '-o', 'bad.html'); // an integrator of that name fails
  const page = await open(t, 'bad.html', { viewport: phone, hasTouch: true, isMobile: true });
  await harmless(page, hostile.slice(0, 4));
});

test('hostile names of a model are text', async (t) => {
  const model = JSON.parse(readFileSync(join(models, 'pendulum.json'), 'utf8').replace(/^\s*\/\/.*$/gm, ''));
  model.title = hostile.slice(0, 4).join(' '); // of 400 bytes at most, without control characters
  const name = 'it\'s <b>"bold" & $(more).json';
  writeFileSync(join(folder, name), JSON.stringify(model));
  run('compare', name, '--methods', 'project,fci', '--until', '0.2', '-q', '-o', 'hostile.html');
  const page = await open(t, 'hostile.html');
  await harmless(page, hostile.slice(0, 4));
  // a command that a shell reads as it is meant
  const command = await page.textContent('#repeat .command code');
  const words = execFileSync('sh', ['-c', `printf '%s\\n' ${command}`], { encoding: 'utf8' }).split('\n');
  assert.equal(words[2], name);
});

test('hostile names of a study are text', async (t) => {
  writeFileSync(join(folder, 'model.json'), readFileSync(join(models, 'pendulum.json'), 'utf8'));
  const runs = {
    [hostile[0]]: { model: 'model.json', method: 'fci', integrator: 'rk4', step: 0.01, until: 0.2, every: 0.1 },
  };
  const rows = hostile.map((word, i) => ({
    id: `${i}${word}`,
    what: word,
    where: word,
    paper: word,
    why: word,
    measure: { name: `n${i}`, run: hostile[0], of: 'C' },
    holds: 'measured < 1',
    tolerance: 'at most 1',
    verdict: 'reproduced',
  }));
  const figures = hostile.map((word, i) => ({
    figure: i + 1,
    caption: word,
    remark: word,
    x: { label: word },
    y: { label: word },
    curves: [{ label: word, y: 'n0' }, { bars: [[word, 1]] }],
  }));
  const study = { study: 1, paper: 'x', title: hostile[1], doc: hostile[2], runs, rows, figures };
  writeFileSync(join(folder, 'study.json'), JSON.stringify(study));
  run('reproduce', 'study.json', '-q', '-o', 'study.html');
  const page = await open(t, 'study.html', { viewport: phone, hasTouch: true, isMobile: true });
  await harmless(page, [...hostile.slice(0, 4), 'x'.repeat(10000)]);
});

test('pages are small', () => {
  compared();
  const text = readFileSync(join(folder, 'compare.html'), 'utf8');
  const script = text.slice(text.lastIndexOf('<script>'));
  assert.ok(Buffer.byteLength(script) < 150 * 1024, String(script.length));
});
