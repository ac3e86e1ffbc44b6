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

/* what the run says of itself: `reasons` or `facts` about one thing, in its own sentences */
function sentences(j: Json, key: string, about?: string): string[] {
  return list(j, key)
    .filter(isObject)
    .filter((f) => !about || (str(f, 'about') || 'worth') === about)
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
  const none: Words['verdict'] = { mood: 'unknown', title: '', text: '', reasons: [] };
  const out: Words = { verdict: none, run: [], worth: [], warnings: [], cost: [] };
  const told = (to: Fact[], about: string): void => {
    if (j) for (const text of sentences(j, 'facts', about)) to.push({ text });
  };

  let size = `${plural(p.bodies.length, 'body', 'bodies')} in ${run.flat ? 'the plane' : 'space'}, `;
  size += `${plural(p.joints.length, 'joint')}, ${plural(p.constraints, 'constraint equation')}`;
  out.run.push({ text: `${size}.` });
  told(out.run, 'run');
  if (p.every > 1) out.run.push({ text: `One row of ${count(p.every)} is shown here.` });

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
  told(out.worth, 'worth');
  told(out.worth, 'events');
  told(out.cost, 'cost');
  for (const w of list(j, 'warnings').filter(isObject)) {
    const text = str(w, 'message');
    if (text) out.warnings.push({ text, bad: true });
  }

  const verdict = VERDICTS.get(str(j, 'verdict'));
  const reasons = sentences(j, 'reasons');
  const status = str(j, 'status');
  const contract = isObject(j.contract) ? j.contract : {};
  if (status && status !== 'done') {
    const title = status === 'interrupted' ? 'The run was interrupted' : 'The run stopped';
    out.verdict = { mood: 'bad', title, text: sentences(j, 'facts', 'end').join(' '), reasons };
  } else if (verdict) {
    out.verdict = { ...verdict, reasons };
    told(out.worth, 'end');
  } else if (contract.kept === false) {
    out.verdict = { ...none, mood: 'bad', title: 'Contract broken', text: `${sentence(str(contract, 'broken'))} ${OLDER}` };
  } else {
    out.verdict = { ...none, title: 'No verdict', text: OLDER };
  }

  const cpu = num(j, 'cpu_seconds');
  if (cpu !== null) {
    const parts: [string, number][] = [
      ['assembling', num(j, 'cpu_assemble') ?? 0],
      ['solving', num(j, 'cpu_solve') ?? 0],
      ['projecting', num(j, 'cpu_project') ?? 0],
    ];
    const shares = parts.map(([name, t]) => `${name} ${Math.round((100 * t) / cpu)} %`).join(', ');
    out.cost.push({ text: `${number(cpu, 3)} s of CPU${parts.some(([, t]) => t > 0) ? `: ${shares}` : ''}.` });
  }
  return out;
}

/* from its capital to its full stop */
function sentence(text: string): string {
  const t = text.trim();
  return t && t[0].toUpperCase() + t.slice(1) + (/[.!?]$/.test(t) ? '' : '.');
}
