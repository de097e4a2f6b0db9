import type { ShadowComparison } from '../../contracts/index.ts';

const DEPTH = 10;

/**
 * How the list of a second engine compares with the list that was served (message-search.md 5): the first pages of both, ids
 * in their order. The serving order is the judge: places 1 to 3 have grade 3, 4 to 6 grade 2, 7 to 10 grade 1.
 */
export function compareShadow(serving: readonly number[], shadow: readonly number[], engines: { serving: string; shadow: string }): ShadowComparison {
  const [served, shadowed] = [new Set(serving), new Set(shadow)];
  const both = serving.filter((id) => shadowed.has(id)).length;
  const either = served.size + shadowed.size - both;
  return {
    serving_engine: engines.serving,
    shadow_engine: engines.shadow,
    overlap_jaccard: either === 0 ? 1 : both / either,
    ndcg_at_10: ndcg(serving, shadow),
    mrr_delta: mrrDelta(serving, shadow),
    serving_only: served.size - both,
    shadow_only: shadowed.size - both,
  };
}

function ndcg(serving: readonly number[], shadow: readonly number[]): number {
  if (serving.length === 0) return shadow.length === 0 ? 1 : 0;
  const grades = new Map(serving.slice(0, DEPTH).map((id, index) => [id, gradeOf(index + 1)]));
  const gain = (ids: readonly number[]): number =>
    ids.slice(0, DEPTH).reduce((sum, id, index) => sum + (2 ** (grades.get(id) ?? 0) - 1) / Math.log2(index + 2), 0);
  return gain(shadow) / gain(serving);
}

function gradeOf(place: number): number {
  if (place <= 3) return 3;
  return place <= 6 ? 2 : 1;
}

function mrrDelta([first]: readonly number[], shadow: readonly number[]): number {
  if (first === undefined) return 0;
  const place = shadow.indexOf(first) + 1;
  return (place === 0 ? 0 : 1 / place) - 1;
}
