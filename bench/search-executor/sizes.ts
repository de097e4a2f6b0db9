/** The query of each kind of search. Plain letters: `find -name` must not take them for a pattern. */
export const QUERIES = { files: 'invoice', datasets: 'overdue', emails: 'Frachtbrief' } as const;

export const MAX_RESULTS = 100;
export const SEED = 20_261_121;

/** What the bench works on. */
export interface Sizes {
  readonly files80k: number;
  readonly files1m: number;
  readonly rows: number;
  readonly messages: number;
}

const FULL: Sizes = { files80k: 80_000, files1m: 1_000_000, rows: 10_000_000, messages: 100_000 };

/** At least 100 of each, so that every search has something to find. */
export function sizesAt(scale: number): Sizes {
  const at = (size: number): number => Math.max(100, Math.round(size * scale));
  return { files80k: at(FULL.files80k), files1m: at(FULL.files1m), rows: at(FULL.rows), messages: at(FULL.messages) };
}
