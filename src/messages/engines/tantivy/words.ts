import type { DocKind } from '../../../contracts/index.ts';
import { COLUMNS, type ReadSyntax, readFts5 } from './fts5-syntax.ts';
import { readOperators, together, type Wanted } from './operators.ts';
import { PART_NAMES, type Part } from './schema.ts';

const DEEPEST = 50;
/** Quoted text, with a doubled quote for a quote in it; brackets; everything else up to a blank, a quote or a bracket. */
const TOKENS = /"((?:[^"]|"")*)"(\*?)|([()])|([^\s"()]+)|(")/gu;

type Token =
  | { readonly is: 'leaf'; readonly text: string; readonly open: boolean }
  | { readonly is: 'column'; readonly part: Part }
  | { readonly is: '(' | ')' | 'AND' | 'OR' | 'NOT' };

/**
 * Reads an expression as FTS5 does (`fts5-syntax.ts`). What FTS5 would refuse is read with the same operators, where signs beside a
 * word separate words; what is none of it either is one phrase as a whole (message-search.md 2.2, rule 2).
 *
 * @param expression the text after the rules of sanitation
 * @param analyze    words of a text as they are indexed
 */
export function readWords(expression: string, kind: DocKind, analyze: (text: string) => readonly string[]): ReadSyntax {
  return readFts5(expression, kind, analyze) ?? { wanted: readLoosely(expression, kind, analyze) };
}

function readLoosely(expression: string, kind: DocKind, analyze: (text: string) => readonly string[]): Wanted {
  const tokens = tokensOf(expression, kind);
  const read = tokens && new Reader(tokens, analyze).whole();
  return read ?? { is: 'words', parts: PART_NAMES, words: analyze(expression), open: false };
}

/** `undefined` where a quote or a column is none. */
function tokensOf(expression: string, kind: DocKind): Token[] | undefined {
  const tokens: Token[] = [];
  for (const [, quoted, star, bracket, word, loose] of expression.matchAll(TOKENS)) {
    if (loose !== undefined || /^NEAR$/u.test(word ?? '')) return undefined;
    if (quoted !== undefined) tokens.push({ is: 'leaf', text: quoted, open: star === '*' });
    else if (bracket === '(' || bracket === ')') tokens.push({ is: bracket });
    else if (word === 'AND' || word === 'OR' || word === 'NOT') tokens.push({ is: word });
    else {
      const named = wordTokens(word ?? '', kind);
      if (named === undefined) return undefined;
      tokens.push(...named);
    }
  }
  return tokens;
}

function wordTokens(word: string, kind: DocKind): Token[] | undefined {
  const columns: Readonly<Record<string, Part>> = COLUMNS[kind];
  const [, name, rest] = /^([^:]*):(.*)$/su.exec(word) ?? [];
  if (name === undefined || rest === undefined) return [leaf(word)];
  const part = Object.hasOwn(columns, name.toLowerCase()) ? columns[name.toLowerCase()] : undefined;
  if (part === undefined) return undefined;
  return rest === '' ? [{ is: 'column', part }] : [{ is: 'column', part }, leaf(rest)];
}

function leaf(word: string): Token {
  return word.endsWith('*') ? { is: 'leaf', text: word.slice(0, -1), open: true } : { is: 'leaf', text: word, open: false };
}

/** Every method answers `undefined` for what is no syntax. */
class Reader {
  #at = 0;
  #depth = 0;
  readonly #tokens: readonly Token[];
  readonly #analyze: (text: string) => readonly string[];

  constructor(tokens: readonly Token[], analyze: (text: string) => readonly string[]) {
    this.#tokens = tokens;
    this.#analyze = analyze;
  }

  whole(): Wanted | undefined {
    const read = this.#any();
    return this.#at === this.#tokens.length ? read : undefined;
  }

  #any(): Wanted | undefined {
    return readOperators(
      (operator) => this.#take(operator),
      () => this.#sideBySide(),
    );
  }

  #sideBySide(): Wanted | undefined {
    const of: Wanted[] = [];
    for (
      let token = this.#tokens[this.#at];
      token !== undefined && (token.is === 'leaf' || token.is === 'column' || token.is === '(');
      token = this.#tokens[this.#at]
    ) {
      const one = this.#single(token);
      if (one === undefined) return undefined;
      of.push(one);
    }
    return of.length === 0 ? undefined : together('all', of.length === 1 ? of : of.filter(saysSomething));
  }

  #single(token: Token): Wanted | undefined {
    this.#at += 1;
    if (token.is === 'leaf') return this.#leaf(token, PART_NAMES);
    if (token.is === 'column') {
      const next = this.#tokens[this.#at];
      if (next?.is !== 'leaf') return undefined;
      this.#at += 1;
      return this.#leaf(next, [token.part]);
    }
    this.#depth += 1;
    if (this.#depth > DEEPEST) return undefined;
    const inner = this.#any();
    this.#depth -= 1;
    return this.#take(')') ? inner : undefined;
  }

  #leaf({ text, open }: Extract<Token, { is: 'leaf' }>, parts: readonly Part[]): Wanted {
    return { is: 'words', parts, words: this.#analyze(text), open };
  }

  #take(is: Token['is']): boolean {
    const taken = this.#tokens[this.#at]?.is === is;
    if (taken) this.#at += 1;
    return taken;
  }
}

/** Signs that stand alone between words say nothing. */
function saysSomething(wanted: Wanted): boolean {
  return wanted.is !== 'words' || wanted.words.length > 0;
}
