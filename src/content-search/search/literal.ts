/**
 * What in a regular expression is a letter of its syntax and not of the text that it looks for: escapes (`\S`, `\p{Lu}`,
 * `\x{4A}`) and the heads of groups (`(?P<Name>`, `(?i)`). Each alternative takes what it has seen, and no alternative looks
 * far ahead, so hostile patterns cost no more than their length.
 */
const SYNTAX = /\\(?:[pPxuUoN]\{[^}]{0,64}\}|x[\dA-Fa-f]{2}|u[\dA-Fa-f]{4}|U[\dA-Fa-f]{8}|[pP].|c.|.)|\(\?(?:P?<[^>=!]{0,64}>|[A-Za-z-]{0,16}[:)])?/gsu;

const UPPER_CASE = /\p{Lu}/u;

/**
 * Whether smart case takes the pattern as case-sensitive: it has an upper-case letter (Unicode Lu) that stands for itself.
 *
 * @param literal the pattern is text and not a regular expression
 */
export function hasUpperCase(pattern: string, literal: boolean): boolean {
  return UPPER_CASE.test(literal ? pattern : pattern.replace(SYNTAX, ''));
}
