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
   * @param dot where the name has its first dot, -1 if nowhere: its tail begins there
   */
  last(name: string, dot: number, isDirectory: boolean): number;
}

export const dotOf = (name: string): number => name.indexOf('.');

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
  const { exact, byTail, byLast, byFirst, others } = groups;
  const lastByTail = tailTable(byTail);
  return {
    last(name, dot, isDirectory) {
      const hit = exact.size === 0 ? undefined : exact.get(name);
      let best = hit === undefined ? -1 : isDirectory ? hit.directory : hit.file;
      if (dot !== -1 && byTail.length > 0) best = Math.max(best, lastByTail(name, dot, isDirectory));
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

/** Tails that are remembered, of files and of directories each. A tree has few: `.c`, `.test.ts`. */
const TAILS_MAX = 4_096;
type Memory = Map<string | number, number>;

function tailTable(rules: readonly Numbered[]): (name: string, dot: number, isDirectory: boolean) => number {
  const known: { readonly file: Memory; readonly directory: Memory } = { file: new Map(), directory: new Map() };
  return (name, dot, isDirectory) => {
    const memory = isDirectory ? known.directory : known.file;
    const key = keyOf(name, dot);
    const answer = memory.get(key);
    if (answer !== undefined) return answer;
    const found = lastOf(rules, name.slice(dot), isDirectory, -1);
    if (memory.size < TAILS_MAX) memory.set(key, found);
    return found;
  };
}

/** Most tails are a few ASCII letters: these are packed into a number, which costs no new text for each name. */
function keyOf(name: string, dot: number): string | number {
  if (name.length - dot > PACKED_UNITS) return name.slice(dot);
  let key = 0;
  for (let at = dot; at < name.length; at++) {
    const unit = name.charCodeAt(at);
    if (unit > ASCII_MAX) return name.slice(dot);
    key = (key << ASCII_BITS) | unit;
  }
  return key;
}
const PACKED_UNITS = 4;
const ASCII_BITS = 7;
const ASCII_MAX = 127;

function lastOf(rules: readonly Numbered[] | undefined, name: string, isDirectory: boolean, best: number): number {
  if (rules === undefined) return best;
  for (const rule of rules) {
    if (rule.number < best) return best;
    if ((isDirectory || !rule.directoryOnly) && matchesName(rule.pattern, name)) return rule.number;
  }
  return best;
}
