/** Reciprocal rank fusion (message-search.md 3.2): what two orders agree on comes first, whatever their scores are. */

/** Rows that each side brings, whatever page is asked for; together twice as many. */
export const FUSION_POOL = 1000;

export interface Fused {
  readonly id: number;
  /** 1 for the first of both orders, at most a half for what only one of them has. */
  readonly score: number;
}

/**
 * The sum of 1 / (k + rank) over the orders, ranks from 1, divided by the most that it can be: a constant, so a score says
 * the same on every page and for every set. The best first, the least id first among equals.
 */
export function fuse(orders: readonly [readonly number[], readonly number[]], k: number): readonly Fused[] {
  const sums = new Map<number, number>();
  for (const order of orders) for (const [index, id] of order.entries()) sums.set(id, (sums.get(id) ?? 0) + 1 / (k + index + 1));
  return [...sums].map(([id, sum]) => ({ id, score: (sum * (k + 1)) / orders.length })).sort((a, b) => b.score - a.score || a.id - b.id);
}
