import type { Effect } from './effect.ts';
import type { Point } from './setup.ts';

const BEFORE: readonly Point[] = ['fetched', 'claimed', 'intent'];
const AFTER: readonly Point[] = ['before-close', 'closed', 'recorded'];
const COPY: readonly Point[] = ['C1', 'C2', 'C3', 'sealed', 'C4', 'C5'];

const PASSED = {
  rename: [...BEFORE, 'M1', 'M2', ...AFTER],
  copy: [...BEFORE, ...COPY, ...AFTER],
  'move across': [...BEFORE, ...COPY, 'published', 'X6', 'X7', 'X8', ...AFTER],
} satisfies Record<Effect['passes'], readonly Point[]>;

/** A kernel without RENAME_NOREPLACE: every publishing and retiring links and unlinks instead. */
const LINKED = {
  ...PASSED,
  rename: [...BEFORE, 'L1', 'L2', 'M2', ...AFTER],
} satisfies Record<Effect['passes'], readonly Point[]>;

/** The points that a task passes when nothing happens, in order. */
export function pointsOf({ passes }: Pick<Effect, 'passes'>, linked: boolean): readonly Point[] {
  return (linked ? LINKED : PASSED)[passes];
}
