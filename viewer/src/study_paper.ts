/* a paper: what it says, what an independent check measured, what Tenon measures, and the runs behind that. */
import { h, type Child } from './dom';
import { count, number } from './format';
import { Chart, Sync, type Series } from './plot';
import {
  commandLine,
  details,
  header,
  plural,
  samples,
  scroller,
  section,
  shown,
  valueOf,
  whenSeen,
} from './study_parts';
import { figuresOfPaper } from './study_figures';
import { Scatter, type DotSeries } from './study_scatter';
import { badgeOf, citation, KIND, lead, SIGN, tableOfAssumptions, tableOfClaims, VERDICTS, WORD } from './study_head';
import type { Claim, Measure, PaperData, StudyRun, Verdict } from './study_data';

interface Item {
  claim: Claim;
  at: number; // its place among the rows
  card: HTMLElement;
}

interface Group {
  where: string;
  items: Item[];
  root: HTMLElement;
  link: HTMLElement;
}

export function paperPage(data: PaperData): HTMLElement {
  const s = data.study;
  document.title = s.title || s.paper;
  const groups = groupsOf(data);
  const drawn = figuresOfPaper(data.figures);
  return h(
    'main',
    { class: 'paper' },
    header('A paper, claim by claim', s.title || s.paper, citation(data), data.tenon),
    lead(data),
    s.assumptions.length ? section('assumptions', 'What we had to assume', tableOfAssumptions(data)) : null,
    s.claims.length ? section('claims', 'Claims', tableOfClaims(data)) : null,
    filters(groups, s.rows.length),
    h(
      'div',
      { class: 'with-list' },
      h('nav', { class: 'list', 'aria-label': 'sections of the paper' }, h('ol', {}, ...groups.map((g) => g.link))),
      h('div', { class: 'groups' }, ...groups.map((g) => g.root)),
    ),
    drawn ? section('figures', 'Figures of the paper', drawn) : null,
    section('runs', 'Runs', tableOfRuns(data)),
    data.references ? section('references', 'References', references(data)) : null,
    section('repeat', 'To repeat it', commandLine(data.command, 'the command of this page')),
  );
}

/* ---- claims ------------------------------------------------------------------------------------------------- */

function groupsOf(data: PaperData): Group[] {
  const by = new Map<string, Group>();
  data.study.rows.forEach((claim, at) => {
    let g = by.get(claim.where);
    if (!g) {
      const id = `s${by.size + 1}`;
      const title = claim.where || 'Elsewhere';
      const root = h(
        'section',
        { id, class: 'group', 'aria-labelledby': `${id}-title` },
        h('h2', { id: `${id}-title` }, title),
        h('div', { class: 'claims' }),
      );
      g = { where: claim.where, items: [], root, link: h('li', {}, h('a', { href: `#${id}` }, title)) };
      by.set(claim.where, g);
    }
    const card = cardOf(data, claim, at);
    g.items.push({ claim, at, card });
    g.root.querySelector('.claims')?.append(card);
  });
  for (const g of by.values()) {
    const tally = VERDICTS.map((v) => [v, g.items.filter((i) => i.claim.verdict === v).length] as const).filter(
      ([, n]) => n,
    );
    g.link.append(
      h(
        'span',
        { class: 'tally' },
        ...tally.map(([v, n]) => h('span', { class: `t-${v}`, title: `${n} ${WORD[v]}` }, `${SIGN[v]}${n}`)),
      ),
    );
    figures(data, g);
  }
  return [...by.values()];
}

function cell(what: string, value: Child, more?: string): HTMLElement {
  return h('div', {}, h('dt', {}, what), h('dd', {}, value, more ? h('small', {}, more) : null));
}

/* `rel 0.05` in words */
function tolerance(text: string): string {
  const [kind, ...rest] = text.split(' ');
  const x = rest[rest.length - 1];
  if (kind === 'rel') return `within ${number(100 * Number(x), 3)} % of it`;
  if (kind === 'abs') return `within ${x} of it`;
  if (kind === 'factor') return `within a factor of ${x}`;
  if (text.startsWith('at most')) return `at most ${x}`;
  if (text.startsWith('at least')) return `at least ${x}`;
  if (kind === 'exact') return 'exactly this';
  return kind === 'qualitative' ? 'only whether it is finite' : text;
}

function cardOf(data: PaperData, c: Claim, at: number): HTMLElement {
  const plan = data.claims[at];
  const own = plan.measure >= 0;
  const badge = badgeOf(c.verdict);
  const longPaper = typeof c.paper === 'string' && c.paper.length > 40;
  const paper =
    c.paper === null
      ? h('span', { class: 'note' }, 'the claim above')
      : typeof c.paper === 'number'
        ? valueOf(c.paper, undefined, 5)
        : c.paper;
  return h(
    'article',
    { class: `claim${c.as_expected ? '' : ' odd'}`, id: `c-${at}` },
    h('header', {}, h('h3', {}, c.what || c.id), badge),
    c.kind === 'claim' ? null : h('p', { class: 'beside' }, KIND[c.kind]),
    c.as_expected
      ? null
      : h(
          'p',
          { class: 'warn' },
          '\u26a0 not as the study expects',
          c.verdict !== c.foreseen ? `: it expects \u201c${WORD[c.foreseen]}\u201d` : '',
        ),
    h(
      'dl',
      { class: `values${longPaper ? ' long' : ''}` },
      cell('the paper says', paper),
      own ? cell('independent check', valueOf(c.expected, c.expected_reason, 5), tolerance(c.tolerance)) : null,
      own
        ? cell(
            'Tenon measures',
            valueOf(c.measured, c.measured_reason, 5),
            c.within ? '\u2713 within tolerance' : '\u2260 outside tolerance',
          )
        : null,
      c.own_why ? cell('in Tenon\u2019s own form', valueOf(c.own ?? null, c.own_reason, 5), 'decides nothing') : null,
    ),
    c.failure ? h('p', { class: 'failure' }, `The run: ${c.failure}`) : null,
    c.why ? h('p', { class: 'why' }, c.why) : null,
    c.own_why ? h('p', { class: 'why' }, h('strong', {}, 'Tenon\u2019s own form: '), c.own_why) : null,
    c.differs && !c.within ? h('p', { class: 'why' }, h('strong', {}, 'Why the value differs: '), c.differs) : null,
    h(
      'footer',
      {},
      h('code', {}, c.id),
      own || plan.from.length ? details('how it is measured', howMeasured(data, c, plan)) : null,
    ),
  );
}

function measureWords(m: Measure): string {
  const w = m.as_written;
  const text = (k: string): string =>
    w[k] === undefined ? '' : typeof w[k] === 'string' ? (w[k] as string) : JSON.stringify(w[k]);
  if (m.kind === 'value') return `= ${text('value')}`;
  const rest = (but: string[]): string =>
    Object.keys(w)
      .filter((k) => !but.includes(k))
      .map((k) => `${k} ${text(k)}`)
      .join(', ');
  if (m.kind === 'fact')
    return `${text('fact')}${rest(['fact', 'name', 'doc']) ? `: ${rest(['fact', 'name', 'doc'])}` : ''}`;
  const what = text('expression') || text('of');
  const figure = w.take === undefined && !['C', 'Cdot', 'C and Cdot', 'error'].includes(what) && !w.expression;
  const more = rest(['name', 'run', 'of', 'expression', 'take', 'doc', 'vary']);
  const v = w.vary as Record<string, unknown> | undefined;
  const vary = v
    ? `; x from ${String(v.from)} to ${String(v.to)} by ${String(v.by ?? 1)}, ${String(v.collect ?? 'max')}` +
      (v.where ? ` where ${String(v.where)}` : '')
    : '';
  return `${figure ? '' : `${text('take') || 'max'} of `}${what}${more ? ` (${more})` : ''}${vary}`;
}

function howMeasured(data: PaperData, c: Claim, plan: PaperData['claims'][number]): HTMLElement {
  const names = new Map(data.runs.map((r) => [r.id, r.name]));
  const table = h(
    'table',
    { class: 'small' },
    h(
      'thead',
      {},
      h(
        'tr',
        {},
        ...['measure', 'what', 'run', 'value'].map((t) =>
          h('th', { scope: 'col', class: t === 'value' ? '' : 'words' }, t),
        ),
      ),
    ),
  );
  const body = h('tbody');
  for (const id of plan.from) {
    const m = data.measures.find((x) => x.id === id);
    if (!m) continue;
    body.append(
      h(
        'tr',
        {},
        h('td', { class: 'words' }, h('code', {}, m.name ?? (id === plan.measure ? 'measured' : ''))),
        h('td', { class: 'words' }, measureWords(m)),
        h('td', { class: 'words' }, names.get(m.run) ?? '\u2013'),
        h('td', {}, valueOf(m.result, m.result_reason, 5)),
      ),
    );
  }
  table.append(body);
  const judged =
    plan.holds !== undefined
      ? ['The claim holds if ', h('code', {}, String(plan.holds)), '.']
      : plan.agree
        ? [`The claim holds if the value agrees with that of the paper: ${tolerance(plan.agree)}.`]
        : [];
  return h(
    'div',
    {},
    judged.length ? h('p', {}, ...judged) : null,
    plan.ours_tolerance
      ? h('p', {}, `Here it is expected to be ${shown(plan.ours, undefined, 5)}: ${tolerance(plan.ours_tolerance)}.`)
      : null,
    scroller('measures', table),
    c.seconds ? h('p', { class: 'note' }, `${number(c.seconds, 2)} s of processor time.`) : null,
  );
}

/* ---- what stands on top: verdicts and words ----------------------------------------------------------------- */

function filters(groups: Group[], all: number): HTMLElement {
  const on = new Set<Verdict>(VERDICTS);
  let odd = false;
  const told = h('span', { role: 'status', class: 'told' });
  const search = h('input', { type: 'search', placeholder: 'Search claims', 'aria-label': 'search claims' });
  const none = h('p', { class: 'note', hidden: true }, 'Nothing is left: loosen the filters.');
  const apply = (): void => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let n = 0;
    for (const g of groups) {
      let some = false;
      for (const { claim: c, card } of g.items) {
        const text = [c.id, c.what, c.where, c.paper, c.why, c.differs, c.failure].join(' ').toLowerCase();
        const show = on.has(c.verdict) && (!odd || !c.as_expected) && words.every((w) => text.includes(w));
        card.hidden = !show;
        some ||= show;
        if (show) n++;
      }
      g.root.hidden = g.link.hidden = !some;
    }
    told.textContent = n === all ? plural(n, 'claim') : `${n} of ${plural(all, 'claim')}`;
    none.hidden = n > 0;
  };
  const box = h('div', { class: 'filters', role: 'search' }, search);
  for (const v of VERDICTS) {
    const n = groups.reduce((sum, g) => sum + g.items.filter((i) => i.claim.verdict === v).length, 0);
    if (!n) continue;
    const check = h('input', { type: 'checkbox', checked: true });
    check.addEventListener('change', () => {
      if (check.checked) on.add(v);
      else on.delete(v);
      apply();
    });
    box.append(h('label', { class: `chip v-${v}` }, check, h('span', {}, `${SIGN[v]} ${WORD[v]}, ${n}`)));
  }
  if (groups.some((g) => g.items.some((i) => !i.claim.as_expected))) {
    const check = h('input', { type: 'checkbox' });
    check.addEventListener('change', () => {
      odd = check.checked;
      apply();
    });
    box.append(h('label', { class: 'chip' }, check, h('span', {}, '\u26a0 only what is not as expected')));
  }
  search.addEventListener('input', apply);
  box.append(told);
  apply();
  return h('div', { class: 'filter-bar' }, box, none);
}

/* ---- figures ------------------------------------------------------------------------------------------------ */

const SIGNALS = ['C', 'Cdot', 'C and Cdot', 'error'];
const MOST_CURVES = 12;

function figures(data: PaperData, g: Group): void {
  const ids = new Set(g.items.flatMap((i) => data.claims[i.at].from));
  const measures = data.measures.filter((m) => ids.has(m.id));
  const wanted = new Set(measures.filter((m) => m.kind === 'run').map((m) => m.run));
  const runs = data.runs.filter((r) => wanted.has(r.id) && r.t && r.t.length > 2);
  const host = h('div', { class: 'figures' });
  const makers: (() => void)[] = [];
  for (const f of overSteps(data, measures)) makers.push(() => new Scatter(cellOf(host), f.series, f.options));
  for (const m of measures)
    if (m.kind === 'varied' && m.points && m.points.length > 1) makers.push(() => sweep(cellOf(host), data, m));
  const some = (key: 'C' | 'Cdot' | 'error'): StudyRun[] =>
    runs.filter((r) => samples(r.t, r[key]).y.some((v) => v > 0));
  const asks = (word: string): boolean =>
    measures.some((m) => m.kind === 'run' && String(m.as_written.of ?? '').includes(word));
  /* runs of very different length are not drawn on one axis */
  const spans = [...new Set(runs.map(lengthOf))].sort((a, b) => a - b).filter((v, i, all) => !i || v > 3 * all[i - 1]);
  const spanOf = (r: StudyRun): number => spans.filter((v) => v <= lengthOf(r)).length - 1;
  const syncs = spans.map(() => new Sync());
  const curves = (key: 'C' | 'Cdot' | 'error', title: string, label: string): void =>
    spans.forEach((_, k) => {
      const all = some(key).filter((r) => spanOf(r) === k);
      if (!all.length) return;
      const longest = Math.max(...all.map(lengthOf));
      makers.push(() => {
        const at = cellOf(host);
        const series: Series[] = all.slice(0, MOST_CURVES).map((r) => ({ label: r.name, ...samples(r.t, r[key]) }));
        new Chart(at, series, {
          title: spans.length > 1 ? `${title}, to ${number(longest, 3)} s` : title,
          x: { label: 't', unit: 's' },
          y: { label, log: true, floor: 1e-17 },
          height: 240,
          sync: syncs[k],
        });
        if (all.length > MOST_CURVES)
          at.append(h('p', { class: 'note' }, `Of ${all.length} runs the first ${MOST_CURVES}.`));
      });
    });
  if (asks('error')) curves('error', 'Error over time', 'error');
  /* at roundoff there is nothing to see, unless it is asked for */
  const seen = runs.some((r) => samples(r.t, r.C).y.some((v) => v > 1e-12));
  if (asks('C') || (!asks('error') && seen)) curves('C', 'Violation of positions over time', 'largest |C|');
  if (asks('Cdot')) curves('Cdot', 'Violation of velocities over time', 'largest |C\u2032|');
  if (!makers.length) return;
  g.root.append(host);
  g.root.classList.add('seen');
  host.style.minHeight = '240px';
  whenSeen(host, () => {
    host.style.minHeight = '';
    for (const make of makers) make();
  });
}

function lengthOf(r: StudyRun): number {
  return typeof r.settings.until === 'number' ? r.settings.until : (r.t?.[r.t.length - 1] ?? 0);
}

function cellOf(host: HTMLElement): HTMLElement {
  const at = h('div');
  host.append(at);
  return at;
}

interface Figure {
  series: DotSeries[];
  options: ConstructorParameters<typeof Scatter>[2];
}

/* the same measured on runs that differ by their step or tolerance */
function overSteps(data: PaperData, measures: Measure[]): Figure[] {
  const byId = new Map(data.runs.map((r) => [r.id, r]));
  const out: Figure[] = [];
  const kinds = new Map<string, Measure[]>();
  for (const m of measures) {
    if (m.kind !== 'run' || !SIGNALS.includes(String(m.as_written.of)) || !(m.result !== null && m.result > 0))
      continue;
    const { run: _run, name: _name, doc: _doc, ...rest } = m.as_written;
    const key = JSON.stringify(rest);
    kinds.set(key, [...(kinds.get(key) ?? []), m]);
  }
  for (const [key, list] of kinds)
    for (const by of ['step', 'rtol'] as const) {
      const lines = new Map<string, { run: StudyRun; dots: Map<number, [number, string]> }>();
      for (const m of list) {
        const run = byId.get(m.run);
        const x = run?.settings[by];
        if (!run || typeof x !== 'number') continue;
        const { [by]: _by, atol, until: _until, every: _every, repeat: _repeat, ...same } = run.settings;
        const line = JSON.stringify([same, by === 'rtol' ? 0 : atol, run.set]);
        if (!lines.has(line)) lines.set(line, { run, dots: new Map() });
        lines.get(line)?.dots.set(x, [m.result as number, run.name]);
      }
      const good = [...lines.values()].filter((l) => l.dots.size > 1);
      if (!good.length) continue;
      const labels = apart(good.map((l) => l.run));
      const what = JSON.parse(key) as Record<string, unknown>;
      const signal: Record<string, string> = { C: '|C|', Cdot: '|C\u2032|' };
      const name = `${String(what.take ?? 'max')} of ${signal[String(what.of)] ?? String(what.of)}`;
      out.push({
        series: good.map((l, i) => ({
          name: labels[i],
          color: i,
          dots: [...l.dots]
            .sort((a, b) => a[0] - b[0])
            .map(([x, [y, run]]) => ({
              x,
              y,
              label: '',
              about: `${run}: ${name} ${number(y, 4)} at ${by} ${number(x, 3)}`,
            })),
        })),
        options: {
          title: `${name} over ${by === 'step' ? 'the step' : 'the tolerance'}`,
          x: { label: by === 'step' ? 'step [s]' : 'rtol', log: true },
          y: { label: name, log: true },
          slopes: by === 'step',
          height: 300,
        },
      });
    }
  return out;
}

/* by what runs differ from one another */
function apart(runs: StudyRun[]): string[] {
  if (runs.length === 1)
    return [
      ['method', 'formulation', 'stabilize', 'integrator']
        .map((k) => short(runs[0].settings[k]))
        .filter(Boolean)
        .join(', ') || runs[0].name,
    ];
  const keys = [...new Set(runs.flatMap((r) => Object.keys(r.settings)))].filter(
    (k) => !['step', 'rtol', 'atol', 'until', 'every', 'repeat'].includes(k),
  );
  const differ = keys.filter((k) => new Set(runs.map((r) => JSON.stringify(r.settings[k]))).size > 1);
  const names = runs.map((r) =>
    differ
      .map((k) => short(r.settings[k]))
      .filter(Boolean)
      .join(', '),
  );
  return new Set(names).size === runs.length && names.every(Boolean) ? names : runs.map((r) => r.name);
}
function short(v: unknown): string {
  if (Array.isArray(v)) return v.map(short).join(' + ');
  return v === undefined ? '' : typeof v === 'string' ? v.replace(/^.*\//, '') : JSON.stringify(v);
}

function sweep(host: HTMLElement, data: PaperData, m: Measure): void {
  const run = data.runs.find((r) => r.id === m.run);
  const points = m.points ?? [];
  const sizes = points.map((p) => p[1]).filter((v): v is number => v !== null && v > 0);
  const log =
    sizes.length > 0 &&
    sizes.length === points.filter((p) => p[1] !== null).length &&
    Math.max(...sizes) > 50 * Math.min(...sizes);
  const where = (m.as_written.vary as Record<string, unknown> | undefined)?.where;
  const dots = (holds: number): DotSeries['dots'] =>
    points
      .filter((p) => p[1] !== null && p[2] === holds)
      .map(([x, y, , failed]) => ({
        x,
        y: y as number,
        label: '',
        about: `x = ${number(x, 4)}: ${number(y as number, 4)}${failed ? ', the run failed' : ''}`,
        hollow: failed === 1,
      }));
  const series: DotSeries[] = where
    ? [
        { name: `where ${String(where)}`, color: 1, dots: dots(1), joined: false },
        { name: 'elsewhere', color: 0, dots: dots(0), joined: false },
      ].filter((one) => one.dots.length)
    : [{ name: m.name ?? 'measured', color: 0, dots: dots(0) }];
  const lost = points.filter((p) => p[1] === null).length;
  if (lost === points.length) return;
  const places = Object.entries({ ...run?.settings, ...Object.assign({}, ...(run?.set ?? [])) })
    .filter(([, v]) => JSON.stringify(v).includes('{x}'))
    .map(([k, v]) => `${k} ${typeof v === 'string' ? v : JSON.stringify(v)}`);
  const base = { ...m.as_written };
  delete base.vary;
  new Scatter(host, series, {
    title: `${m.name ?? 'A sweep'}: run \u201c${run?.name ?? ''}\u201d for every x`,
    x: { label: 'x', log: false },
    y: { label: measureWords({ ...m, kind: 'run', as_written: base }), log },
    height: 260,
    note: [
      places.length ? `${places.join('; ')}.` : '',
      `${plural(points.length, 'run')}; the measure is ${shown(m.result, m.result_reason, 4)}.`,
      lost ? `Not shown: ${plural(lost, 'run')} without a finite value.` : '',
    ]
      .filter(Boolean)
      .join(' '),
  });
}

/* ---- the runs ----------------------------------------------------------------------------------------------- */

function tableOfRuns(data: PaperData): HTMLElement {
  const keys = [...new Set(data.runs.flatMap((r) => Object.keys(r.settings)))];
  const order = ['model', 'method', 'formulation', 'stabilize', 'integrator', 'step', 'rtol', 'until'].filter((k) =>
    keys.includes(k),
  );
  const body = h('tbody');
  for (const r of data.runs)
    body.append(
      h(
        'tr',
        { class: r.failure ? 'failed' : '' },
        h(
          'td',
          { class: 'words' },
          h('span', { class: 'name' }, r.name),
          r.doc ? h('small', {}, r.doc) : null,
          r.failure ? h('span', { class: 'failure' }, r.failure) : null,
        ),
        ...order.map((k) =>
          h(
            'td',
            { class: 'words' },
            typeof r.settings[k] === 'number' ? shown(r.settings[k] as number) : short(r.settings[k]),
          ),
        ),
        h(
          'td',
          { class: 'words' },
          ...r.set.map((one) =>
            h(
              'small',
              {},
              Object.entries(one)
                .map(([k, v]) => `${k} = ${JSON.stringify(v)}`)
                .join('; '),
            ),
          ),
        ),
        h('td', {}, r.steps === undefined ? '\u2013' : count(r.steps)),
        h('td', {}, r.rhs === undefined ? '\u2013' : count(r.rhs)),
        h('td', {}, r.seconds === undefined ? '\u2013' : shown(r.seconds)),
      ),
    );
  const heads = ['run', ...order, 'changed in the model', 'steps', 'rhs', 'cpu [s]'];
  const numeric = new Set(['steps', 'rhs', 'cpu [s]']);
  const table = h(
    'table',
    { class: 'runs' },
    h(
      'thead',
      {},
      h('tr', {}, ...heads.map((t) => h('th', { scope: 'col', class: numeric.has(t) ? '' : 'words' }, t))),
    ),
    body,
  );
  return details(`${plural(data.runs.length, 'run')}, with all that was set`, scroller('runs', table));
}

function references(data: PaperData): HTMLElement {
  const list = h('ul');
  for (const [name, r] of Object.entries(data.references ?? {}))
    list.append(
      h(
        'li',
        {},
        h('strong', {}, name),
        `: ${r.file ? `the file ${r.file}` : `the run ${r.run ?? ''}`}${r.doc ? `. ${r.doc}` : ''}`,
      ),
    );
  return list;
}
