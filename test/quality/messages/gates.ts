import { type Estimate, estimate } from '../bootstrap.ts';
import { NDCG_AT, RECALL_AT } from '../metrics.ts';
import type { MeasuredMode, ModeScores } from './modes.ts';

type Modes = Partial<Record<MeasuredMode, ModeScores>>;
type Figure = 'ndcg' | 'rr' | 'recallTop' | 'recall' | 'ndcgDeep';

interface Gate {
  readonly mode: MeasuredMode;
  readonly figure: string;
  /** Compared with this mode, and as much as this above it; alone, at least this. */
  readonly against?: MeasuredMode;
  readonly least: number;
  readonly needs?: 'model';
  /** One value for each query; means are compared. */
  readonly values: (mode: ModeScores, against: ModeScores | undefined) => readonly number[];
}

const scored =
  (figure: Figure): Gate['values'] =>
  ({ scores }, against) =>
    scores.map((one, at) => one[figure] - (against?.scores[at]?.[figure] ?? 0));
const jaccard: Gate['values'] = ({ ids }, against) => ids.map((mine, at) => overlap(mine, against?.ids[at] ?? []));

const NAMES = { ndcg: `NDCG@${NDCG_AT}`, rr: 'MRR', recallTop: `Recall@${NDCG_AT}`, recall: `Recall@${RECALL_AT}`, ndcgDeep: 'NDCG@50' } as const;
const against = (mode: MeasuredMode, other: MeasuredMode, figure: Figure, least: number): Gate => ({
  ...{ mode, against: other, figure: NAMES[figure], least, values: scored(figure) },
  ...(mode === 'tantivy' ? {} : { needs: 'model' as const }),
});

/**
 * The gates of the quality specification (notes: message-search.md 7), with Recall@20 for Recall@50, since a query has some
 * 20 grades. Those of vectors are about meaning, which hashed words have none of.
 */
const GATES: readonly Gate[] = [
  { mode: 'fts5', figure: NAMES.ndcg, least: 0.5, values: scored('ndcg') },
  { mode: 'tantivy', figure: NAMES.ndcg, least: 0.5, values: scored('ndcg') },
  against('tantivy', 'fts5', 'ndcg', 0),
  against('tantivy', 'fts5', 'rr', 0),
  against('tantivy', 'fts5', 'recall', 0),
  against('tantivy', 'fts5', 'ndcgDeep', -0.02),
  { mode: 'tantivy', against: 'fts5', figure: 'Jaccard@50', least: 0.8, values: jaccard },
  { mode: 'semantic', figure: NAMES.ndcg, least: 0.65, needs: 'model', values: scored('ndcg') },
  { mode: 'semantic', figure: NAMES.recallTop, least: 0.4, needs: 'model', values: scored('recallTop') },
  against('hybrid', 'tantivy', 'ndcg', 0.03),
  against('hybrid', 'tantivy', 'rr', 0),
  against('hybrid', 'tantivy', 'recall', 0),
  against('hybrid_rerank', 'hybrid', 'ndcg', 0),
  against('hybrid_rerank', 'hybrid', 'rr', 0.02),
];

export type Verdict = 'passed' | 'FAILED' | 'NOT MEASURED';

export interface GateResult {
  readonly gate: string;
  readonly wanted: string;
  /** A mean with its 95 % interval; without it nothing could be asked. */
  readonly value: Estimate | undefined;
  readonly verdict: Verdict;
}

/** @param hasModel whether the vectors are those of a model; a gate that needs one is not measured without it, whatever its figure is */
export function judgeGates(modes: Modes, hasModel: boolean): GateResult[] {
  return GATES.map(({ mode, against: other, figure, least, needs, values }) => {
    const [mine, theirs] = [modes[mode], other === undefined ? undefined : modes[other]];
    const isThere = mine !== undefined && (other === undefined || theirs !== undefined);
    const value = isThere ? estimate(values(mine, theirs)) : undefined;
    const judged = value !== undefined && (needs === undefined || hasModel);
    return {
      gate: `${mode}: ${figure}${other === undefined ? '' : `, ${figure.startsWith('Jaccard') ? 'with' : 'less that of'} ${other}`}`,
      wanted: `>= ${least}`,
      value,
      verdict: !judged ? 'NOT MEASURED' : value.mean >= least ? 'passed' : 'FAILED',
    };
  });
}

const FIGURES = ['ndcg', 'rr', 'recallTop', 'recall', 'ndcgDeep'] as const;
const digits = ({ mean, low, high }: Estimate): string => `${mean.toFixed(3)} [${low.toFixed(3)}, ${high.toFixed(3)}]`;

/** All figures and gates as Markdown. */
export function gatesText(modes: Modes, hasModel: boolean): string {
  const vectors = hasModel ? 'of the model' : '**of the hash embedder (`fnv1a-384`), which is not semantic: it finds shared words, no meaning**';
  const rows = Object.entries(modes).map(
    ([mode, { scores }]) => `| ${[mode, ...FIGURES.map((figure) => digits(estimate(scores.map((one) => one[figure]))))].join(' | ')} |`,
  );
  const gates = judgeGates(modes, hasModel).map(
    ({ gate, wanted, value, verdict }) => `| ${[gate, wanted, value === undefined ? '' : digits(value), verdict].join(' | ')} |`,
  );
  return [
    '# Quality gates of message search',
    '',
    'Printed by `npm run gates`, written by `npx vitest run test/quality -u`; [search-quality.md](../search-quality.md) explains it.',
    'All 48 judged queries; 95 % intervals by bootstrap, differences are paired.',
    `Vectors are those ${vectors}.`,
    '',
    `| mode | ${FIGURES.map((figure) => NAMES[figure]).join(' | ')} |`,
    '|---|---|---|---|---|---|',
    ...rows,
    '',
    '| gate | wanted | measured | verdict |',
    '|---|---|---|---|',
    ...gates,
    '',
  ].join('\n');
}

function overlap(a: readonly number[], b: readonly number[]): number {
  const [mine, theirs] = [new Set(a), new Set(b)];
  const both = [...mine].filter((id) => theirs.has(id)).length;
  const either = mine.size + theirs.size - both;
  return either === 0 ? 1 : both / either;
}
