/* the plots of a run: those that every run has, and those that the reader asks for. */
import type { Channel, Run } from './data';
import { h } from './dom';
import { icon } from './icons';
import { parse } from './words';
import { Chart, Sync, type Series } from './plot';

export interface Mark {
  x: number;
  label: string;
  kind: string; // event, singular; effort: faint
  many?: { n: number; one: string }; // of those that are counted: so many of it
}

interface Wanted {
  title: string;
  series: () => Series[];
  y: { label: string; unit?: string; log?: boolean; floor?: number };
  lines?: { value: number; label: string }[];
}

const MOST_CURVES = 7;
const TALL = 190;

export class Plots {
  readonly root = h('div', { class: 'plots' });
  readonly sync = new Sync();
  readonly charts: Chart[] = [];
  private list = h('div', { class: 'plot-list' });
  private t: Float64Array;

  constructor(
    private run: Run,
    private marks: Mark[],
    private pick: (x: number) => void,
    private hover: (x: number | null) => void,
  ) {
    this.t = run.time.subarray(0, run.rows);
    this.root.append(this.list);
  }

  private of(c: Channel, color?: number): Series {
    return { label: c.name, unit: c.unit, x: this.t, y: this.run.values(c.section, c.column), color };
  }

  /* those of the start, one after the other, so that nothing else waits for them */
  async start(): Promise<void> {
    for (const wanted of this.first()) {
      this.add(wanted);
      await new Promise((done) => setTimeout(done));
    }
  }

  private *first(): Generator<Wanted> {
    const { run } = this,
      p = run.page;
    if (run.rows < 1) return;
    if (run.hasJoints()) {
      const rows = p.joints.map((j, i) => ({ j, i })).filter(({ j }) => j.rows > 0);
      if (rows.length)
        yield {
          title: rows.length > MOST_CURVES ? `Violation: largest of ${rows.length} joints` : 'Violation',
          series: () => this.worst(rows.map(({ i }) => i)),
          y: { label: 'violation, as the contract scales it', log: true, floor: this.floor() },
          lines: p.contract.position > 0 ? [{ value: p.contract.position, label: 'contract' }] : [],
        };
    }
    const outputs = run.channels().filter((c) => c.section === 'outputs');
    for (const [unit, group] of byUnit(outputs)) {
      const some = group.slice(0, MOST_CURVES);
      const more = group.length - some.length;
      yield {
        title: more
          ? `Outputs (${some.length} of ${group.length})`
          : some.length <= 4
            ? some.map((c) => c.name).join(', ')
            : 'Outputs',
        series: () => some.map((c, i) => this.of(c, i)),
        y: { label: some.length === 1 ? some[0].name : 'outputs', unit },
      };
    }
    if (!outputs.length) yield* this.motion();
    const energy = run.columns('energy');
    const named = (...names: string[]): Channel[] =>
      names.flatMap((n) => {
        const column = energy.findIndex((c) => c.name === n || c.name.endsWith(`.${n}`));
        return column < 0
          ? []
          : [{ section: 'energy' as const, column, name: energy[column].name, unit: energy[column].unit }];
      });
    const kinds = named('kinetic', 'potential', 'total');
    if (kinds.length)
      yield {
        title: 'Energy',
        series: () => kinds.map((c, i) => this.of(c, i)),
        y: { label: 'energy', unit: kinds[0].unit },
      };
    const balance = named('balance');
    if (balance.length)
      yield {
        title: 'Energy balance: what nothing explains',
        series: () => balance.map((c) => this.of(c, 3)),
        y: { label: 'balance', unit: balance[0].unit },
      };
    if (run.hasJoints()) {
      const placed = p.joints.map((_, i) => i).filter((i) => p.joints[i].at.length);
      if (placed.length)
        yield {
          title: placed.length > MOST_CURVES ? `Reactions: largest of ${placed.length} joints` : 'Reactions',
          series: () => this.strongest(placed),
          y: { label: 'force', unit: 'N' },
        };
    }
    if (outputs.length) yield* this.motion();
    const effort = run.columns('effort');
    const some = effort
      .map((c, column) => ({ section: 'effort' as const, column, ...c }))
      .filter((c) => /steps|rejected/.test(c.name));
    if (some.length)
      yield {
        title: 'Effort: steps up to here',
        series: () => some.map((c, i) => this.of({ ...c, unit: '' }, i ? 1 : 6)),
        y: { label: 'steps' },
      };
  }

  /* below roundoff there is nothing to see */
  private floor(): number {
    const allowed = this.run.page.contract.position;
    return allowed > 0 ? Math.min(1e-17, 10 ** Math.floor(Math.log10(allowed) - 5)) : 1e-17;
  }

  private worst(joints: number[]): Series[] {
    const { run } = this;
    const { violation } = run.maxima();
    /* the one that the words name is among them */
    const named = parse(run.page.summary)?.worst_joint;
    const weight = (i: number): number => (run.page.joints[i].name === named ? Infinity : violation[i]);
    const ranked = joints.map((i) => ({ i, m: weight(i) })).sort((a, b) => b.m - a.m);
    const some = ranked.slice(0, MOST_CURVES).sort((a, b) => a.i - b.i);
    return some.map(({ i }, k) => ({
      label: run.page.joints[i].name,
      x: this.t,
      y: run.values('joints', run.jointColumn(i)),
      color: k,
    }));
  }

  private strongest(joints: number[]): Series[] {
    const { run } = this;
    const { force } = run.maxima();
    const ranked = joints.map((i) => ({ i, m: force[i] })).sort((a, b) => b.m - a.m);
    const some = ranked.slice(0, MOST_CURVES).sort((a, b) => a.i - b.i);
    return some.map(({ i }, k) => ({
      label: `|${run.page.joints[i].name}|`,
      unit: 'N',
      x: this.t,
      y: run.force(i),
      color: k,
    }));
  }

  /* where the body goes that goes farthest; in the plane how bodies turn */
  private *motion(): Generator<Wanted> {
    const { run } = this,
      n = run.page.bodies.length;
    if (!n) return;
    const span = this.spans();
    let far = 0;
    const travel = (b: number): number => {
      let s = 0;
      for (let a = 0; a < (run.flat ? 2 : 3); a++) s += span[b * run.stride + a];
      return s;
    };
    for (let b = 1; b < n; b++) if (travel(b) > travel(far)) far = b;
    /* below roundoff nothing goes anywhere */
    if (travel(far) > 1e-9 * run.page.length) yield this.coordinates(far);
    if (!run.flat) return;
    const turned = run.page.bodies.map((_, b) => b).filter((b) => span[3 * b + 2] > 1e-9);
    turned.sort((a, b) => span[3 * b + 2] - span[3 * a + 2]);
    const some = turned.slice(0, MOST_CURVES).sort((a, b) => a - b);
    if (some.length)
      yield {
        title: turned.length > MOST_CURVES ? `Angles: those of ${turned.length} that turn most` : 'Angles',
        series: () =>
          some.map((b, k) => this.of({ section: 'poses', column: 3 * b + 2, ...run.columns('poses')[3 * b + 2] }, k)),
        y: { label: 'angle', unit: 'rad' },
      };
  }

  /* of each number of the poses: largest less smallest, over some rows */
  private spans(): Float64Array {
    const { run } = this,
      pose = run.newPose(),
      n = pose.length,
      low = new Float64Array(n).fill(Infinity),
      high = new Float64Array(n).fill(-Infinity);
    const rows = Math.min(run.rows, 200);
    for (let k = 0; k < rows; k++) {
      run.pose(rows > 1 ? Math.round((k * (run.rows - 1)) / (rows - 1)) : 0, 0, pose);
      for (let i = 0; i < n; i++) {
        if (pose[i] < low[i]) low[i] = pose[i];
        if (pose[i] > high[i]) high[i] = pose[i];
      }
    }
    return high.map((v, i) => v - low[i]);
  }

  private coordinates(body: number): Wanted {
    const { run } = this,
      n = run.flat ? 2 : 3;
    return {
      title: `Position of ${run.body(body)}`,
      series: () =>
        Array.from({ length: n }, (_, a) => {
          const c = run.columns('poses')[body * run.stride + a];
          return {
            label: c.name,
            unit: c.unit || 'm',
            x: this.t,
            y: run.values('poses', body * run.stride + a),
            color: a,
          };
        }),
      y: { label: 'position', unit: 'm' },
    };
  }

  body(i: number): void {
    const { run } = this,
      k = i * run.stride,
      columns = run.columns('poses');
    this.add(this.coordinates(i));
    const rest = columns
      .slice(k, k + run.stride)
      .map((c, a) => ({ c, a }))
      .slice(run.flat ? 2 : 3);
    this.add({
      title: `${run.flat ? 'Angle' : 'Orientation'} of ${run.body(i)}`,
      series: () =>
        rest.map(({ c, a }, n) => ({
          label: c.name,
          unit: c.unit,
          x: this.t,
          y: run.values('poses', k + a),
          color: n,
        })),
      y: { label: run.flat ? 'angle' : 'Euler parameters', unit: run.flat ? 'rad' : '' },
    }).root.scrollIntoView({ block: 'nearest' });
  }

  joint(i: number): void {
    const { run } = this,
      k = run.jointColumn(i),
      columns = run.columns('joints'),
      name = run.page.joints[i].name,
      m = run.flat ? 2 : 3;
    const some = (from: number, to: number): Series[] =>
      columns
        .slice(from, to)
        .map((c, a) => ({ label: c.name, unit: c.unit, x: this.t, y: run.values('joints', from + a), color: a }));
    this.add({ title: `Force at ${name}`, series: () => some(k + 1, k + 1 + m), y: { label: 'force', unit: 'N' } });
    if (run.page.joints[i].rows)
      this.add({
        title: `Violation of ${name}`,
        series: () => some(k, k + 1),
        y: { label: 'violation, as the contract scales it', log: true, floor: this.floor() },
        lines: [{ value: run.page.contract.position, label: 'contract' }],
      }).root.scrollIntoView({ block: 'nearest' });
  }

  /* one chart for each unit */
  channels(chosen: Channel[]): void {
    let last: Chart | null = null;
    for (const [unit, group] of byUnit(chosen))
      for (let i = 0; i < group.length; i += PER_CHART) {
        const some = group.slice(i, i + PER_CHART);
        last = this.add({
          title: some.map((c) => c.name).join(', '),
          series: () => some.map((c, n) => this.of(c, n)),
          y: { label: some.length === 1 ? some[0].name : 'value', unit },
        });
      }
    last?.root.scrollIntoView({ block: 'nearest' });
    last?.root.focus({ preventScroll: true });
  }

  add(w: Wanted): Chart {
    const chart = new Chart(this.list, w.series(), {
      title: w.title,
      x: { label: 't', unit: 's' },
      y: w.y,
      lines: w.lines,
      marks: this.marks,
      height: TALL,
      sync: this.sync,
      onPick: this.pick,
      onHover: this.hover,
    });
    this.charts.push(chart);
    const remove = h(
      'button',
      { type: 'button', class: 'chart-remove', 'aria-label': `remove the plot ${w.title}`, title: 'remove' },
      icon('close'),
    );
    remove.addEventListener('click', () => {
      const i = this.charts.indexOf(chart);
      this.charts.splice(i, 1);
      chart.destroy();
      (this.charts[Math.min(i, this.charts.length - 1)]?.root ?? this.root.querySelector('button'))?.focus();
    });
    chart.root.querySelector('.chart-head')?.append(remove);
    return chart;
  }
}

const PER_CHART = 7;

function byUnit(list: Channel[]): Map<string, Channel[]> {
  const out = new Map<string, Channel[]>();
  for (const c of list) {
    const group = out.get(c.unit);
    if (group) group.push(c);
    else out.set(c.unit, [c]);
  }
  return out;
}

/* a list to search and choose from */
export function picker(run: Run, done: (chosen: Channel[]) => void): HTMLElement {
  const all = run.channels();
  const chosen = new Map<string, Channel>();
  const id = (c: Channel): string => `${c.section} ${c.column}`;
  const search = h('input', {
    type: 'search',
    placeholder: 'crank.x, force, energy …',
    'aria-label': 'search channels',
  });
  const list = h('div', { class: 'picker-list', role: 'group', 'aria-label': 'channels' });
  const note = h('p', { class: 'note' });
  const add = h('button', { type: 'button', class: 'primary' }, 'add');
  const fill = (): void => {
    const parts = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = all.filter((c) => parts.every((w) => `${c.section} ${c.name} ${c.unit}`.toLowerCase().includes(w)));
    list.textContent = '';
    for (const c of found.slice(0, 200)) {
      const box = h('input', { type: 'checkbox' });
      box.checked = chosen.has(id(c));
      box.addEventListener('change', () => {
        if (box.checked) chosen.set(id(c), c);
        else chosen.delete(id(c));
        tell();
      });
      list.append(
        h(
          'label',
          {},
          box,
          h('span', { class: 'picker-name' }, c.name),
          h('span', { class: 'picker-unit' }, c.unit && c.unit !== '1' ? `[${c.unit}]` : ''),
        ),
      );
    }
    note.textContent =
      found.length > 200
        ? `${found.length} channels match; the first 200 are listed`
        : found.length
          ? ''
          : 'no channel matches';
  };
  const tell = (): void => {
    add.disabled = chosen.size === 0;
    add.textContent = chosen.size > 1 ? `add ${chosen.size} channels` : 'add';
  };
  search.addEventListener('input', fill);
  const details = h(
    'details',
    { class: 'picker' },
    h('summary', {}, 'Add a plot'),
    h('div', { class: 'picker-body' }, search, list, note, add),
  );
  add.addEventListener('click', () => {
    done([...chosen.values()]);
    chosen.clear();
    fill();
    tell();
    (details as HTMLDetailsElement).open = false;
  });
  details.addEventListener('toggle', () => {
    if (!(details as HTMLDetailsElement).open) return;
    fill();
    tell();
    search.focus();
  });
  details.addEventListener('keydown', (e) => {
    e.stopPropagation();
    if (e.key !== 'Escape') return;
    (details as HTMLDetailsElement).open = false;
    details.querySelector('summary')?.focus();
  });
  return details;
}
