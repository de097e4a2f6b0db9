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
  const first = ranked.findIndex((id) => gradeOf(id) > 0);
  return {
    ndcg: ndcgAt(ranked, grades, NDCG_AT),
    rr: first === -1 ? 0 : 1 / (first + 1),
    recall: recallAt(ranked, grades, RECALL_AT),
  };
}

/** Share of what has a grade above 0 among the first so many. */
export function recallAt(ranked: readonly number[], grades: ReadonlyMap<number, number>, cut: number): number {
  const relevant = [...grades.values()].filter((grade) => grade > 0).length;
  return ranked.slice(0, cut).filter((id) => (grades.get(id) ?? 0) > 0).length / relevant;
}

export function ndcgAt(ranked: readonly number[], grades: ReadonlyMap<number, number>, cut: number): number {
  const ideal = [...grades.values()].toSorted((a, b) => b - a);
  const found = ranked.map((id) => grades.get(id) ?? 0);
  return dcg(found.slice(0, cut)) / dcg(ideal.slice(0, cut));
}

/** Gain 2^g - 1, discount log2(position + 1). */
function dcg(grades: readonly number[]): number {
  return grades.reduce((sum, grade, at) => sum + (2 ** grade - 1) / Math.log2(at + 2), 0);
}
