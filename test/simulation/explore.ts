import type { Violation } from './checker.ts';
import { scenarioOf } from './draw.ts';
import { type HistoryOptions, runHistory } from './history.ts';

/** What many histories have shown. */
export interface Exploration {
  readonly histories: number;
  /** By seed. */
  readonly violations: ReadonlyMap<number, readonly Violation[]>;
  /** How many histories reached each state, answer, end and fault. */
  readonly reached: ReadonlyMap<string, number>;
}

export interface ExploreOptions extends HistoryOptions {
  readonly first: number;
  readonly count: number;
  /** Ends the exploration after so many seeds with violations. */
  readonly enough?: number;
}

/** Runs the histories of consecutive seeds. */
export async function explore({ first, count, enough = Number.POSITIVE_INFINITY, ...options }: ExploreOptions): Promise<Exploration> {
  const violations = new Map<number, readonly Violation[]>();
  const reached = new Map<string, number>();
  let histories = 0;
  for (let seed = first; seed < first + count && violations.size < enough; seed += 1) {
    const report = await runHistory(scenarioOf(seed), options);
    histories += 1;
    for (const word of report.reached) reached.set(word, (reached.get(word) ?? 0) + 1);
    if (report.violations.length > 0 && (options.seams === undefined || (await isKept(seed)))) violations.set(seed, report.violations);
  }
  return { histories, violations, reached };
}

/** Without a mutant the history breaks no promise: what it broke was the mutant's doing. */
async function isKept(seed: number): Promise<boolean> {
  return (await runHistory(scenarioOf(seed))).violations.length === 0;
}
