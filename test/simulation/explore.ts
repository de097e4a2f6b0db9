import type { Violation } from './checker.ts';
import { type HistoryOptions, runHistory } from './history.ts';
import { knownFault } from './known.ts';
import { type Scenario, scenarioOf } from './scenario.ts';

/** What many histories have shown. */
export interface Exploration {
  readonly histories: number;
  /** By seed: violations that no known fault explains. */
  readonly violations: ReadonlyMap<number, readonly Violation[]>;
  /** By finding: the seeds of the histories that show it. */
  readonly known: ReadonlyMap<string, readonly number[]>;
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
  const known = new Map<string, number[]>();
  const reached = new Map<string, number>();
  let histories = 0;
  for (let seed = first; seed < first + count && violations.size < enough; seed += 1) {
    const scenario = scenarioOf(seed);
    const report = await runHistory(scenario, options);
    histories += 1;
    for (const word of report.reached) reached.set(word, (reached.get(word) ?? 0) + 1);
    const { explained, news } = sorted(report.violations, scenario);
    for (const finding of explained) known.set(finding, [...(known.get(finding) ?? []), seed]);
    if (news.length > 0) violations.set(seed, news);
  }
  return { histories, violations, known, reached };
}

function sorted(violations: readonly Violation[], scenario: Scenario): { readonly explained: ReadonlySet<string>; readonly news: readonly Violation[] } {
  const explained = new Set<string>();
  const news: Violation[] = [];
  for (const violation of violations) {
    const finding = knownFault(violation, scenario);
    if (finding === undefined) news.push(violation);
    else explained.add(finding);
  }
  return { explained, news };
}
