import type { Jump } from '../model.ts';

/** What the kernel's clock may have read at any moment from one time to another; milliseconds since 1970. */
export interface Readings {
  readonly least: number;
  readonly most: number;
}

export function readingsOf(jumps: readonly Jump[], from: number, until: number): Readings {
  const meanwhile = jumps
    .map((jump) => ({ aheadMs: jump.aheadMs, from: Math.max(jump.from, from), until: Math.min(jump.until, until) }))
    .filter((jump) => jump.from <= jump.until);
  return {
    least: Math.min(from, ...meanwhile.map((jump) => jump.from + jump.aheadMs)),
    most: Math.max(until, ...meanwhile.map((jump) => jump.until + jump.aheadMs)),
  };
}

/** The jump that was under way at a time. */
export function jumpAt(jumps: readonly Jump[], time: number): Jump | undefined {
  return jumps.find(({ from, until }) => from <= time && time <= until);
}
