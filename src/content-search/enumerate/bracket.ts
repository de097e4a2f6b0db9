import ignore from 'ignore';

/**
 * Bracket expressions of patterns: `[a-z]`, `[!0-9]`, `[[:alpha:]]`. Where one ends is found here; what it means is asked of
 * `ignore`, one character at a time, so its regular expressions never see anything that they could go back over.
 */
export type BracketTest = (codePoint: number) => boolean;

const SLASH = 47;

/** Index behind the `]` that closes the expression that opens at `start`; undefined if nothing closes it. */
export function bracketEnd(pattern: string, start: number): number | undefined {
  let at = start + 1;
  if (pattern[at] === '!' || pattern[at] === '^') at++;
  // The first member is taken as it is: a `]` there is a member.
  let mayOpenRange = false;
  while (at < pattern.length) {
    const member = pattern[at];
    const next = pattern[at + 1];
    if (member === '\\') {
      at += 2;
      mayOpenRange = true;
    } else if (member === '-' && mayOpenRange && next !== undefined && next !== ']') {
      at += next === '\\' ? 3 : 2;
      mayOpenRange = false;
    } else if (member === '[' && next === ':') {
      const close = pattern.indexOf(']', at + 2);
      if (close === -1) return undefined;
      const isName = close > at + 2 && pattern[close - 1] === ':';
      at = isName ? close + 1 : at + 1;
      mayOpenRange = !isName;
    } else {
      at++;
      mayOpenRange = true;
    }
    if (pattern[at] === ']') return at + 1;
  }
  return undefined;
}

/** The test of one bracket expression, brackets included. Answers are remembered. */
export function bracketTest(expression: string): BracketTest {
  const inPlane = planeTest(expression);
  const beyond = membersTest(expression);
  const isInPlane = !BEYOND.test(expression);
  const known = new Map<number, boolean>();
  return (point) => {
    const answer = known.get(point);
    if (answer !== undefined) return answer;
    const fits = point !== SLASH && (isInPlane && point <= PLANE_END ? inPlane(point) : beyond(point));
    known.set(point, fits);
    return fits;
  };
}

/** The last code point that is one UTF-16 unit. */
const PLANE_END = 0xffff;
const BEYOND = /[\u{10000}-\u{10ffff}]/u;

/** As a negated rule it has no parents to inherit from: the answer is about this unit alone. */
function planeTest(expression: string): BracketTest {
  const rule = ignore({ ignoreCase: false, allowRelativePaths: true }).add([`!${expression}`]);
  return (unit) => rule.test(String.fromCharCode(unit)).unignored;
}

/** `ignore` knows UTF-16 units only: what lies beyond them, in the name or in the expression, is compared here with each member. */
function membersTest(expression: string): BracketTest {
  const { isNegated, ranges, classes } = membersOf(expression);
  return (point) => {
    const isMember = ranges.some(([from, to]) => from <= point && point <= to) || (point <= PLANE_END && classes.some((test) => test(point)));
    return isMember !== isNegated;
  };
}

interface Members {
  readonly isNegated: boolean;
  readonly ranges: readonly (readonly [from: number, to: number])[];
  /** `[:alpha:]` and the like: ASCII alone. */
  readonly classes: readonly BracketTest[];
}

const MEMBER = /\[:(?<name>[a-z]+):\]|\\?(?<from>[\s\S])(?:-\\?(?<to>[^\]]))?/guy;

function membersOf(expression: string): Members {
  const ranges: [number, number][] = [];
  const classes: BracketTest[] = [];
  const isNegated = /^\[[!^]/.test(expression);
  const body = expression.slice(isNegated ? 2 : 1, -1);
  for (const { groups } of body.matchAll(MEMBER)) {
    const { name, from = '', to = from } = groups ?? {};
    if (name === undefined) ranges.push([from.codePointAt(0) ?? 0, to.codePointAt(0) ?? 0]);
    else classes.push(planeTest(`[[:${name}:]]`));
  }
  return { isNegated, ranges, classes };
}
