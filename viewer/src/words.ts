/* what the summary says, in sentences. it may be missing or cut off: then what is known is told, and that the rest is
 * not. */
import { count, number } from './format';
import type { Run } from './data';

export interface Fact {
  text: string;
  bad?: boolean;
}

export type Mood = 'good' | 'doubt' | 'bad' | 'unknown';

export interface Words {
  verdict: { mood: Mood; title: string; text: string; reasons: string[] };
  run: Fact[];
  worth: Fact[];
  warnings: Fact[];
  cost: Fact[];
}

type Json = Record<string, unknown>;

const isObject = (v: unknown): v is Json => typeof v === 'object' && v !== null && !Array.isArray(v);
const num = (j: Json, key: string): number | null => (typeof j[key] === 'number' ? (j[key] as number) : null);
const str = (j: Json, key: string): string => (typeof j[key] === 'string' ? (j[key] as string) : '');
const list = (j: Json, key: string): unknown[] => (Array.isArray(j[key]) ? (j[key] as unknown[]) : []);
export const plural = (n: number, one: string, many = `${one}s`): string => `${count(n)} ${n === 1 ? one : many}`;

export function parse(summary: string): Json | null {
  if (!summary.trim()) return null;
  try {
    const j: unknown = JSON.parse(summary);
    return isObject(j) ? j : null;
  } catch {
    return null;
  }
}

/* the program's verdict; a word that is none of these is no verdict */
const VERDICTS = new Map<string, { mood: Mood; title: string; text: string }>([
  ['trusted', { mood: 'good', title: 'Trusted', text: 'Every check is within its limit.' }],
  ['doubtful', { mood: 'doubt', title: 'Doubtful', text: 'The motion may be wrong:' }],
  ['wrong', { mood: 'bad', title: 'Wrong', text: 'Do not use the motion:' }],
]);
const OLDER = 'The result has no verdict: it was written by a version before 0.11.';

/* of facts: `reasons` or `facts` */
function sentences(j: Json, key: string): string[] {
  return list(j, key)
    .filter(isObject)
    .map((f) => sentence(str(f, 'sentence')))
    .filter(Boolean);
}

export interface Singular {
  t: number;
  joints: string;
  where: string;
}

/* the first joints of a singular position, and how many more there are */
function jointsOf(s: Json): string {
  const names = list(s, 'joints').filter((n) => typeof n === 'string') as string[];
  const uncounted = s.more_joints === true;
  const more = Math.max(0, names.length - 3) + (uncounted ? 1 : 0);
  return names.slice(0, 3).join(', ') + (more ? ` and ${uncounted ? 'at least ' : ''}${count(more)} more` : '');
}

/* where the rows lost rank on the way; and how many more there were */
export function singularOf(summary: string): { list: Singular[]; more: number } {
  const j = parse(summary) ?? {};
  const all = list(j, 'singular_positions')
    .filter(isObject)
    .map((s) => {
      return { t: num(s, 't') ?? NaN, joints: jointsOf(s), where: str(s, 'where') };
    });
  return { list: all.filter((s) => Number.isFinite(s.t)), more: num(j, 'singular_positions_more') ?? 0 };
}

export function words(run: Run): Words {
  const p = run.page;
  const j = parse(p.summary);
  const what: Fact[] = [];
  const none: Words['verdict'] = { mood: 'unknown', title: '', text: '', reasons: [] };
  const out: Words = { verdict: none, run: what, worth: [], warnings: [], cost: [] };

  let size = `${plural(p.bodies.length, 'body', 'bodies')} in ${run.flat ? 'the plane' : 'space'}, `;
  size += `${plural(p.joints.length, 'joint')}, ${plural(p.constraints, 'constraint equation')}`;
  const free = j ? num(j, 'degrees_of_freedom') : null;
  if (free !== null) size += `, ${plural(free, 'degree')} of freedom`;
  what.push({ text: `${size}.` });

  for (const text of p.missing) out.worth.push({ text: `In the result file ${text}.`, bad: true });
  if (!j) {
    const t = run.rows ? run.time[run.rows - 1] : 0;
    out.verdict = {
      ...none,
      title: p.summary.trim() ? 'The summary cannot be read' : 'The summary is missing',
      text:
        `Shown is what was recorded${run.rows ? ` up to t = ${number(t, 6)} s` : ''}. ` +
        'Whether the contract was kept is not known.',
    };
    out.worth.push({
      text: `Contract: position ${number(p.contract.position)}, velocity ${number(p.contract.velocity)} 1/s.`,
    });
    return out;
  }

  /* what was run */
  const method = str(j, 'method');
  const stabilizers = list(j, 'stabilizers').filter((s) => typeof s === 'string') as string[];
  const made = [str(j, 'formulation'), ...stabilizers].filter(Boolean).join(', ');
  if (method || made) what.push({ text: `Method ${method || 'of its own'}${made ? ` (${made})` : ''}.` });
  const step = num(j, 'step'),
    rtol = num(j, 'rtol'),
    atol = num(j, 'atol');
  const tolerances =
    step !== null
      ? `steps of ${number(step)} s`
      : rtol !== null
        ? rtol === atol
          ? `rtol = atol = ${number(rtol)}`
          : `rtol = ${number(rtol)}${atol !== null ? `, atol = ${number(atol)}` : ''}`
        : '';
  if (str(j, 'integrator'))
    what.push({ text: `Integrator ${str(j, 'integrator')}${tolerances ? `, ${tolerances}` : ''}.` });
  const until = num(j, 'until'),
    every = num(j, 'every'),
    end = num(j, 't_end');
  if (until !== null) {
    let text = `Until ${number(until, 6)} s`;
    if (every) text += `, a row every ${number(every)} s`;
    if (p.every > 1) text += `; here one row of ${count(p.every)} is shown`;
    what.push({ text: `${text}.` });
  }

  /* what it is worth: facts of the run, in its own sentences. files older than verdicts have none */
  const verdict = VERDICTS.get(str(j, 'verdict'));
  const reasons = sentences(j, 'reasons');
  for (const text of sentences(j, 'facts')) out.worth.push({ text });
  const contract = isObject(j.contract) ? j.contract : {};
  const kept = contract.kept === true;
  const worst = num(j, 'max_position_violation'),
    worstV = num(j, 'max_velocity_violation');
  const joint = str(j, 'worst_joint'),
    at = num(j, 'worst_time');
  const position = num(contract, 'position') ?? p.contract.position;
  const velocity = num(contract, 'velocity') ?? p.contract.velocity;
  /* joint and time are of the one that is the larger part of what is allowed; of none where nothing is off */
  const where = joint && at !== null ? ` at joint ‘${joint}’, t = ${number(at, 6)} s` : '';
  const byVelocity = (worstV ?? 0) / velocity > (worst ?? 0) / position || (worst === 0 && (worstV ?? 0) > 0);
  const placeP = worst && !byVelocity ? where : '',
    placeV = byVelocity ? where : '';
  const status = str(j, 'status');
  const message = str(j, 'message');
  const speeds = worstV !== null ? `; of velocities ${number(worstV, 3)} 1/s${placeV} (${number(velocity)})` : '';
  if (!verdict && worst !== null)
    out.worth.push({
      text: `Largest violation ${number(worst, 3)}${placeP} (${number(position)} allowed)${speeds}.`,
      bad: worst > position || (worstV ?? 0) > velocity,
    });
  const balance = num(j, 'energy_balance');
  const kinetic = num(j, 'max_kinetic');
  if (!verdict && balance !== null)
    out.worth.push({
      text: `Energy balance ${number(balance, 3)} of the largest kinetic energy (${number(kinetic ?? NaN, 3)} J).`,
      bad: balance > 1e-3,
    });
  if (!verdict && balance !== null && balance > 1e-3)
    out.worth.push({
      text: 'The energy does not balance: do not trust the motion; tighten the tolerances or the step.',
      bad: true,
    });
  const badOutputs = list(j, 'bad_outputs').filter(isObject);
  for (const x of badOutputs.slice(0, 5))
    out.worth.push({
      text: `Output ‘${str(x, 'name')}’ is not a finite number in ${plural(num(x, 'rows') ?? 0, 'row')}, first at t = ${number(num(x, 'first') ?? NaN, 6)} s.`,
      bad: true,
    });
  if (badOutputs.length > 5)
    out.worth.push({ text: `And ${plural(badOutputs.length - 5, 'other output')} that are not finite numbers.`, bad: true });
  const spent = num(j, 'stabilizer_work');
  if (!verdict && spent !== null && kinetic !== null && spent > 1e-6 * kinetic && spent > 0)
    out.worth.push({ text: `Work of the stabilizer: up to ${number(spent, 3)} J.`, bad: spent > 1e-2 * kinetic });
  const redundant = num(j, 'redundant_rows');
  if (redundant)
    out.worth.push({
      text: `${plural(redundant, 'row')} redundant: loads are shared in more than one way, shown as equally stiff joints would share them.`,
    });
  const singular = list(j, 'singular_positions').filter(isObject);
  const more = num(j, 'singular_positions_more') ?? 0;
  if (singular.length) {
    const first = singular[0];
    const names = jointsOf(first);
    const many = plural(singular.length + more, 'singular position');
    out.worth.push({
      text: `${many}, the first at t = ${number(num(first, 't') ?? NaN, 6)} s${names ? ` (${names})` : ''}.`,
      bad: singular.some((s) => s.same_branch === false),
    });
  }
  if (!redundant && !singular.length) out.worth.push({ text: 'No redundant rows, no singular positions.' });
  for (const w of list(j, 'warnings').filter(isObject)) {
    const text = str(w, 'message');
    if (text) out.warnings.push({ text, bad: true });
  }

  const broken = str(contract, 'broken').replace(/^contract broken:\s*/i, '');
  const sizes = byVelocity
    ? `${number(worstV ?? NaN, 3)} 1/s in velocity${placeV}${worst ? `, ${number(worst, 3)} in position` : ''}`
    : `${number(worst ?? NaN, 3)} in position${placeP}${worstV ? `, ${number(worstV, 3)} 1/s in velocity` : ''}`;
  const off = `${broken ? `First ${broken}; largest` : 'Largest violation'} ${sizes}.`;
  if (status && status !== 'done') {
    const title = status === 'interrupted' ? 'The run was interrupted' : 'The run stopped';
    const when = end !== null ? `At t = ${number(end, 6)} s${until !== null ? ` of ${number(until, 6)} s` : ''}.` : '';
    /* what is said already is not said again */
    const rest = sentence(when ? message.replace(/,? at t = [\d.e+-]+ s(?= - |$)/, '') : message);
    const parts = [when, rest.replace(/\.$/, '') === title ? '' : rest];
    if (!verdict && contract.kept === false && !/contract broken/i.test(message))
      parts.push(`Contract broken: ${off}`);
    out.verdict = { mood: 'bad', title, text: parts.filter(Boolean).join(' '), reasons };
  } else if (verdict) {
    out.verdict = { ...verdict, reasons };
  } else if (contract.kept === false) {
    out.verdict = { ...none, mood: 'bad', title: 'Contract broken', text: `${off} ${OLDER}` };
  } else if (kept) {
    const touch =
      worst === 0
        ? 'No joint was off in position'
        : `The parts touch to ${number(worst ?? NaN, 3)}, ${number(position)} is allowed`;
    out.verdict = {
      ...none,
      title: 'No verdict',
      text: `${OLDER} Contract kept. ${touch}; the energy balances to ${number(balance ?? NaN, 3)}.`,
    };
  } else
    out.verdict = { ...none, title: 'No verdict', text: `${OLDER} Whether the contract was kept is not known.` };

  /* what it cost */
  const n = (key: string): number | null => num(j, key);
  const steps = n('steps'),
    rejected = n('rejected');
  if (steps !== null)
    out.cost.push({ text: `${plural(steps, 'step')}, ${rejected ? count(rejected) : 'none'} rejected.` });
  const rhs = n('rhs'),
    factorizations = n('factorizations');
  if (rhs !== null)
    out.cost.push({
      text: `${plural(rhs, 'right-hand side')}${factorizations ? `, ${plural(factorizations, 'factorization')}` : ''}.`,
    });
  const jacobians = n('jacobians');
  if (jacobians)
    out.cost.push({ text: `${plural(jacobians, 'Jacobian')}, ${plural(n('iterations') ?? 0, 'iteration')}.` });
  const switches = n('switches'),
    guard = n('guard_calls'),
    sets = n('set_changes');
  if (switches) out.cost.push({ text: `${plural(switches, 'switch', 'switches')} of piecewise functions.` });
  if (sets) out.cost.push({ text: `${plural(sets, 'change')} of the independent coordinates.` });
  if (guard) out.cost.push({ text: `The guard was called ${count(guard)} ${guard === 1 ? 'time' : 'times'}.` });
  const cpu = n('cpu_seconds');
  if (cpu !== null) {
    const parts: [string, number][] = [
      ['assembling', n('cpu_assemble') ?? 0],
      ['solving', n('cpu_solve') ?? 0],
      ['projecting', n('cpu_project') ?? 0],
    ];
    const sum = parts.reduce((v, [, t]) => v + t, 0);
    const shares = parts.map(([name, t]) => `${name} ${Math.round((100 * t) / cpu)} %`).join(', ');
    out.cost.push({
      text: `${seconds(cpu)} of CPU for ${number(end ?? NaN, 6)} s of motion${sum > 0 ? `: ${shares}` : ''}.`,
    });
  }
  return out;
}

/* from its capital to its full stop */
function sentence(text: string): string {
  const t = text.trim();
  return t && t[0].toUpperCase() + t.slice(1) + (/[.!?]$/.test(t) ? '' : '.');
}

function seconds(s: number): string {
  return s < 1e-3 ? `${number(s * 1e6, 3)} µs` : s < 1 ? `${number(s * 1e3, 3)} ms` : `${number(s, 3)} s`;
}
