import { gramsOf } from '../tokenize/trigrams.ts';
import type { Expression } from './expression.ts';

/** One n-gram, or all of some groups. */
export type GramTerm = string | GramGroups;

/** Terms that count as the same one: a file with none of them cannot match. */
export type GramGroup = readonly GramTerm[];

/** A file that can match has, of each group, at least one term. None: nothing is known, every file can match. */
export type GramGroups = readonly GramGroup[];

/** Texts of which it is said that all of them are known; a text without characters among them says nothing. */
type Texts = ReadonlySet<string>;

/** What is known of all that an expression matches (Cox, "Regular Expression Matching with a Trigram Index"). */
interface Known {
  /** All texts that it matches, if they are few. */
  readonly exact: Texts | undefined;
  /** Each match begins with one of these. */
  readonly prefixes: Texts;
  /** Each match ends with one of these. */
  readonly suffixes: Texts;
  /** N-grams of each match, beside those in `exact`. */
  readonly groups: GramGroups;
}

/** Texts that are kept apart; of more than these only shorter beginnings and ends are kept. */
const MAX_TEXTS = 16;
/** Beginnings times ends that are joined at the most. */
const MAX_JOINED = 64;
/** N-grams of a whole query, variants not counted; groups beyond are left out, which only adds candidates. */
const MAX_TERMS = 600;

const NOTHING: Texts = new Set(['']);

/**
 * The n-grams that every text has which an expression matches. Conservative by construction: each step keeps what holds for
 * all matches, or less of it.
 *
 * @param k code points of an n-gram
 */
export function requiredGrams(expression: Expression, k: number): GramGroups {
  return bounded(opened(knownOf(expression, k), k).groups, MAX_TERMS);
}

function knownOf(expression: Expression, k: number): Known {
  switch (expression.kind) {
    case 'text':
      return exactly(new Set([expression.text]));
    case 'one':
      return exactly(new Set(expression.of));
    case 'any':
      return { exact: undefined, prefixes: NOTHING, suffixes: NOTHING, groups: [] };
    case 'many':
      return opened(knownOf(expression.part, k), k);
    case 'sequence':
      return expression.parts.reduce((before: Known, part) => followed(before, knownOf(part, k), k), exactly(NOTHING));
    case 'either':
      return expression.parts.map((part) => knownOf(part, k)).reduce((one, other) => either(one, other, k));
  }
}

const exactly = (exact: Texts): Known => ({ exact, prefixes: NOTHING, suffixes: NOTHING, groups: [] });

/** One behind the other. */
function followed(first: Known, second: Known, k: number): Known {
  const groups = [...first.groups, ...second.groups];
  if (first.exact !== undefined && second.exact !== undefined) {
    const exact = joinedTexts(first.exact, second.exact, MAX_TEXTS);
    if (exact !== undefined) return { ...exactly(exact), groups };
    return followed(opened(first, k), opened(second, k), k);
  }
  // What is exact is the whole beginning, or the whole end.
  const prefixes = first.exact === undefined ? first.prefixes : joinedTexts(first.exact, second.prefixes, MAX_JOINED);
  const suffixes = second.exact === undefined ? second.suffixes : joinedTexts(first.suffixes, second.exact, MAX_JOINED);
  if (prefixes === undefined || suffixes === undefined) return followed(opened(first, k), opened(second, k), k);
  const middle = first.exact === undefined && second.exact === undefined ? joinedTexts(first.suffixes, second.prefixes, MAX_JOINED) : undefined;
  const more = [prefixes, suffixes, ...(middle === undefined ? [] : [middle])].flatMap((texts) => anyOf(texts, k));
  return { exact: undefined, prefixes: shortened(prefixes, k, headOf), suffixes: shortened(suffixes, k, tailOf), groups: [...groups, ...more] };
}

/** One or the other. */
function either(one: Known, other: Known, k: number): Known {
  if (one.exact !== undefined && other.exact !== undefined && one.groups.length === 0 && other.groups.length === 0) {
    const exact = new Set([...one.exact, ...other.exact]);
    if (exact.size <= MAX_TEXTS) return exactly(exact);
  }
  const [left, right] = [opened(one, k), opened(other, k)];
  return {
    exact: undefined,
    prefixes: shortened(new Set([...left.prefixes, ...right.prefixes]), k, headOf),
    suffixes: shortened(new Set([...left.suffixes, ...right.suffixes]), k, tailOf),
    groups: oneOf([left.groups, right.groups]),
  };
}

/** The same without `exact`: its n-grams become groups, its texts beginnings and ends. Also what is known of its repeats. */
function opened(known: Known, k: number): Known {
  const { exact } = known;
  if (exact === undefined) return known;
  return {
    exact: undefined,
    prefixes: shortened(exact, k, headOf),
    suffixes: shortened(exact, k, tailOf),
    groups: [...known.groups, ...anyOf(exact, k)],
  };
}

/** Each text of one behind each of the other; undefined if they would be more than `most`. */
function joinedTexts(first: Texts, second: Texts, most: number): Texts | undefined {
  if (first.size * second.size > most) return undefined;
  return new Set([...first].flatMap((begin) => [...second].map((end) => begin + end)));
}

type Part = (characters: readonly string[], length: number) => readonly string[];
const headOf: Part = (characters, length) => characters.slice(0, length);
const tailOf: Part = (characters, length) => (length === 0 ? [] : characters.slice(-length));

/** Beginnings or ends that are too short to hold an n-gram, and few. */
function shortened(texts: Texts, k: number, part: Part): Texts {
  const characters = [...texts].map((text) => Array.from(text));
  for (let length = k - 1; length > 0; length -= 1) {
    const short = new Set(characters.map((one) => part(one, length).join('')));
    if (short.has('')) return NOTHING;
    if (short.size <= MAX_TEXTS) return short;
  }
  return NOTHING;
}

/** What a text must have that holds one of these. */
function anyOf(texts: Texts, k: number): GramGroups {
  const each = [...texts].map((text) => gramsOf(text, k));
  const [first = []] = each;
  const shared = new Set(first.filter((gram) => each.every((grams) => grams.includes(gram))));
  const others = each.map((grams) => grams.filter((gram) => !shared.has(gram)).map((gram) => [gram]));
  return [...Array.from(shared, (gram) => [gram]), ...oneOf(others)];
}

/** At least one of several conditions. */
function oneOf(conditions: readonly GramGroups[]): GramGroups {
  if (conditions.some(({ length }) => length === 0)) return [];
  return [conditions.flatMap((groups) => (groups.length === 1 ? (groups[0] ?? []) : [groups]))];
}

/** The first groups that have not more terms together than `most`. */
function bounded(groups: GramGroups, most: number): GramGroups {
  const kept: GramGroup[] = [];
  let left = most;
  const seen = new Set<string>();
  for (const group of groups) {
    const [only] = group;
    if (group.length === 1 && typeof only === 'string') {
      if (seen.has(only)) continue;
      seen.add(only);
    }
    left -= sizeOf(group);
    if (left >= 0) kept.push(group);
  }
  return kept;
}

const sizeOf = (group: GramGroup): number =>
  group.reduce((sum, term) => sum + (typeof term === 'string' ? 1 : term.reduce((inner, one) => inner + sizeOf(one), 0)), 0);
