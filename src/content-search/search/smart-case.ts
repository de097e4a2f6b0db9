/**
 * Whether smart case ignores the case of a pattern, as ripgrep decides it: if a letter, digit or sign in it stands for itself, and
 * none that does so is upper case (Unicode's Uppercase). Escapes that name a character (`\x41`, `\u{41}`) are that character, also
 * in a class and as an end of a range; classes of many (`\S`, `\p{Lu}`, `[[:upper:]]`), anchors and the rest of the syntax say nothing.
 *
 * @param isLiteral the pattern is text and not a regular expression
 */
export function smartCaseIgnoresCase(pattern: string, isLiteral: boolean): boolean {
  const literals = isLiteral ? pattern : literalsOf(pattern);
  return literals !== '' && !/\p{Uppercase}/u.test(literals);
}

/**
 * The tokens of both dialects' regular expressions. `name`: a character by its number; `sign`: an escaped character that is no
 * letter; then what stands for no text of its own: classes by name, escaped letters, heads of groups, repetitions. No token
 * looks far ahead, so a hostile pattern costs no more than its length.
 */
const TOKENS =
  /\\(?:[xuU]\{(?<name>[\dA-Fa-f]{1,8})\}|x(?<two>[\dA-Fa-f]{2})|u(?<four>[\dA-Fa-f]{4})|U(?<eight>[\dA-Fa-f]{8})|[pP]\{[^}]{0,64}\}|[pP].|(?<control>[tnrfva])|[bB]\{[a-z-]{1,10}\}|(?<sign>[^A-Za-z0-9<>])|.?)|\(\?(?:P?<(?![=!])[^>]{0,64}>|[A-Za-z-]{0,16}[:)])?|\{\d{0,10}(?:,\d{0,10})?\}|\[:\^?(?<posix>[a-z]{1,10}):\]|(?<plain>[\s\S])/guy;

const POSIX: ReadonlySet<string> = new Set('alnum alpha ascii blank cntrl digit graph lower print punct space upper word xdigit'.split(' '));
/** Outside of classes. */
const OPERATORS: ReadonlySet<string> = new Set('.^$|*+?()[]');

/** The characters of a pattern that stand for themselves. */
function literalsOf(pattern: string): string {
  let literals = '';
  /** Classes that are open. */
  let depth = 0;
  let isFirst = false;
  TOKENS.lastIndex = 0;
  while (TOKENS.lastIndex < pattern.length) {
    const at = TOKENS.lastIndex;
    const found = TOKENS.exec(pattern);
    if (found?.groups === undefined) break;
    const { name, two, four, eight, control, sign, posix, plain } = found.groups;
    const number = name ?? two ?? four ?? eight;
    if (number !== undefined) literals += characterOf(number);
    else if (control !== undefined) literals += '\n';
    else if (sign !== undefined) literals += sign;
    else if (posix !== undefined && (depth === 0 || !POSIX.has(posix))) {
      // No class by name, but the beginning of one.
      TOKENS.lastIndex = at + 1;
      depth += 1;
      isFirst = true;
      continue;
    } else if (plain === undefined) {
      // Within a class brackets of repetitions and groups are characters.
      if (depth > 0 && !found[0].startsWith('\\') && posix === undefined) {
        literals += found[0][0] ?? '';
        TOKENS.lastIndex = at + 1;
      }
    } else if (plain === '[') {
      depth += 1;
      isFirst = true;
      if (pattern[TOKENS.lastIndex] === '^') TOKENS.lastIndex += 1;
      continue;
    } else if (depth > 0 && plain === ']' && !isFirst) depth -= 1;
    else if (depth > 0 ? !isSetOperator(pattern, at) : !OPERATORS.has(plain)) literals += plain;
    else if (depth > 0) TOKENS.lastIndex = at + 2;
    isFirst = false;
  }
  return literals;
}

/** `&&`, `--` and `~~` between classes. */
const isSetOperator = (pattern: string, at: number): boolean => /^(?:&&|--|~~)/.test(pattern.slice(at, at + 2));

function characterOf(hexadecimal: string): string {
  const number = Number.parseInt(hexadecimal, 16);
  return number <= 0x10ffff ? String.fromCodePoint(number) : '';
}
