/* methods compared: which to use, why, and how to see for oneself. */
import { h, type Child } from './dom';
import { count, number } from './format';
import { Chart, Sync, type Series } from './plot';
import {
  choice,
  commandLine,
  copyButton,
  details,
  fileName,
  header,
  plural,
  samples,
  scroller,
  section,
  shown,
  valueOf,
  whenSeen,
} from './study_parts';
import { Scatter, type DotSeries } from './study_scatter';
import type { CompareData, CompareRow, Num } from './study_data';

type Cost = 'cpu_seconds' | 'rhs' | 'steps';

/* methods have colours, in the order they were named */
function methodsOf(data: CompareData): string[] {
  const several = new Set(data.compare.rows.map((r) => r.integrator)).size > 1;
  const names = data.compare.rows.map((r) => nameOf(r, several));
  return [...new Set(names)];
}
function nameOf(r: CompareRow, several: boolean): string {
  return several && r.integrator ? `${r.method}, ${r.integrator}` : r.method;
}
const settingOf = (r: CompareRow): string =>
  r.step !== undefined ? `h = ${number(r.step, 3)}` : r.rtol !== undefined ? `rtol ${number(r.rtol, 3)}` : '';

export function comparePage(data: CompareData): HTMLElement {
  const c = data.compare;
  const several = new Set(c.rows.map((r) => r.integrator)).size > 1;
  const methods = methodsOf(data);
  const colorOf = (r: CompareRow): number => methods.indexOf(nameOf(r, several));
  document.title = `${data.title || fileName(c.model)}: methods compared`;
  const about = [
    h('code', {}, fileName(c.model)),
    ` \u00b7 ${plural(c.rows.length, 'run')} \u00b7 ${number(c.reference.until, 4)} s of motion`,
    ` \u00b7 good enough is an error within ${number(c.accuracy, 3)}`,
  ];
  return h(
    'main',
    {},
    header('Methods compared', data.title || fileName(c.model), about, data.tenon),
    recommendation(data),
    workAndPrecision(data, methods, colorOf),
    drift(data, colorOf),
    tableOfRuns(data, several),
    reference(data),
    section(
      'repeat',
      'To repeat it',
      h('p', {}, 'All of this page:'),
      commandLine(data.command, 'the command of this comparison'),
      c.winner >= 0 ? h('p', {}, 'The run that is recommended:') : null,
      c.winner >= 0 ? commandLine(data.runs[c.winner].run, 'the command of the recommended run') : null,
      details('The model as it was run', modelText(data)),
    ),
  );
}

function modelText(data: CompareData): HTMLElement {
  return h(
    'div',
    { class: 'text' },
    copyButton(() => data.text, 'copy the model'),
    h('pre', { tabindex: 0 }, data.text),
  );
}

function recommendation(data: CompareData): HTMLElement {
  const c = data.compare;
  const ended = c.rows.filter((r) => !r.failure);
  const kept = ended.filter((r) => r.contract_kept).length;
  const good = c.rows.filter(
    (r) => r.rank_error > 0 && r.contract_kept && r.verdict !== 'wrong' && (r.error ?? Infinity) + (c.reference.error ?? 0) <= c.accuracy,
  ).length;
  const fact = (n: string, what: string): HTMLElement => h('div', {}, h('dt', {}, what), h('dd', {}, n));
  return h(
    'section',
    { class: 'lead', 'aria-label': 'recommendation' },
    h('p', { class: 'say' }, c.recommendation),
    c.remark ? h('p', { class: 'remark' }, c.remark) : null,
    c.winner >= 0 ? commandLine(data.runs[c.winner].run, 'the command of the recommended run') : null,
    h(
      'dl',
      { class: 'facts' },
      fact(`${ended.length} of ${c.rows.length}`, 'came to their end'),
      fact(`${kept} of ${ended.length}`, 'kept the contract'),
      fact(`${good} of ${c.rows.length}`, 'are good enough'),
      fact(shown(c.reference.error, undefined, 2), 'error of the reference itself'),
    ),
  );
}

function workAndPrecision(data: CompareData, methods: string[], colorOf: (r: CompareRow) => number): HTMLElement {
  const c = data.compare;
  const words: Record<Cost, string> = { cpu_seconds: 'processor time [s]', rhs: 'right-hand sides', steps: 'steps' };
  const host = h('div');
  const unit = data.outputs ? 'largest error of an output' : 'largest error [lengths of the model]';
  /* of bodies that are ten lengths away it does not matter how far */
  const most = data.outputs ? Infinity : 10,
    least = c.reference.error || 1e-16;
  const isShown = (r: CompareRow): boolean => !r.failure && r.error !== null;
  let chart: Scatter | null = null;
  const draw = (cost: Cost): void => {
    chart?.destroy();
    const series: DotSeries[] = methods.map((name, i) => ({
      name,
      color: i,
      dots: c.rows
        .map((r, k) => ({ r, k }))
        .filter(({ r }) => colorOf(r) === i && isShown(r) && r[cost] > 0)
        .map(({ r, k }) => ({
          x: r[cost],
          y: Math.min(Math.max(r.error as number, least), most),
          label: [(r.error as number) > most ? '\u2191' : '', settingOf(r), k === c.winner ? '(recommended)' : '']
            .filter(Boolean)
            .join(' '),
          about: [
            `${data.runs[k].label}: error ${number(r.error as number, 3)}`,
            `for ${number(r[cost], 3)} ${cost === 'cpu_seconds' ? 's' : words[cost]},`,
            `contract ${r.contract_kept ? 'kept' : 'broken'}`,
          ].join(' '),
          hollow: !r.contract_kept,
          ring: k === c.winner,
        }))
        .sort((a, b) => a.x - b.x),
    }));
    const broken = c.rows.some((r) => !r.contract_kept && isShown(r));
    const beyond = c.rows.some((r) => isShown(r) && (r.error as number) > most);
    chart = new Scatter(host, series, {
      title: `Error over ${words[cost].replace(' [s]', '')}`,
      x: { label: words[cost], log: true },
      y: { label: unit, log: true },
      lines: [{ value: c.accuracy, label: `good enough, ${number(c.accuracy, 3)}` }],
      floor: c.reference.error
        ? {
            value: data.apart * c.reference.error,
            label: `not told apart: the reference may be off by ${number(c.reference.error, 2)}`,
          }
        : undefined,
      note: [
        'Down and to the left is better.',
        broken ? 'A hollow mark: the contract was broken.' : '',
        beyond ? '\u2191: the error is larger than this.' : '',
        c.winner >= 0 ? 'The ring: recommended.' : '',
      ]
        .filter(Boolean)
        .join(' '),
    });
  };
  draw('cpu_seconds');
  const failed = c.rows.filter((r) => !isShown(r)).length;
  return section(
    'work',
    'Work and precision',
    choice<Cost>(
      'cost',
      [
        ['cpu_seconds', 'processor time'],
        ['rhs', 'right-hand sides'],
        ['steps', 'steps'],
      ],
      'cpu_seconds',
      draw,
    ),
    host,
    failed
      ? h(
          'p',
          { class: 'note' },
          `In the table only: ${plural(failed, 'run')} that did not come to ${failed === 1 ? 'its' : 'their'} end.`,
        )
      : null,
  );
}

/* at first the best of each method, and the one that is recommended */
function firstShown(data: CompareData, colorOf: (r: CompareRow) => number): Set<number> {
  const c = data.compare;
  const best = new Map<number, number>();
  c.rows.forEach((r, i) => {
    if (!data.runs[i].t?.length) return;
    const now = best.get(colorOf(r));
    const rank = (k: number): number => c.rows[k].rank_error || Infinity;
    if (now === undefined || rank(i) < rank(now)) best.set(colorOf(r), i);
  });
  const all = new Set([...best.values()].slice(0, 7));
  if (c.winner >= 0) all.add(c.winner);
  return all;
}

function drift(data: CompareData, colorOf: (r: CompareRow) => number): HTMLElement {
  const c = data.compare;
  const host = h('div', { class: 'pair' });
  const on = firstShown(data, colorOf);
  let level: 'C' | 'Cdot' = 'C';
  let charts: Chart[] = [];
  const dashes = [[], [7, 3], [2, 3], [10, 3, 2, 3], [5, 2, 2, 2, 2, 2], [14, 4]];
  const series = (key: 'C' | 'Cdot' | 'error'): Series[] => {
    const used = new Map<number, number>();
    const out: Series[] = [];
    data.runs.forEach((run, i) => {
      const color = colorOf(c.rows[i]);
      const place = used.get(color) ?? 0;
      used.set(color, place + 1);
      if (on.has(i))
        out.push({ label: run.label, ...samples(run.t, run[key]), color, dash: dashes[(color + place) % 6] });
    });
    return out;
  };
  const draw = (): void => {
    for (const one of charts) one.destroy();
    const sync = new Sync();
    const x = { label: 't', unit: 's' };
    const limit = data.contract[level === 'C' ? 0 : 1];
    charts = [
      new Chart(host, series(level), {
        title: level === 'C' ? 'Violation of positions, |C|' : 'Violation of velocities, |C\u2032|',
        x,
        y: {
          label: level === 'C' ? '|C|, as the contract scales it' : '|C\u2032|, as the contract scales it',
          log: true,
          floor: 1e-17,
        },
        lines: [{ value: limit, label: `contract ${number(limit, 2)}` }],
        height: 300,
        sync,
      }),
      new Chart(host, series('error'), {
        title: 'Error of the motion',
        x,
        y: {
          label: data.outputs ? 'error of an output' : 'error [lengths]',
          log: true,
          floor: c.reference.error ?? undefined,
        },
        lines: c.reference.error ? [{ value: data.apart * c.reference.error, label: 'not told apart below' }] : [],
        height: 300,
        sync,
      }),
    ];
  };
  const boxes = new Map<number, HTMLInputElement>();
  const chips = h('div', { class: 'chips', role: 'group', 'aria-label': 'runs shown over time' });
  data.runs.forEach((run, i) => {
    const box = h('input', { type: 'checkbox', checked: on.has(i) });
    box.addEventListener('change', () => {
      if (box.checked) on.add(i);
      else on.delete(i);
      draw();
    });
    boxes.set(i, box);
    chips.append(h('label', { class: 'chip' }, box, h('span', {}, run.label)));
  });
  const set = (which: (i: number) => boolean): void => {
    on.clear();
    for (const [i, box] of boxes) {
      box.checked = which(i);
      if (box.checked) on.add(i);
    }
    draw();
  };
  const best = new Set(on);
  const button = (word: string, which: (i: number) => boolean): HTMLElement =>
    h('button', { type: 'button', click: () => set(which) }, word);
  whenSeen(host, draw);
  return section(
    'drift',
    'Drift over time',
    h(
      'p',
      { class: 'note' },
      'A small violation says only that the parts still touch; whether they are where they should be is the error ',
      'beside it. Drag to zoom, both zoom together.',
    ),
    choice<'C' | 'Cdot'>(
      'violation of',
      [
        ['C', 'positions'],
        ['Cdot', 'velocities'],
      ],
      level,
      (v) => {
        level = v;
        draw();
      },
    ),
    host,
    details(
      `Runs shown here: choose among ${data.runs.length}`,
      h(
        'div',
        { class: 'buttons' },
        button('best of each method', (i) => best.has(i)),
        button('all', () => true),
        button('none', () => false),
      ),
      chips,
    ),
  );
}

interface Column {
  name: string;
  about: string;
  value(r: CompareRow, i: number): Num | string; // what it is sorted by
  cell(r: CompareRow, i: number): Child;
  words?: boolean;
}

function columnsOf(data: CompareData, several: boolean): Column[] {
  const c = data.compare;
  const real = (name: string, about: string, key: keyof CompareRow): Column => ({
    name,
    about,
    value: (r) => r[key] as Num,
    cell: (r) => valueOf(r[key] as Num, r[`${key}_reason` as keyof CompareRow] as string | undefined),
  });
  const whole = (name: string, about: string, key: keyof CompareRow): Column => ({
    name,
    about,
    value: (r) => r[key] as number,
    cell: (r) => h('span', { class: 'num', title: String(r[key]) }, count(r[key] as number)),
  });
  const rank = (name: string, about: string, key: 'rank_error' | 'rank_residual'): Column => ({
    name,
    about,
    value: (r) => r[key] || null,
    cell: (r) => h('span', { class: 'num' }, r[key] ? String(r[key]) : '\u2013'),
  });
  const out: Column[] = [
    rank('rank', 'by error', 'rank_error'),
    {
      name: 'method',
      about: 'a named method, or a stabilizer',
      words: true,
      value: (r) => r.method,
      cell: (r, i) =>
        h(
          'span',
          {},
          h('span', { class: 'name' }, r.method),
          i === c.winner ? h('span', { class: 'badge good' }, '\u2713 recommended') : null,
          r.failure ? h('span', { class: 'failure' }, `failed: ${r.failure}`) : null,
        ),
    },
  ];
  if (several || c.rows.some((r) => r.integrator))
    out.push({
      name: 'integrator',
      about: 'of the steps',
      words: true,
      value: (r) => r.integrator,
      cell: (r) => r.integrator || 'of the model',
    });
  if (c.rows.some((r) => r.step !== undefined)) out.push(real('step [s]', 'fixed', 'step'));
  if (c.rows.some((r) => r.rtol !== undefined)) out.push(real('rtol', 'relative tolerance', 'rtol'));
  out.push(
    {
      name: 'error',
      about: 'largest, against the reference',
      value: (r) => r.error,
      cell: (r) =>
        h(
          'span',
          {},
          valueOf(r.error, r.error_reason),
          r.resolved || r.error === null
            ? null
            : h('abbr', { title: 'too small to be told from that of the reference' }, '*'),
        ),
    },
    real('cpu [s]', 'processor time', 'cpu_seconds'),
    whole('rhs', 'right-hand sides', 'rhs'),
    {
      name: 'contract',
      about: 'whether the constraint contract was kept',
      words: true,
      value: (r) => (r.contract_kept ? 0 : 1),
      cell: (r) =>
        h(
          'span',
          { class: `badge ${r.contract_kept ? 'good' : 'bad'}` },
          r.contract_kept ? '\u2713 kept' : '\u2715 broken',
        ),
    },
    real('max |C|', 'violation of positions', 'C_max'),
    real('rms |C|', 'root of its mean square over time', 'C_rms'),
    real('max |C\u2032|', 'violation of velocities', 'Cdot_max'),
    rank('by C', 'the rank by max |C| alone', 'rank_residual'),
    real('balance', 'of energy, relative', 'energy_balance'),
    real('at the end', 'error at the last time that was compared', 'error_final'),
    whole('steps', 'accepted', 'steps'),
    whole('rejected', 'steps', 'rejected'),
  );
  return out;
}

function tableOfRuns(data: CompareData, several: boolean): HTMLElement {
  const c = data.compare;
  const columns = columnsOf(data, several);
  const body = h('tbody');
  const heads = columns.map((column) => {
    const button = h(
      'button',
      { type: 'button', title: column.about },
      column.name,
      h('span', { class: 'arrow', 'aria-hidden': 'true' }),
    );
    const head = h('th', { scope: 'col', class: column.words ? 'words' : '' }, button);
    button.addEventListener('click', () => sort(column, head.getAttribute('aria-sort') === 'ascending' ? -1 : 1));
    return head;
  });
  const rows = c.rows.map((r, i) => {
    const row = h('tr', { class: i === c.winner ? 'winner' : r.failure ? 'failed' : '' });
    for (const column of columns) row.append(h('td', { class: column.words ? 'words' : '' }, column.cell(r, i)));
    row.append(
      h(
        'td',
        { class: 'words take' },
        copyButton(() => data.runs[i].run, `copy the command of ${data.runs[i].label}`),
      ),
    );
    return { r, i, row };
  });
  /* what has no value comes last, whichever way */
  const sort = (column: Column, way: 1 | -1): void => {
    heads.forEach((head, k) => {
      if (columns[k] === column) head.setAttribute('aria-sort', way > 0 ? 'ascending' : 'descending');
      else head.removeAttribute('aria-sort');
    });
    const none = (v: Num | string): boolean => v === null || v === undefined;
    rows.sort((p, q) => {
      const a = column.value(p.r, p.i),
        b = column.value(q.r, q.i);
      if (none(a) || none(b)) return none(a) && none(b) ? p.i - q.i : none(a) ? 1 : -1;
      const less =
        typeof a === 'string' || typeof b === 'string'
          ? String(a).localeCompare(String(b))
          : (a as number) - (b as number);
      return less * way || p.i - q.i;
    });
    body.replaceChildren(...rows.map((x) => x.row));
  };
  sort(columns[0], 1);
  return section(
    'table',
    'All runs',
    scroller(
      'all runs',
      h(
        'table',
        { class: 'runs' },
        h('thead', {}, h('tr', {}, ...heads, h('th', { scope: 'col', class: 'words take' }, 'command'))),
        body,
      ),
    ),
    h(
      'p',
      { class: 'note' },
      data.outputs
        ? 'Error: largest difference of an output from the reference, in its unit.'
        : 'Error: largest distance of a body from the reference, in lengths of the model, and of unit vectors along ' +
            'its axes.',
      c.rows.some((r) => !r.resolved && r.error !== null) ? ' *: too small to be told from that of the reference.' : '',
      ' C is scaled as the contract does; ',
      h('code', {}, 'tenon run'),
      ' would stop where it says broken. A heading sorts.',
    ),
  );
}

function reference(data: CompareData): HTMLElement {
  const r = data.compare.reference;
  const off = r.error
    ? ` It may be off by ${number(r.error, 2)} itself: errors below ${number(data.apart * r.error, 2)}` +
      ' are not told apart and share a rank.'
    : '';
  const holds =
    r.holds_until < r.until * (1 - 1e-9)
      ? ` It holds up to t = ${number(r.holds_until, 4)} s of ${number(r.until, 4)} s; errors are taken up to there.`
      : '';
  return section(
    'reference',
    'The reference',
    h(
      'p',
      {},
      data.outputs ? 'Errors are taken against the outputs in ' : 'Errors are taken against a run of its own: ',
      h('strong', {}, r.what),
      `.${off}${holds}`,
    ),
  );
}
