import type { Warning } from '../search/types.ts';

export function byNumber(a: Warning, b: Warning): number {
  return a.before - b.before;
}

/** More lines than this help nobody. */
const WARNINGS_MAX = 10_000;

export function clipped(warnings: readonly Warning[]): readonly Warning[] {
  return warnings.length > WARNINGS_MAX ? warnings.slice(0, WARNINGS_MAX) : warnings;
}

/** What backends wrote to stderr, for the log of an operator. */
export interface StderrLog {
  add(text: string): void;
  text(): string;
}

const LOG_MAX = 8_192;

export function stderrLog(): StderrLog {
  let kept = '';
  return {
    add(text) {
      if (kept.length < LOG_MAX) kept = (kept + text).slice(0, LOG_MAX);
    },
    text: () => kept,
  };
}
