/** Measures of a ranked list against grades 0 to 3; what has no grade counts as 0. */

/** Cut of NDCG and of recall. */
export const NDCG_AT = 10;
export const RECALL_AT = 20;

export interface Scores {
  readonly ndcg: number;
  readonly rr: number;
  readonly recall: number;
}

/** @param ranked ids, best first; @param grades id → grade, at least one above 0 */
export function scoresOf(ranked: readonly number[], grades: ReadonlyMap<number, number>): Scores {
  const gradeOf = (id: number): number => grades.get(id) ?? 0;
  const ideal = [...grades.values()].toSorted((a, b) => b - a);
  const first = ranked.findIndex((id) => gradeOf(id) > 0);
  const relevant = ideal.filter((grade) => grade > 0).length;
  return {
    ndcg: dcg(ranked.map(gradeOf)) / dcg(ideal),
    rr: first === -1 ? 0 : 1 / (first + 1),
    recall: ranked.slice(0, RECALL_AT).filter((id) => gradeOf(id) > 0).length / relevant,
  };
}

/** Gain 2^g - 1, discount log2(position + 1). */
function dcg(grades: readonly number[]): number {
  return grades.slice(0, NDCG_AT).reduce((sum, grade, at) => sum + (2 ** grade - 1) / Math.log2(at + 2), 0);
}
