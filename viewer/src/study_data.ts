/* what the pages of studies hold. src/study/{page,sweep_page}.c and src/report/{stability,surface}.c write it.
 * a number that does not exist is null, with the reason under the same key and `_reason`. */

export type Num = number | null;

export interface CompareRow {
  method: string;
  integrator: string; // '': that of the model
  rtol?: number;
  step?: number;
  failure?: string;
  error: Num;
  error_reason?: string;
  error_final: Num;
  resolved: boolean;
  contract_kept: boolean;
  verdict?: string; // none if it failed
  energy_balance: Num;
  C_max: Num;
  C_rms: Num;
  Cdot_max: Num;
  Cdot_rms: Num;
  steps: number;
  rejected: number;
  rhs: number;
  cpu_seconds: number;
  rank_error: number; // 0: not ranked
  rank_residual: number;
}

export interface Curve {
  t?: number[];
  C?: Num[];
  Cdot?: Num[];
  error?: Num[];
}

export interface CompareData {
  kind: 'compare';
  tenon: string;
  title: string;
  command: string;
  text: string; // the model
  contract: [number, number];
  fixed: boolean;
  outputs: boolean; // errors are of outputs, in their units
  apart: number; // errors are told apart from so many times that of the reference
  compare: {
    model: string;
    reference: { what: string; error: Num; holds_until: number; until: number };
    accuracy: number;
    recommendation: string;
    remark?: string;
    winner: number;
    rows: CompareRow[];
  };
  runs: ({ label: string; run: string } & Curve)[]; // as rows
}

export type Verdict = 'reproduced' | 'in-part' | 'differs' | 'not-decidable'; // in-part: of a claim of several rows
export type ClaimKind = 'claim' | 'check' | 'remark'; // of the paper; beyond it; of our own

/* a claim of the paper, a check beyond it or a remark, with all its rows */
export interface Statement {
  name: string;
  what: string;
  where: string;
  kind: ClaimKind;
  verdict: Verdict;
  rows: number;
  run: number;
}

export interface Counts {
  claims: number;
  reproduced: number;
  in_part: number;
  differ: number;
  not_decidable: number;
  assumed: number; // an assumption decides a row of them
  checks: number;
  remarks: number;
  rows: number;
  outside: number; // values that are not as the independent check has them
  unexplained: number;
}

/* what the paper does not say; `rows`: how many rest on it */
export interface Assumption {
  what: string;
  used: string;
  why: string;
  rows: number;
  not_varied?: string;
  variations: { to: string; rows: number; changes: { row: string; to: Verdict }[] }[];
}

export interface Publication {
  authors: string;
  title: string;
  journal?: string;
  volume?: string;
  pages?: string;
  year?: string;
  doi?: string;
}

export interface Claim {
  id: string;
  what: string;
  where: string;
  claim: string; // name of the statement that it belongs to
  kind: ClaimKind;
  paper: number | string | null;
  measured: Num;
  measured_reason?: string;
  expected: Num;
  expected_reason?: string;
  tolerance: string;
  within: boolean;
  verdict: Verdict;
  foreseen: Verdict;
  as_expected: boolean;
  why: string;
  differs?: string;
  failure?: string;
  own?: Num; // of Tenon's own form, beside that of the paper
  own_reason?: string;
  own_why?: string;
  seconds: Num;
}

export interface Measure {
  id: number;
  kind: 'run' | 'varied' | 'fact' | 'value';
  name?: string;
  run: number; // id; -1: none
  result: Num;
  result_reason?: string;
  failure?: string;
  as_written: Record<string, unknown>;
  points?: [number, Num, number, number][]; // varied: x, value, whether `where` holds, whether the run failed
}

export interface StudyRun extends Curve {
  id: number;
  name: string;
  doc?: string;
  settings: Record<string, unknown>;
  set: Record<string, unknown>[];
  failure?: string;
  t_end?: number;
  seconds?: number;
  steps?: number;
  rhs?: number;
}

export interface PaperFigure {
  id: string;
  figure: number; // its number in the paper
  caption: string;
  state: 'drawn' | 'failed' | 'left-out' | 'not-run';
  left_out?: string; // why it is not drawn
  failure?: string;
  panels?: { title: string; x: string; y: string }[]; // what is on the axes
  svg?: string;
}

export interface PaperData {
  kind: 'paper';
  tenon: string;
  command: string;
  doc?: string;
  rows_in_all: number;
  study: {
    paper: string;
    title: string;
    publication?: Publication;
    check?: string; // who measured what is expected, and with what
    as_expected: boolean;
    counts: Counts;
    claims: Statement[];
    assumptions: Assumption[];
    rows: Claim[];
  };
  claims: {
    measure: number;
    from: number[];
    agree?: string;
    holds?: string | number;
    ours?: Num;
    ours_tolerance?: string;
  }[]; // as rows
  measures: Measure[];
  runs: StudyRun[];
  references?: Record<string, { run?: string; file?: string; doc?: string }>;
  figures?: PaperFigure[]; // in the order of the paper
}

export interface Region {
  order?: number;
  left: number;
  right: number;
  top: number;
  rows: number;
  columns: number[][]; // of each where it becomes stable, and where it no longer is, upwards from the real axis
}

export interface Limits {
  order?: number;
  real_limit: Num;
  imaginary_limit: Num;
  area: Num;
}

export interface Integrator extends Partial<Limits> {
  doc: string;
  integrator: string;
  orders?: Limits[];
  held: { growth_a_1_b_half: Num; stable: { b: number; a_from: Num; a_to: Num }[] };
  regions: Region[];
  gains: [number, number, number][]; // b, a from, a to
}

export interface StabilityData {
  kind: 'stability';
  tenon: string;
  command: string;
  integrators: Integrator[];
}

export interface SurfaceData {
  kind: 'surface';
  tenon: string;
  command: string;
  stabilizer: string;
  both: string;
  infer: string; // sugeno, mamdani
  sets: number[][]; // of x: [centre, sigma] of a bell, or four corners
  sets_rate: number[][]; // of y
  outputs?: number[][]; // output sets of mamdani
  table: number[][]; // by set of x, then of y
  table_x?: number[][]; // slopes of first-order outputs
  table_y?: number[][];
  slope_x: number;
  slope_y: number;
  slope_line: number;
  x: number[];
  y: number[];
  F: number[][];
  line: number[];
}

export interface Tally {
  runs: number;
  least: Num;
  quantiles: Num[]; // 5, 50 and 95 in a hundred
  largest: Num;
  mean: Num;
  deviation: Num;
}

export interface SweepColumn {
  name: string;
  log?: boolean;
  values: (Num | string)[]; // of the runs that are shown: every `by`-th
}

export interface SweepData {
  kind: 'sweep';
  tenon: string;
  command: string;
  text: string; // the file
  by: number;
  sweep: {
    title: string;
    kind: 'table' | 'sensitivity';
    version: string;
    fingerprint: string;
    runs: number;
    failed: number;
    samples?: number;
    seed?: number;
    summary?: Record<string, Tally>;
    sensitivities?: {
      parameter: string;
      measure: string;
      at: number;
      step: number;
      value: Num;
      derivative: Num;
      error: Num;
      failure?: string;
    }[];
  };
  parameters: SweepColumn[];
  measures: SweepColumn[];
  failures: [number, string][]; // run, why: the first of them
}

export type StudyData = CompareData | PaperData | StabilityData | SurfaceData | SweepData;
