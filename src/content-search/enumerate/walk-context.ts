import type { SearchTree } from '../../core/ports/index.ts';
import type { Warning } from '../search/types.ts';
import type { DenyRules } from './denied.ts';
import type { Globs } from './globs.ts';
import { warningLine } from './warning-line.ts';

export interface EnumerateOptions {
  /** Absolute and real, with `/`. */
  readonly orderRoot: string;
  /** What is searched: a file or a directory, relative to the order root, with `/`; '' for the root itself. No `.`, no `..`. */
  readonly start: Buffer | string;
  readonly hidden: boolean;
  readonly follow: boolean;
  readonly noIgnore: boolean;
  readonly globs: Globs;
  readonly denied: DenyRules;
  /** Where links may lead; absolute and real. */
  readonly allowedRoots: readonly string[];
  /** The text of the excludes that hold for all trees. */
  readonly globalIgnore: string | undefined;
  /** Asked on the way: once it says true, nothing more is enumerated. */
  readonly stop?: () => boolean;
}

/** What all parts of one walk share. */
export interface Walk extends EnumerateOptions {
  readonly tree: SearchTree;
  readonly warn: (path: string, errno: string, consequence?: string) => void;
  readonly isStopped: () => boolean;
}

/** Warnings that are kept: with long names a million of them would be gigabytes. */
const WARNINGS_MAX = 1_000;

/** @param found number of candidates so far */
export function walkOf(tree: SearchTree, options: EnumerateOptions, warnings: Warning[], found: () => number): Walk {
  let stopped = false;
  return {
    ...options,
    tree,
    warn: (path, errno, consequence) => {
      if (warnings.length < WARNINGS_MAX) warnings.push({ before: found(), line: warningLine(path, errno, consequence) });
      else if (warnings.length === WARNINGS_MAX) warnings.push({ before: found(), line: 'From here on there are more that are not named.' });
    },
    isStopped: () => {
      stopped ||= options.stop?.() === true;
      return stopped;
    },
  };
}
