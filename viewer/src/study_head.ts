/* the top of the page of a paper: where it is to be found, what came of its claims, who checked the values. */
import { h, type Child } from './dom';
import { details, plural, scroller } from './study_parts';
import type { Assumption, ClaimKind, PaperData, Statement, Verdict } from './study_data';

export const VERDICTS: Verdict[] = ['reproduced', 'in-part', 'differs', 'not-decidable'];
export const SIGN: Record<Verdict, string> = {
  reproduced: '\u2713',
  'in-part': '\u00bd',
  differs: '\u2260',
  'not-decidable': '?',
};
export const WORD: Record<Verdict, string> = {
  reproduced: 'reproduced',
  'in-part': 'in part',
  differs: 'differs',
  'not-decidable': 'not decidable',
};
export const KIND: Record<ClaimKind, string> = {
  claim: 'claim of the paper',
  check: 'beyond the paper',
  remark: 'a remark',
};

export function badgeOf(v: Verdict): HTMLElement {
  return h('span', { class: `verdict v-${v}` }, `${SIGN[v]} ${WORD[v]}`);
}

/* authors, title, journal, volume, pages, year, DOI: as far as they are known */
export function citation(data: PaperData): Child[] {
  const p = data.study.publication;
  if (!p) return [];
  const rest = [p.volume, p.pages, p.year].filter(Boolean).join(', ');
  return [
    `${p.authors}: \u201c${p.title}\u201d`,
    p.journal ? ', ' : null,
    p.journal ? h('cite', {}, p.journal) : null,
    rest ? `${p.journal && p.volume ? ' ' : ', '}${rest}` : null,
    p.doi ? `. DOI ${p.doi}` : null,
    '.',
  ];
}

function listed(words: string[]): string {
  return words.length > 1 ? `${words.slice(0, -1).join(', ')} and ${words[words.length - 1]}` : words.join('');
}

/* the paper's claims alone; what is beside them in a sentence of its own */
export function lead(data: PaperData): HTMLElement {
  const s = data.study;
  const n = s.counts;
  const of: Record<Verdict, number> = {
    reproduced: n.reproduced,
    'in-part': n.in_part,
    differs: n.differ,
    'not-decidable': n.not_decidable,
  };
  const one = (v: Verdict, words: [string, string]): string => `${of[v]} ${words[of[v] === 1 ? 0 : 1]}`;
  const verb: Record<Verdict, [string, string]> = {
    reproduced: ['is reproduced', 'are reproduced'],
    'in-part': ['is reproduced in part', 'are reproduced in part'],
    differs: ['differs', 'differ'],
    'not-decidable': ['cannot be decided', 'cannot be decided'],
  };
  const list = listed(VERDICTS.filter((v) => of[v]).map((v) => one(v, verb[v])));
  const bar = h('div', { class: 'bar', role: 'img', 'aria-label': list });
  for (const v of VERDICTS)
    if (of[v]) bar.append(h('span', { class: `v-${v}`, style: `flex-grow:${of[v]}` }, `${SIGN[v]} ${of[v]}`));
  const explained = n.outside - n.unexplained;
  const odd = s.rows.filter((r) => !r.as_expected).length;
  const left = data.rows_in_all - s.rows.length;
  const beside = [
    n.checks ? plural(n.checks, 'check beyond the paper', 'checks beyond the paper') : '',
    n.remarks ? plural(n.remarks, 'remark') : '',
  ].filter(Boolean);
  return h(
    'section',
    { class: 'lead', 'aria-label': 'in short' },
    h(
      'p',
      { class: 'say' },
      n.claims ? `Of ${plural(n.claims, 'claim')} of the paper, ${list}.` : 'No claim of the paper was run.',
    ),
    n.claims ? bar : null,
    h(
      'p',
      { class: 'beside' },
      `${plural(explained, 'value')} outside the independent check, explained.`,
      n.assumed ? ` An assumption decides ${plural(n.assumed, 'claim')}.` : '',
      beside.length ? ` Counted apart: ${listed(beside)}.` : '',
    ),
    h(
      'p',
      { class: odd ? 'remark bad' : 'remark' },
      odd ? `\u26a0 Not as the study expects: ${plural(odd, 'row')}.` : 'All verdicts and values are as the study expects.',
      left ? ` ${plural(left, 'row')} of ${data.rows_in_all} ${left === 1 ? 'was' : 'were'} left out of this run.` : '',
    ),
    data.doc ? h('p', { class: 'doc' }, data.doc) : null,
    s.check ? h('p', { class: 'doc' }, h('strong', {}, 'The independent check. '), s.check) : null,
  );
}

/* every claim with the rows that are evidence of it */
export function tableOfClaims(data: PaperData): HTMLElement {
  const rows = data.study.rows;
  const line = (c: Statement): HTMLElement =>
    h(
      'tr',
      { class: `k-${c.kind}` },
      h('td', { class: 'words wide' }, c.kind === 'claim' ? null : h('small', {}, KIND[c.kind]), c.what),
      h('td', { class: 'words wide' }, c.where),
      h('td', { class: 'words' }, badgeOf(c.verdict)),
      h(
        'td',
        { class: 'words' },
        ...rows.flatMap((r, i) => (r.claim === c.name ? [h('a', { href: `#c-${i}`, title: r.id }, SIGN[r.verdict]), ' '] : [])),
      ),
    );
  const table = (kinds: ClaimKind[]): HTMLElement =>
    h(
      'table',
      { class: 'claims-table' },
      h(
        'thead',
        {},
        h('tr', {}, ...['claim', 'where', 'verdict', 'rows'].map((t) => h('th', { scope: 'col', class: 'words' }, t))),
      ),
      h('tbody', {}, ...data.study.claims.filter((c) => kinds.includes(c.kind)).map(line)),
    );
  const more = data.study.claims.filter((c) => c.kind !== 'claim').length;
  return h(
    'div',
    {},
    scroller('claims of the paper', table(['claim'])),
    more
      ? details(
          `${plural(more, 'check or remark', 'checks and remarks')} beside them`,
          scroller('checks and remarks', table(['check', 'remark'])),
        )
      : null,
  );
}

/* each with what else was tried, and how far verdicts depend on it */
export function tableOfAssumptions(data: PaperData): HTMLElement {
  const at = new Map(data.study.rows.map((r, i) => [r.id, i]));
  const row = (id: string): Child => (at.has(id) ? h('a', { href: `#c-${at.get(id)}` }, id) : id);
  const tried = (a: Assumption): Child[] =>
    a.not_varied
      ? [h('p', {}, `not varied: ${a.not_varied}`)]
      : a.variations.map((v) =>
          h(
            'p',
            {},
            `${v.to}: `,
            v.changes.length
              ? `${plural(v.changes.length, 'verdict')} of ${plural(v.rows, 'row')} ${v.changes.length === 1 ? 'changes' : 'change'}`
              : `no verdict of ${plural(v.rows, 'row')} changes`,
            ...v.changes.map((c) => h('small', {}, row(c.row), `: ${WORD[c.to]}`)),
          ),
        );
  const line = (a: Assumption): HTMLElement =>
    h(
      'tr',
      {},
      h('td', { class: 'words wide' }, a.what),
      h('td', { class: 'words wide' }, a.used, h('small', {}, a.why)),
      h('td', { class: 'words wide' }, ...tried(a)),
      h('td', {}, String(a.rows)),
    );
  const heads = ['what', 'used, and why', 'with another choice', 'rows that rest on it'];
  return scroller(
    'what had to be assumed',
    h(
      'table',
      { class: 'assumptions' },
      h('thead', {}, h('tr', {}, ...heads.map((t) => h('th', { scope: 'col', class: 'words' }, t)))),
      h('tbody', {}, ...data.study.assumptions.map(line)),
    ),
  );
}
