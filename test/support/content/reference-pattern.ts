import type { BackendKind } from '../../../src/core/ports/index.ts';
import { matchable } from './reference-lines.ts';

/** A pattern that the generator has made: printed for the tool, and given a meaning of its own for the reference. */
export type Pattern =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'any' }
  | { readonly kind: 'set'; readonly not: boolean; readonly members: readonly (readonly [string, string])[] }
  | { readonly kind: 'sequence' | 'either'; readonly parts: readonly Pattern[] }
  | { readonly kind: 'repeat'; readonly part: Pattern; readonly least: number; readonly most: number | undefined }
  | { readonly kind: 'begin' | 'end' };

/** The pattern as the tool gets it with `fixed_strings: false`. */
export function printed(pattern: Pattern): string {
  switch (pattern.kind) {
    case 'text':
      return escaped(pattern.text);
    case 'any':
      return '.';
    case 'set':
      return `[${pattern.not ? '^' : ''}${pattern.members.map(([from, to]) => (from === to ? from : `${from}-${to}`)).join('')}]`;
    case 'sequence':
      return pattern.parts.map(printed).join('');
    case 'either':
      return `(${pattern.parts.map(printed).join('|')})`;
    case 'repeat':
      return `(${printed(pattern.part)})${counts(pattern)}`;
    case 'begin':
      return '^';
    case 'end':
      return '$';
  }
}

function counts({ least, most }: { readonly least: number; readonly most: number | undefined }): string {
  return `{${least},${most ?? ''}}`;
}

const escaped = (text: string): string =>
  text.replace(/[\\^$.*+?()[\]{}|/-]/g, (character) => (character === '/' || character === '-' ? character : `\\${character}`));

/** How one backend understands a pattern: as the source of a regular expression of JavaScript. */
interface Dialect {
  /** One character of the pattern, or any of several. */
  readonly oneOf: (characters: readonly string[], ignoreCase: boolean) => string;
  readonly noneOf: (characters: readonly string[], ignoreCase: boolean) => string;
  readonly any: string;
  readonly end: string;
  /** What may not stand beside a whole word. */
  readonly word: string;
  readonly flags: (ignoreCase: boolean) => string;
}

const DIALECTS = {
  // ripgrep: characters. A byte that belongs to none (`matchable` has U+DC80 to U+DCFF for it) is neither any character nor
  // outside of a set, and there is no border of a word beside it. Case is the simple folding of Unicode, as with the flags iu.
  rg: {
    oneOf: (characters) => `[${characters.map(unit).join('')}]`,
    noneOf: (characters) => `[^\\n\\udc80-\\udcff${characters.map(unit).join('')}]`,
    any: '[^\\n\\udc80-\\udcff]',
    end: '$',
    word: '\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}\\udc80-\\udcff',
    flags: (ignoreCase) => (ignoreCase ? 'iu' : 'u'),
  },
  // ugrep: bytes. Any character is also any byte; the end of a line is also before its CR. Case and words are those of ASCII.
  // What it makes of negated sets is nothing that could be written down, so nothing is generated with them.
  ugrep: {
    oneOf: (characters, ignoreCase) =>
      `(?:${characters
        .flatMap((character) => (ignoreCase ? asciiCases(character) : [character]))
        .map(bytes)
        .join('|')})`,
    noneOf: () => {
      throw new Error('no negated sets for ugrep');
    },
    any: '(?:[\\xc2-\\xdf][\\x80-\\xbf]|[\\xe0-\\xef][\\x80-\\xbf]{2}|[\\xf0-\\xf4][\\x80-\\xbf]{3}|[^\\n])',
    end: '(?=\\r?$)',
    word: '0-9A-Za-z_',
    flags: () => '',
  },
} satisfies Record<BackendKind, Dialect>;

/** Source of the regular expression of JavaScript that means what the backend means by the pattern. */
function meaning(pattern: Pattern, dialect: Dialect, ignoreCase: boolean): string {
  const of = (part: Pattern): string => meaning(part, dialect, ignoreCase);
  switch (pattern.kind) {
    case 'text':
      return [...pattern.text].map((character) => dialect.oneOf([character], ignoreCase)).join('');
    case 'any':
      return dialect.any;
    case 'set':
      return (pattern.not ? dialect.noneOf : dialect.oneOf)(
        pattern.members.flatMap(([from, to]) => range(from, to)),
        ignoreCase,
      );
    case 'sequence':
      return pattern.parts.map(of).join('');
    case 'either':
      return `(?:${pattern.parts.map(of).join('|')})`;
    case 'repeat':
      return `(?:${of(pattern.part)})${counts(pattern)}`;
    case 'begin':
      return '^';
    case 'end':
      return dialect.end;
  }
}

function range(from: string, to: string): string[] {
  const first = from.codePointAt(0) ?? 0;
  return Array.from({ length: (to.codePointAt(0) ?? 0) - first + 1 }, (_, index) => String.fromCodePoint(first + index));
}

function asciiCases(character: string): string[] {
  return /^[A-Za-z]$/.test(character) ? [character.toLowerCase(), character.toUpperCase()] : [character];
}

function unit(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

function bytes(character: string): string {
  return [...Buffer.from(character)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
}

/** Whether the backend says that a line (bytes, without its LF) matches. */
export function lineTest(
  pattern: Pattern,
  backend: BackendKind,
  { ignoreCase, wordRegexp }: { readonly ignoreCase: boolean; readonly wordRegexp: boolean },
): (line: Buffer) => boolean {
  const dialect = DIALECTS[backend];
  const source = meaning(pattern, dialect, ignoreCase);
  const test = new RegExp(wordRegexp ? `(?<![${dialect.word}])(?:${source})(?![${dialect.word}])` : source, dialect.flags(ignoreCase));
  return (line) => test.test(backend === 'rg' ? matchable(line) : line.toString('latin1'));
}
