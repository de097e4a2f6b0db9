import ignore from 'ignore';

/**
 * Bracket expressions of patterns: `[a-z]`, `[!0-9]`, `[[:alpha:]]`. Where one ends is found here; what it means is asked of
 * `ignore`, one UTF-16 unit at a time, so its regular expressions never see anything that they could go back over.
 */
export type BracketTest = (unit: number) => boolean;

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
  // As a negated rule it has no parents to inherit from: the answer is about this unit alone.
  const rule = ignore({ ignoreCase: false, allowRelativePaths: true }).add([`!${expression}`]);
  const known = new Map<number, boolean>();
  return (unit) => {
    const answer = known.get(unit);
    if (answer !== undefined) return answer;
    const fits = unit !== SLASH && rule.test(String.fromCharCode(unit)).unignored;
    known.set(unit, fits);
    return fits;
  };
}
