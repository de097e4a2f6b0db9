import type { Rule } from './ignore-file.ts';
import { firstUnit, lastUnit, matchesName, type NamePattern, STAR } from './name-pattern.ts';

/**
 * The rules of one file that ask for a single name at any depth: nearly all of them. A name meets the rules that could fit
 * it only: those for exactly this name, those for its ending, those for its last or first unit, and the few others.
 */
export interface NameTable {
  /**
   * Number of the last rule that fits the name, -1 if none does.
   *
   * @param tail `tailOf(name)`
   */
  last(name: string, tail: string, isDirectory: boolean): number;
}

/** The name from its first dot on; '' if it has none. */
export function tailOf(name: string): string {
  const dot = name.indexOf('.');
  return dot === -1 ? '' : name.slice(dot);
}

interface Numbered {
  readonly number: number;
  readonly directoryOnly: boolean;
  readonly pattern: NamePattern;
}

/** Where a rule is kept. The order of the lists is the latest rule first. */
interface Groups {
  /** For files, and for directories. */
  readonly exact: Map<string, { file: number; directory: number }>;
  /** `*.…`: whether one fits depends on the tail alone, for the star takes whatever is in front of the first dot. */
  readonly byTail: Numbered[];
  readonly byLast: Map<number, Numbered[]>;
  readonly byFirst: Map<number, Numbered[]>;
  readonly others: Numbered[];
}

const EMPTY: NameTable = { last: () => -1 };

/** `rules` with their numbers in the file, in rising order. */
export function nameTable(rules: readonly (readonly [number, Rule])[]): NameTable {
  if (rules.length === 0) return EMPTY;
  const groups: Groups = { exact: new Map(), byTail: [], byLast: new Map(), byFirst: new Map(), others: [] };
  for (const [number, { pattern }] of rules.toReversed()) {
    const [name] = pattern.segments;
    if (name !== undefined && typeof name !== 'string') put(groups, { number, directoryOnly: pattern.directoryOnly, pattern: name });
  }
  const { exact, byLast, byFirst, others } = groups;
  const lastByTail = tailTable(groups.byTail);
  return {
    last(name, tail, isDirectory) {
      const hit = exact.get(name);
      let best = hit === undefined ? -1 : isDirectory ? hit.directory : hit.file;
      if (tail !== '') best = Math.max(best, lastByTail(tail, isDirectory));
      if (byLast.size > 0) best = lastOf(byLast.get(name.charCodeAt(name.length - 1)), name, isDirectory, best);
      if (byFirst.size > 0) best = lastOf(byFirst.get(name.charCodeAt(0)), name, isDirectory, best);
      return others.length === 0 ? best : lastOf(others, name, isDirectory, best);
    },
  };
}

function put(groups: Groups, rule: Numbered): void {
  const { pattern } = rule;
  if (pattern.shape === 'exact') putExact(groups.exact, rule);
  else if (pattern.tokens[0] === STAR && pattern.tokens[1] === DOT) groups.byTail.push(rule);
  else listOf(groups, pattern).push(rule);
}
const DOT = 46;

/** The latest rule comes first: it stays. */
function putExact(exact: Groups['exact'], { pattern, number, directoryOnly }: Numbered): void {
  const entry = exact.get(pattern.text) ?? { file: -1, directory: -1 };
  entry.directory = Math.max(entry.directory, number);
  if (!directoryOnly) entry.file = Math.max(entry.file, number);
  exact.set(pattern.text, entry);
}

function listOf({ byLast, byFirst, others }: Groups, pattern: NamePattern): Numbered[] {
  const last = lastUnit(pattern);
  if (last !== undefined) return listAt(byLast, last);
  const first = firstUnit(pattern);
  return first === undefined ? others : listAt(byFirst, first);
}

function listAt(lists: Map<number, Numbered[]>, unit: number): Numbered[] {
  const found = lists.get(unit) ?? [];
  lists.set(unit, found);
  return found;
}

/** Tails that are remembered, of files and of directories. A tree has few: `.c`, `.test.ts`. */
const TAILS_MAX = 4_096;

function tailTable(rules: readonly Numbered[]): (tail: string, isDirectory: boolean) => number {
  if (rules.length === 0) return () => -1;
  const known = { file: new Map<string, number>(), directory: new Map<string, number>() };
  return (tail, isDirectory) => {
    const memory = isDirectory ? known.directory : known.file;
    const answer = memory.get(tail);
    if (answer !== undefined) return answer;
    const found = lastOf(rules, tail, isDirectory, -1);
    if (memory.size < TAILS_MAX) memory.set(tail, found);
    return found;
  };
}

function lastOf(rules: readonly Numbered[] | undefined, name: string, isDirectory: boolean, best: number): number {
  if (rules === undefined) return best;
  for (const rule of rules) {
    if (rule.number < best) return best;
    if ((isDirectory || !rule.directoryOnly) && matchesName(rule.pattern, name)) return rule.number;
  }
  return best;
}
