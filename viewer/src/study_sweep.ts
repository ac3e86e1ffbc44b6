/* the page of a sweep: every measure over every parameter, how it is distributed, derivatives, what failed. */
import { h, type Child } from './dom';
import { number } from './format';
import { Scatter, type DotSeries } from './study_scatter';
import { commandLine, copyButton, details, header, plural, scroller, section, shown, valueOf } from './study_parts';
import { place, s, ticksOf, type Scale } from './study_svg';
import type { Num, SweepColumn, SweepData, Tally } from './study_data';

const MOST_DOTS = 1500;
const MOST_ROWS = 200;
const MOST_GROUPS = 8;

type Column = SweepColumn & { number: boolean };

const isNumber = (c: SweepColumn): boolean => c.values.every((v) => typeof v !== 'string');

function table(label: string, heads: string[], rows: Child[][], words: number): HTMLElement {
  return scroller(
    label,
    h(
      'table',
      { class: 'small' },
      h(
        'thead',
        {},
        h('tr', {}, ...heads.map((t, i) => h('th', { scope: 'col', class: i < words ? 'words' : '' }, t))),
      ),
      h(
        'tbody',
        {},
        ...rows.map((row) => h('tr', {}, ...row.map((c, i) => h('td', { class: i < words ? 'words' : '' }, c)))),
      ),
    ),
  );
}

function summary(all: Record<string, Tally>): HTMLElement {
  const heads = ['measure', 'runs', 'least', '5 %', 'median', '95 %', 'largest', 'mean', 'deviation'];
  const rows = Object.entries(all).map(([name, t]) => [
    name,
    String(t.runs),
    ...[t.least, ...t.quantiles, t.largest, t.mean, t.deviation].map((v) => valueOf(v, undefined, 5)),
  ]);
  return section('summary', 'What comes of it', table('summary of every measure', heads, rows, 1));
}

/* how often values fall between two ticks of equal distance */
function histogram(values: number[], name: string): SVGSVGElement {
  const width = 560,
    height = 260,
    bottom = height - 36;
  let min = Math.min(...values),
    max = Math.max(...values);
  if (!(max > min)) [min, max] = [min - (Math.abs(min) * 0.1 || 1), max + (Math.abs(max) * 0.1 || 1)];
  const bins = Math.max(8, Math.min(40, Math.ceil(Math.sqrt(values.length))));
  const count = new Array<number>(bins).fill(0);
  for (const v of values) count[Math.min(bins - 1, Math.floor(((v - min) / (max - min)) * bins))]++;
  const high: Scale = { log: false, min: 0, max: Math.max(...count), from: bottom, to: 10 };
  const ticks = ticksOf(high, 5).filter(({ v }) => Number.isInteger(v));
  const left = 14 + 7 * Math.max(...ticks.map((k) => k.text.length));
  const wide: Scale = { log: false, min, max, from: left, to: width - 16 };
  const svg = s('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': `distribution of ${name}` });
  const words = { 'font-size': 12, fill: 'var(--faint)' };
  for (const { v, text } of ticks) {
    const y = place(high, v);
    svg.append(
      s('line', { x1: left, x2: width - 16, y1: y, y2: y, stroke: 'var(--line)' }),
      s('text', { x: left - 5, y: y + 4, 'text-anchor': 'end', ...words }, text),
    );
  }
  count.forEach((n, i) => {
    const from = min + ((max - min) * i) / bins,
      to = min + ((max - min) * (i + 1)) / bins;
    const x = place(wide, from),
      y = place(high, n);
    svg.append(
      s(
        'rect',
        { x: x + 0.5, y, width: place(wide, to) - x - 1, height: bottom - y, fill: 'var(--c0)' },
        s('title', {}, `${plural(n, 'run')} from ${number(from, 6)} to ${number(to, 6)}`),
      ),
    );
  });
  for (const { v, text } of ticksOf(wide, 6))
    svg.append(s('text', { x: place(wide, v), y: bottom + 15, 'text-anchor': 'middle', ...words }, text));
  svg.append(s('text', { x: (left + width) / 2, y: height - 5, 'text-anchor': 'middle', ...words }, name));
  return svg;
}

function pick(label: string, names: string[], now: number, then: (i: number) => void): HTMLElement {
  const select = h('select', { 'aria-label': label });
  names.forEach((name, i) => select.append(new Option(name, String(i), i === now, i === now)));
  select.addEventListener('change', () => then(Number(select.value)));
  return h('label', {}, `${label} `, select);
}

/* runs that have the same text, or the same of a few numbers, belong together */
function groups(columns: Column[], x: Column, runs: number): { name: string; runs: number[] }[] {
  const kinds = columns
    .filter((c) => c !== x)
    .map((c) => ({ c, n: new Set(c.values).size }))
    .filter(({ n }) => n > 1 && n <= MOST_GROUPS);
  const by = (kinds.find(({ c }) => !c.number) ?? kinds[0])?.c;
  const all = new Map<string, number[]>();
  for (let i = 0; i < runs; i++) {
    const name = by ? `${by.name} ${String(by.values[i])}` : 'all runs';
    const list = all.get(name);
    if (list) list.push(i);
    else all.set(name, [i]);
  }
  return [...all].map(([name, list]) => ({ name, runs: list }));
}

function pictures(data: SweepData): HTMLElement {
  const runs = data.measures[0].values.length;
  const parameters: Column[] = data.parameters.map((c) => ({ ...c, number: isNumber(c) }));
  const measures: Column[] = data.measures.map((c) => ({ ...c, number: true }));
  const counted = { name: 'run', values: Array.from({ length: runs }, (_, i) => 1 + i * data.by), number: true };
  const across: Column[] = [...parameters.filter((c) => c.number), counted, ...measures];
  const now = { x: 0, y: 0 };
  const cloud = h('div'),
    bars = h('div', { class: 'picture' });
  const given = (i: number): string => parameters.map((p) => `${p.name} ${told(p.values[i])}`).join(', ');
  let old: Scatter | undefined;
  const draw = (): void => {
    const x = across[now.x],
      y = measures[now.y];
    const thin = Math.ceil(runs / MOST_DOTS);
    const list = groups(parameters, x, runs);
    const series: DotSeries[] = list.map((g, k) => {
      const kept = g.runs.filter((i) => i % thin === 0 && x.values[i] !== null && y.values[i] !== null);
      const once = new Set(kept.map((i) => x.values[i])).size === kept.length;
      return {
        name: g.name,
        color: k,
        joined: data.sweep.samples === undefined && once && kept.length > 1,
        dots: kept.map((i) => ({
          x: x.values[i] as number,
          y: y.values[i] as number,
          label: '',
          about: `run ${1 + i * data.by}: ${given(i)}: ${y.name} ${told(y.values[i])}`,
        })),
      };
    });
    const values = y.values.filter((v): v is number => typeof v === 'number');
    /* of very different sizes */
    const log = values.length > 1 && Math.min(...values) > 0 && Math.max(...values) > 1000 * Math.min(...values);
    old?.destroy();
    old = new Scatter(cloud, series, {
      title: `${y.name} over ${x.name}`,
      x: { label: x.name, log: x.log === true },
      y: { label: y.name, log },
      note: thin > 1 ? `One of ${thin} runs is shown.` : undefined,
    });
    bars.replaceChildren(
      h('h3', {}, `Distribution of ${y.name}`),
      values.length ? histogram(values, y.name) : 'no values',
    );
  };
  draw();
  return section(
    'values',
    'Values',
    h(
      'p',
      { class: 'buttons' },
      pick('measure', measures.map((c) => c.name), 0, (i) => {
        now.y = i;
        draw();
      }),
      pick('over', across.map((c) => c.name), 0, (i) => {
        now.x = i;
        draw();
      }),
    ),
    h('div', { class: 'pair' }, cloud, bars),
  );
}

const told = (v: Num | string): string => (typeof v === 'string' ? v : shown(v, undefined, 6));

function sensitivities(data: SweepData): HTMLElement {
  const rows = (data.sweep.sensitivities ?? []).map((d) => {
    const share = d.derivative !== null && d.value ? (d.derivative * d.at) / d.value : null;
    return [
      d.parameter,
      d.measure,
      valueOf(d.at, undefined, 5),
      valueOf(d.value, undefined, 6),
      d.failure ? h('span', { class: 'failure' }, d.failure) : valueOf(d.derivative, undefined, 6),
      valueOf(d.error, undefined, 2),
      valueOf(share, undefined, 3),
    ];
  });
  return section(
    'sensitivities',
    'Derivatives',
    table(
      'derivatives of measures by parameters',
      ['parameter', 'measure', 'at', 'value', 'derivative', 'error', '% per %'],
      rows,
      2,
    ),
    h(
      'p',
      { class: 'note' },
      'By central differences of two steps, and Richardson\u2019s rule; the error is an upper estimate.',
    ),
  );
}

function rows(data: SweepData): HTMLElement {
  const n = Math.min(MOST_ROWS, data.measures[0].values.length);
  const columns = [...data.parameters, ...data.measures];
  const list = Array.from({ length: n }, (_, i) => [
    String(1 + i * data.by),
    ...columns.map((c) => h('span', { title: String(c.values[i] ?? 'no value') }, told(c.values[i]))),
  ]);
  return details(
    n * data.by < data.sweep.runs ? `Runs: the first ${n} that are shown` : 'Runs',
    table('runs', ['run', ...columns.map((c) => c.name)], list, 0),
  );
}

export function sweepPage(data: SweepData): HTMLElement {
  const w = data.sweep;
  const fact = (what: string, value: string): HTMLElement => h('div', {}, h('dt', {}, what), h('dd', {}, value));
  const failed = data.failures.length
    ? section(
        'failures',
        'Runs that failed',
        table('runs that failed', ['run', 'why'], data.failures.map(([run, why]) => [String(run), why]), 2),
        w.failed > data.failures.length &&
          h('p', { class: 'note' }, `The first ${data.failures.length} of ${w.failed}.`),
      )
    : null;
  return h(
    'main',
    {},
    header(w.kind === 'sensitivity' ? 'Sensitivity' : 'Sweep', w.title || 'A sweep', [], data.tenon),
    h(
      'dl',
      { class: 'facts' },
      fact('runs', String(w.runs)),
      fact('failed', String(w.failed)),
      w.samples === undefined ? null : fact('samples', `${w.samples}, seed ${w.seed}`),
    ),
    w.kind === 'sensitivity' ? sensitivities(data) : null,
    w.summary && w.failed < w.runs ? summary(w.summary) : null,
    w.kind === 'sensitivity' || w.failed === w.runs ? null : pictures(data),
    failed,
    section(
      'repeat',
      'To repeat it',
      commandLine(data.command, 'the command of this page'),
      h('p', { class: 'note' }, `The same bytes with any number of workers. Fingerprint ${w.fingerprint}`),
      rows(data),
      details(
        'The sweep file',
        h(
          'div',
          { class: 'text' },
          copyButton(() => data.text, 'copy the sweep'),
          h('pre', { tabindex: 0 }, data.text),
        ),
      ),
    ),
  );
}
