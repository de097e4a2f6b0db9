import { DASH, endOfText, isBlank } from './bytes.ts';
import { LONGEST_BOUNDARY } from './part-kind.ts';

export interface Delimiter {
  /** Index of the multipart that the line belongs to; outer ones come first. */
  readonly level: number;
  /** The multipart ends here; otherwise a part begins. */
  readonly closes: boolean;
}

/** The boundaries of the multiparts that are open, one in the other. Finding one costs the same at any depth. */
export interface Boundaries {
  readonly depth: number;
  /** The type of parts of the innermost multipart that name none. */
  readonly childType: string;
  push(boundary: string, childType: string): void;
  /** Closes multiparts until `depth` are open. */
  cut(depth: number): void;
  /** What the line from `from` to `next` delimits (RFC 2046 5.1.1), blanks at its end aside. Inner multiparts come first. */
  find(bytes: Buffer, from: number, next: number): Delimiter | undefined;
}

/** Dashes before and after the boundary, some blanks and a line break. */
const LONGEST_LINE = LONGEST_BOUNDARY + 64;

export function createBoundaries(): Boundaries {
  const open: { readonly boundary: string; readonly childType: string }[] = [];
  const levels = new Map<string, number[]>();
  const innermost = (boundary: string): number => levels.get(boundary)?.at(-1) ?? -1;

  return {
    get depth() {
      return open.length;
    },
    get childType() {
      return open.at(-1)?.childType ?? 'text/plain';
    },
    push(boundary, childType) {
      const same = levels.get(boundary);
      if (same === undefined) levels.set(boundary, [open.length]);
      else same.push(open.length);
      open.push({ boundary, childType });
    },
    cut(depth) {
      for (let level = open.length; level > depth; level -= 1) levels.get(open.pop()?.boundary ?? '')?.pop();
    },
    find(bytes, from, next) {
      if (open.length === 0 || bytes[from] !== DASH || bytes[from + 1] !== DASH || next - from > LONGEST_LINE) return undefined;
      let end = endOfText(bytes, from, next);
      while (isBlank(bytes[end - 1])) end -= 1;
      const text = bytes.toString('latin1', from + 2, end);
      const begins = innermost(text);
      const ends = text.endsWith('--') ? innermost(text.slice(0, -2)) : -1;
      const level = Math.max(begins, ends);
      return level < 0 ? undefined : { level, closes: ends > begins };
    },
  };
}
