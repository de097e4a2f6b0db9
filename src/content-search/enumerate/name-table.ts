import type { Rule } from './ignore-file.ts';
import { firstUnit, lastUnit, matchesName, type NamePattern } from './name-pattern.ts';

/**
 * The rules of one file that ask for a single name at any depth: nearly all of them. A name meets the rules that could fit
 * it only: those for exactly this name, those for its last or first unit, and the few that leave both ends open.
 */
export interface NameTable {
  /** Number of the last rule that fits the name, -1 if none does. */
  last(name: string, isDirectory: boolean): number;
}

interface Numbered {
  readonly number: number;
  readonly directoryOnly: boolean;
  readonly pattern: NamePattern;
}

interface Exact {
  /** For files, and for directories. */
  file: number;
  directory: number;
}

/** `rules` with their numbers in the file, in rising order. */
export function nameTable(rules: readonly (readonly [number, Rule])[]): NameTable {
  const exact = new Map<string, Exact>();
  const byLast = new Map<number, Numbered[]>();
  const byFirst = new Map<number, Numbered[]>();
  const open: Numbered[] = [];
  for (const [number, rule] of rules) {
    const [pattern] = rule.pattern.segments;
    if (pattern === undefined || typeof pattern === 'string') continue;
    const { directoryOnly } = rule.pattern;
    if (pattern.shape === 'exact') {
      addExact(exact, pattern.text, number, directoryOnly);
    } else {
      bucketOf(pattern, byLast, byFirst, open).push({ number, directoryOnly, pattern });
    }
  }
  for (const rules of [...byLast.values(), ...byFirst.values(), open]) rules.reverse();
  return {
    last(name, isDirectory) {
      const hit = exact.get(name);
      let best = hit === undefined ? -1 : isDirectory ? hit.directory : hit.file;
      best = lastOf(byLast.get(name.charCodeAt(name.length - 1)), name, isDirectory, best);
      best = lastOf(byFirst.get(name.charCodeAt(0)), name, isDirectory, best);
      return lastOf(open, name, isDirectory, best);
    },
  };
}

function addExact(exact: Map<string, Exact>, name: string, number: number, directoryOnly: boolean): void {
  const entry = exact.get(name) ?? { file: -1, directory: -1 };
  entry.directory = number;
  if (!directoryOnly) entry.file = number;
  exact.set(name, entry);
}

function bucketOf(pattern: NamePattern, byLast: Map<number, Numbered[]>, byFirst: Map<number, Numbered[]>, open: Numbered[]): Numbered[] {
  const last = lastUnit(pattern);
  if (last !== undefined) return bucket(byLast, last);
  const first = firstUnit(pattern);
  return first === undefined ? open : bucket(byFirst, first);
}

function bucket(buckets: Map<number, Numbered[]>, unit: number): Numbered[] {
  const found = buckets.get(unit);
  if (found !== undefined) return found;
  const made: Numbered[] = [];
  buckets.set(unit, made);
  return made;
}

/** The buckets have the latest rule in front. */
function lastOf(rules: readonly Numbered[] | undefined, name: string, isDirectory: boolean, best: number): number {
  if (rules === undefined) return best;
  for (const rule of rules) {
    if (rule.number < best) return best;
    if ((isDirectory || !rule.directoryOnly) && matchesName(rule.pattern, name)) return rule.number;
  }
  return best;
}
