import { compareCodePoints } from '../../../core/code-points.ts';

/** A file whose name matches; `id` is its path. */
export interface Match {
  readonly id: string;
  readonly name: string;
}

/** Takes all matches in any order and keeps the first of them. */
export interface FirstPaths {
  /** Whether a path can still be among the first. What is not wanted now never will be. */
  wants(path: string): boolean;
  add(match: Match): void;
  /** Counts a match that was not wanted. */
  skip(): void;
  end(): { readonly count: number; readonly first: readonly Match[] };
}

/** Matches kept beyond the limit before they are sorted and cut. */
const LEAST_ROOM = 64;

/**
 * The first `max` matches by code points and the count of all. Sorted is only now and then, after as many new matches
 * again: some file systems list a directory from its last name to its first, so that every match is a new first one, and
 * a list that is kept in order would be moved by each of them.
 */
export function createFirstPaths(max: number): FirstPaths {
  const full = max + Math.max(max, LEAST_ROOM);
  let matches: Match[] = [];
  let count = 0;
  /** The last path that is among the first, once there are enough. */
  let last: string | undefined;

  function cut(): void {
    const sorted = matches.sort((a, b) => compareCodePoints(a.id, b.id));
    // Ids are unique (SE-50), also when a file was removed and made again while its directory was read, and was seen twice.
    const unique = sorted.filter(({ id }, i) => id !== sorted[i - 1]?.id);
    count -= sorted.length - unique.length;
    matches = unique.slice(0, max);
    last = matches[max - 1]?.id;
  }

  return {
    wants: (path) => last === undefined || compareCodePoints(path, last) < 0,
    add(match) {
      count += 1;
      matches.push(match);
      if (matches.length >= full) cut();
    },
    skip() {
      count += 1;
    },
    end() {
      cut();
      return { count, first: matches };
    },
  };
}
