import type { Rule } from './ignore-file.ts';
import { matchesName, type NamePattern } from './name-pattern.ts';
import { dotOf, type NameTable, nameTable } from './name-table.ts';
import { ANY_DIRECTORIES, type Segment } from './pattern.ts';

/**
 * Rules that are evaluated while a tree is walked. `RuleState` is what the rules of one file have to say in one directory: of a
 * rule with several segments it is known how far it has come on the way down, so nothing is ever matched twice and no way
 * is tried again: a directory costs at most one step for each segment of each rule, however the rules are meant.
 */
export interface RuleState {
  readonly set: RuleSet;
  /** Positions in `set.positions` against which the names of this directory are to be held, rising. */
  readonly at: readonly number[];
  /** Those of them that are the end of their rule. */
  readonly ends: readonly Position[];
}

export interface RuleSet {
  readonly names: NameTable;
  readonly positions: readonly Position[];
  readonly start: readonly number[];
  readonly negative: readonly boolean[];
}

interface Position {
  readonly segment: Segment;
  readonly isLast: boolean;
  /** Stands behind a `**` of its rule, and so is there again in each directory that the `**` takes. */
  readonly followsAny: boolean;
  readonly rule: number;
  readonly directoryOnly: boolean;
}

/** What the rules say of a name: the last one that fits decides. */
export type RuleMatch = 'out' | 'in' | undefined;

/** The rules at the directory that they are written for. */
export function compileRules(rules: readonly Rule[]): RuleState {
  const names: (readonly [number, Rule])[] = [];
  const positions: Position[] = [];
  const firsts: number[] = [];
  for (const [number, rule] of rules.entries()) {
    const { segments, directoryOnly, anywhere } = rule.pattern;
    if (anywhere) {
      names.push([number, rule]);
      continue;
    }
    firsts.push(positions.length);
    for (const [at, segment] of segments.entries()) {
      positions.push({ segment, isLast: at === segments.length - 1, followsAny: segments[at - 1] === ANY_DIRECTORIES, rule: number, directoryOnly });
    }
  }
  const start = closed(positions, firsts);
  const set: RuleSet = { names: nameTable(names), positions, start, negative: rules.map((rule) => rule.negative) };
  return stateAt(set, start);
}

const stateAt = (set: RuleSet, at: readonly number[]): RuleState => ({
  set,
  at,
  ends: at.flatMap((number) => {
    const position = set.positions[number];
    return position?.isLast ? [position] : [];
  }),
});

/** The same rules in a directory of this one; the same object if nothing is different there. */
export function enter(state: RuleState, name: string): RuleState {
  if (state.at.length === 0) return state;
  const next: number[] = [];
  let isSame = true;
  for (const number of state.at) {
    const position = state.set.positions[number];
    if (position === undefined) continue;
    if (position.segment === ANY_DIRECTORIES) {
      next.push(number);
    } else if (!position.isLast && matchesName(position.segment, name)) {
      next.push(number + 1);
      isSame = false;
    } else if (!position.followsAny) {
      isSame = false;
    }
  }
  return isSame ? state : stateAt(state.set, closed(state.set.positions, next));
}

/** `**` may also stand for no directory at all. */
function closed(positions: readonly Position[], from: readonly number[]): readonly number[] {
  const all = new Set<number>();
  for (let number of from) {
    for (;;) {
      if (all.has(number)) break;
      all.add(number);
      const position = positions[number];
      if (position === undefined || position.segment !== ANY_DIRECTORIES || position.isLast) break;
      number++;
    }
  }
  return [...all].sort((a, b) => a - b);
}

/**
 * What the rules say of an entry of this directory.
 *
 * @param dot `dotOf(name)`, from those who ask more than one `RuleState`
 */
export function matchRules(state: RuleState, name: string, isDirectory: boolean, dot = dotOf(name)): RuleMatch {
  let best = state.set.names.last(name, dot, isDirectory);
  for (const end of state.ends) {
    if (end.rule > best && (isDirectory || !end.directoryOnly) && fitsEnd(end.segment, name)) best = end.rule;
  }
  return best === -1 ? undefined : state.set.negative[best] ? 'in' : 'out';
}

const fitsEnd = (segment: NamePattern | typeof ANY_DIRECTORIES, name: string): boolean => segment === ANY_DIRECTORIES || matchesName(segment, name);
