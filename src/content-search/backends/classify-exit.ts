import type { BackendEnd } from '../../core/ports/index.ts';
import type { RunEnd } from '../search/types.ts';

/** All that is known about a process that has ended. */
export interface ExitFacts {
  /** Why the tool ended it, if it did. */
  readonly stoppedFor: 'limit' | 'time' | undefined;
  readonly end: BackendEnd;
  readonly matches: number;
  /** What in its output is not what a backend prints. */
  readonly violation: string | undefined;
  /** Whether a failure has its reason in files that cannot be opened, so that all others were searched. */
  readonly isExplained: boolean;
}

interface ExitRule {
  readonly when: (facts: ExitFacts) => boolean;
  readonly becomes: RunEnd;
}

/**
 * How a process ended (FR-LSI-EXIT-01, G.6), the first rule that holds. What the tool did goes before what the program says.
 * Exit codes alone are not enough: ripgrep ends with 2 and ugrep with 0 when one of several files cannot be opened, with
 * matches on stdout (docs/search-backends.md has the table).
 */
const RULES: readonly ExitRule[] = [
  { when: ({ stoppedFor }) => stoppedFor === 'time', becomes: 'timed_out' },
  { when: ({ stoppedFor }) => stoppedFor === 'limit', becomes: 'truncated' },
  { when: ({ end }) => end.startError !== undefined || end.code === null || end.code > 2, becomes: 'backend_error' },
  { when: ({ violation }) => violation !== undefined, becomes: 'backend_error' },
  { when: ({ end, isExplained }) => end.code === 2 && !isExplained, becomes: 'backend_error' },
  { when: ({ matches }) => matches > 0, becomes: 'ok_with_matches' },
  { when: () => true, becomes: 'ok_no_matches' },
];

export function classifyExit(facts: ExitFacts): RunEnd {
  return RULES.find(({ when }) => when(facts))?.becomes ?? 'backend_error';
}
