import type { Fused } from './fusion.ts';

/** What a cross-encoder's number means: 0.5 for 0, never less than 0, never more than 1. */
export function sigmoid(logit: number): number {
  return 1 / (1 + Math.exp(-logit));
}

/**
 * The first rows by their new scores, the rest behind them: its scores lie between 0 and the lowest new one, in the order that
 * it had (docs/message-search.md). Scores of the two parts are of different scales, and the one order must hold.
 *
 * @param judged new scores of the first rows, 0 to 1, in their order
 */
export function reranked(fused: readonly Fused[], judged: readonly number[]): readonly Fused[] {
  const lowest = Math.min(1, ...judged);
  return fused
    .map(({ id, score }, index) => ({ id, score: judged[index] ?? score * lowest, block: index < judged.length ? 0 : 1 }))
    .sort((a, b) => a.block - b.block || b.score - a.score || a.id - b.id)
    .map(({ id, score }) => ({ id, score }));
}
