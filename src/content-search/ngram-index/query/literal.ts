/**
 * Characters that stand for themselves in the regular expressions of both backends, wherever they stand and however often:
 * letters, ASCII digits, blank and these signs. Both backends were asked about every printable ASCII character and about
 * letters of other scripts, in 13 places (first, last, doubled, around digits, ...), with and without -i and -w: all of these
 * gave the same lines as with -F. What is not in the list may be a literal too; then the index is only not used.
 */
const LITERAL = /^[\p{L}0-9 _\-/,;:=<>!@%&'"~]+$/u;

/** Whether a pattern means its own text in both dialects, so that it is one whatever `fixed_strings` says (search-rules 9). */
export function isLiteral(pattern: string, fixedStrings: boolean): boolean {
  return fixedStrings || LITERAL.test(pattern);
}
