import type { ShadowComparison } from '../../contracts/index.ts';
import type { ShadowGate, ShadowReport } from '../../core/ports/shadow-report.ts';

/** What one engine made of a query. */
export interface ShadowSide {
  /** Ids of the first page, in their order. */
  readonly ids: readonly number[];
  readonly ms: number;
}

/** One query in both engines. */
export interface ShadowTrial {
  readonly text: string;
  readonly serving: ShadowSide;
  /** Why the engine in the shadow did not answer, in place of what it found. */
  readonly shadow: ShadowSide | { readonly error: string };
  /** Whether it was searched as substrings, or not at all: the engines read such texts differently by design. */
  readonly irregular: boolean;
  readonly comparison: ShadowComparison | null;
}

/** Overlap below which a query is shown. */
const APART = 0.6;
const LEAST_OVERLAP = 0.75;
const MAX_RATIO = 2;
const MAX_ERRORS = 0.01;

/** How far two engines agree over many queries. Malformed ones are counted and left out of the means. */
export function shadowReport(trials: readonly ShadowTrial[]): ShadowReport {
  const failed = trials.flatMap(({ text, shadow }) => ('error' in shadow ? [{ text, error: shadow.error }] : []));
  const regular = trials.filter(({ irregular }) => !irregular);
  const pairs = regular.flatMap(({ text, serving, shadow, comparison }) =>
    'error' in shadow || comparison === null ? [] : [{ text, serving, shadow, comparison }],
  );
  const means = (of: (comparison: ShadowComparison) => number): number | null => mean(pairs.map(({ comparison }) => of(comparison)));
  const overlap = means(({ overlap_jaccard }) => overlap_jaccard);
  const ratio = mean(pairs.flatMap(({ serving, shadow }) => (serving.ms > 0 ? [shadow.ms / serving.ms] : [])));
  return {
    queries: trials.length,
    compared: pairs.length,
    irregular: trials.length - regular.length,
    errors: failed.length,
    mean: { overlap_jaccard: overlap, ndcg_at_10: means(({ ndcg_at_10 }) => ndcg_at_10), mrr_delta: means(({ mrr_delta }) => mrr_delta) },
    latency: { serving_ms: median(pairs.map(({ serving }) => serving.ms)), shadow_ms: median(pairs.map(({ shadow }) => shadow.ms)), mean_ratio: ratio },
    gates: [
      gate('overlap', overlap, `>= ${LEAST_OVERLAP}`, (value) => value >= LEAST_OVERLAP),
      gate('latency', ratio, `<= ${MAX_RATIO}`, (value) => value <= MAX_RATIO),
      gate('errors', trials.length === 0 ? null : failed.length / trials.length, `<= ${MAX_ERRORS}`, (value) => value <= MAX_ERRORS),
    ],
    apart: pairs
      .filter(({ comparison }) => comparison.overlap_jaccard < APART)
      .sort((a, b) => a.comparison.overlap_jaccard - b.comparison.overlap_jaccard)
      .map(({ text, comparison: { overlap_jaccard, serving_only, shadow_only } }) => ({ text, overlap_jaccard, serving_only, shadow_only })),
    failed,
  };
}

function gate(name: ShadowGate['gate'], value: number | null, wanted: string, passes: (value: number) => boolean): ShadowGate {
  return { gate: name, value, wanted, passed: value === null ? null : passes(value) };
}

function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

function median(values: readonly number[]): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return low === undefined || high === undefined ? null : (low + high) / 2;
}
