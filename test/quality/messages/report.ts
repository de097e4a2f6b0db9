import { type Estimate, estimate } from '../bootstrap.ts';
import { NDCG_AT, RECALL_AT, type Scores, scoresOf } from '../metrics.ts';
import { gradesOf, type JudgedQuery, judgedQueries } from './corpus.ts';
import type { Rankings } from './rankings.ts';

/** A judged query with what each ranking made of it. */
export interface Measured {
  readonly query: JudgedQuery;
  readonly method: string;
  readonly scores: Readonly<Record<RankingName, Scores>>;
  /** How many of the first ten nobody has graded. */
  readonly ungraded: number;
}

const NAMES = ['served', 'newest', 'equalWeights', 'anyWord'] as const;
type RankingName = (typeof NAMES)[number];
const MEASURES = ['ndcg', 'rr', 'recall'] as const;

export async function measure(rankings: Rankings): Promise<Measured[]> {
  const measured: Measured[] = [];
  for (const query of judgedQueries()) {
    const grades = gradesOf(query);
    const scores: Partial<Record<RankingName, Scores>> = {};
    for (const name of NAMES) scores[name] = scoresOf(await rankings[name](query), grades);
    const top = (await rankings.served(query)).slice(0, NDCG_AT);
    measured.push({
      query,
      method: rankings.methods.get(query.id) ?? '?',
      scores: scores as Record<RankingName, Scores>,
      ungraded: top.filter((id) => !grades.has(id)).length,
    });
  }
  return measured;
}

/** The means of one ranking over some queries. */
export function means(measured: readonly Measured[], name: RankingName): Readonly<Record<(typeof MEASURES)[number], Estimate>> {
  const of = (measureName: (typeof MEASURES)[number]): Estimate => estimate(measured.map(({ scores }) => scores[name][measureName]));
  return { ndcg: of('ndcg'), rr: of('rr'), recall: of('recall') };
}

const TITLES = { served: 'as served', newest: 'same rows, newest first', equalWeights: 'subject and body alike', anyWord: 'any word instead of all' } as const;

/** All measurements as Markdown. The corpus and the engine decide every digit: no clock, no chance without a seed. */
export function reportOf(measured: readonly Measured[]): string {
  const split = (name: JudgedQuery['split']): Measured[] => measured.filter(({ query }) => query.split === name);
  return [
    '# Measured quality of message search',
    '',
    'Written by `npx vitest run test/quality -u`; [search-quality.md](../search-quality.md) explains it.',
    '',
    ...splitTables('Tuning queries', split('tuning')),
    ...splitTables('Held-out queries', split('held_out')),
    ...classTable(measured),
    ...queryTable(measured),
  ].join('\n');
}

function splitTables(title: string, measured: readonly Measured[]): string[] {
  const rows = NAMES.map((name) => {
    const { ndcg, rr, recall } = means(measured, name);
    return `| ${TITLES[name]} | ${interval(ndcg)} | ${interval(rr)} | ${interval(recall)} |`;
  });
  const differences = NAMES.slice(1).map((name) => {
    const cells = MEASURES.map((one) => signed(estimate(measured.map(({ scores }) => scores.served[one] - scores[name][one]))));
    return `| as served, less ${TITLES[name]} | ${cells.join(' | ')} |`;
  });
  const head = [`| ranking | NDCG@${NDCG_AT} | MRR | Recall@${RECALL_AT} |`, '|---|---|---|---|'];
  const ungraded = measured.reduce((sum, one) => sum + one.ungraded, 0);
  return [`## ${title} (${measured.length})`, '', ...head, ...rows, ...differences, '', `Results among the first ten that nobody has graded: ${ungraded}.`, ''];
}

function classTable(measured: readonly Measured[]): string[] {
  const classes = [...new Set(measured.map(({ query }) => query.class))].toSorted();
  const rows = classes.map((name) => {
    const mine = measured.filter(({ query }) => query.class === name);
    const average = (one: (typeof MEASURES)[number]): string => fixed(mine.reduce((sum, { scores }) => sum + scores.served[one], 0) / mine.length);
    return `| ${name} | ${mine.length} | ${average('ndcg')} | ${average('rr')} | ${average('recall')} |`;
  });
  return ['## By class, as served', '', `| class | queries | NDCG@${NDCG_AT} | MRR | Recall@${RECALL_AT} |`, '|---|---|---|---|---|', ...rows, ''];
}

function queryTable(measured: readonly Measured[]): string[] {
  const rows = measured.map(({ query, method, scores: { served, anyWord } }) => {
    const cells = [
      query.id,
      `\`${query.text.replaceAll('|', '\\|')}\``,
      query.class,
      method,
      ...MEASURES.map((one) => fixed(served[one])),
      fixed(anyWord.ndcg),
    ];
    return `| ${cells.join(' | ')} |`;
  });
  const head = `| query | text | class | method | NDCG@${NDCG_AT} | RR | Recall@${RECALL_AT} | NDCG@${NDCG_AT}, any word |`;
  return ['## Every query', '', head, '|---|---|---|---|---|---|---|---|', ...rows, ''];
}

const fixed = (value: number): string => value.toFixed(3);
const interval = ({ mean, low, high }: Estimate): string => `${fixed(mean)} [${fixed(low)}, ${fixed(high)}]`;
const sign = (value: number): string => `${value < 0 ? '−' : '+'}${fixed(Math.abs(value))}`;
const signed = ({ mean, low, high }: Estimate): string => `${sign(mean)} [${sign(low)}, ${sign(high)}]`;
