import type { DocKind } from '../../../contracts/index.ts';
import { type Piece, piecesOf } from '../../search/bounded-words.ts';
import { readOperators, together, type Wanted } from './operators.ts';
import { PART_NAMES, type Part } from './schema.ts';

type WantedWords = Extract<Wanted, { readonly is: 'words' }>;

/** What an expression comes to: what it looks for, or that FTS5 knows something in it that no other engine does. */
export type ReadSyntax = { readonly wanted: Wanted } | { readonly onlyFts5: string };

/** Columns that may be named before a colon, as FTS5 has them. */
export const COLUMNS = {
  message: { subject: 'title', body: 'body' },
  agent: { name: 'title', task_description: 'body' },
  project: { slug: 'title', human_key: 'body' },
} satisfies Record<DocKind, Readonly<Record<string, Part>>>;

const DEEPEST = 50;

/**
 * Reads an expression by the grammar of FTS5 (https://sqlite.org/fts5.html#full_text_query_syntax), so that every engine
 * looks for the same: words side by side, `AND`, `OR`, `NOT`, brackets, phrases, `a + b`, `begin*`, `subject : word`.
 *
 * @param analyze words of a text as they are indexed
 * @returns `undefined` for what is no such expression
 */
export function readFts5(expression: string, kind: DocKind, analyze: (text: string) => readonly string[]): ReadSyntax | undefined {
  const pieces = piecesOf(expression);
  return pieces === undefined ? undefined : new Reader(pieces, COLUMNS[kind], analyze).whole();
}

/** Every method answers `undefined` for what is no syntax. */
class Reader {
  #at = 0;
  #depth = 0;
  #onlyFts5: string | undefined;
  readonly #pieces: readonly Piece[];
  readonly #columns: Readonly<Record<string, Part>>;
  readonly #analyze: (text: string) => readonly string[];

  constructor(pieces: readonly Piece[], columns: Readonly<Record<string, Part>>, analyze: (text: string) => readonly string[]) {
    this.#pieces = pieces;
    this.#columns = columns;
    this.#analyze = analyze;
  }

  whole(): ReadSyntax | undefined {
    const wanted = this.#any(undefined);
    if (wanted === undefined || this.#at < this.#pieces.length) return undefined;
    return this.#onlyFts5 === undefined ? { wanted } : { onlyFts5: this.#onlyFts5 };
  }

  /** @param part the column that a bracket was given */
  #any(part: Part | undefined): Wanted | undefined {
    return readOperators(
      (operator) => this.#take(operator),
      () => this.#operand(part),
    );
  }

  #operand(part: Part | undefined): Wanted | undefined {
    if (this.#take('(')) return this.#bracket(part);
    const of: WantedWords[] = [];
    do {
      const column = this.#column(part);
      if (column === undefined) return undefined;
      // A bracket stands alone, with or without a column.
      if (column.isNamed && this.#take('(')) return of.length === 0 ? this.#bracket(column.part) : undefined;
      const one = this.#near(column.part);
      if (one === undefined) return undefined;
      of.push(one);
    } while (this.#goesOn());
    const saying = of.filter(({ words }) => words.length > 0);
    return together('all', saying.length === 0 ? of.slice(0, 1) : saying);
  }

  #bracket(part: Part | undefined): Wanted | undefined {
    this.#depth += 1;
    if (this.#depth > DEEPEST) return undefined;
    const inner = this.#any(part);
    this.#depth -= 1;
    return this.#take(')') ? inner : undefined;
  }

  #goesOn(): boolean {
    const next = this.#pieces[this.#at];
    return next !== undefined && ('phrase' in next || next.sign === '{' || next.sign === '-' || next.sign === '^');
  }

  /** The column that is named here; that of the bracket where none is. */
  #column(outer: Part | undefined): { readonly part: Part | undefined; readonly isNamed: boolean } | undefined {
    const isSet = this.#is('-') || this.#is('{');
    if (!isSet && this.#sign(1) !== ':') return { part: outer, isNamed: false };
    if (isSet) this.#onlyFts5 ??= 'columns in braces or behind a minus';
    this.#take('-');
    const braces = this.#take('{');
    let part: Part | undefined;
    do {
      part = this.#columnName();
      if (part === undefined) return undefined;
    } while (braces && !this.#take('}'));
    if (outer !== undefined) this.#onlyFts5 ??= 'a column within the brackets of another one';
    return this.#take(':') ? { part, isNamed: true } : undefined;
  }

  #columnName(): Part | undefined {
    const name = this.#phrase()?.toLowerCase();
    return name !== undefined && Object.hasOwn(this.#columns, name) ? this.#columns[name] : undefined;
  }

  /** A phrase, or several of them near each other. */
  #near(part: Part | undefined): WantedWords | undefined {
    const piece = this.#pieces[this.#at];
    if (piece !== undefined && 'phrase' in piece && piece.phrase === 'NEAR' && this.#sign(1) === '(') return this.#nearGroup();
    if (this.#take('^')) this.#onlyFts5 ??= 'the beginning of a column (^)';
    return this.#joinedPhrase(part);
  }

  #nearGroup(): WantedWords | undefined {
    this.#onlyFts5 ??= 'NEAR';
    this.#at += 2;
    let last: WantedWords | undefined;
    do {
      last = this.#joinedPhrase(undefined);
      if (last === undefined) return undefined;
    } while (this.#pieces[this.#at] !== undefined && !this.#is(',') && !this.#is(')'));
    if (this.#take(',') && !/^\d+$/u.test(this.#phrase() ?? '')) return undefined;
    return this.#take(')') ? last : undefined;
  }

  #joinedPhrase(part: Part | undefined): WantedWords | undefined {
    const words: string[] = [];
    let open = false;
    do {
      if (open) this.#onlyFts5 ??= 'a beginning within a phrase';
      const text = this.#phrase();
      if (text === undefined) return undefined;
      words.push(...this.#analyze(text));
      open = this.#take('*');
    } while (this.#take('+'));
    return { is: 'words', parts: part === undefined ? PART_NAMES : [part], words, open };
  }

  /** A word, or what lies between quotes. */
  #phrase(): string | undefined {
    const piece = this.#pieces[this.#at];
    if (piece === undefined || !('phrase' in piece)) return undefined;
    this.#at += 1;
    return piece.phrase.startsWith('"') ? piece.phrase.slice(1, -1).replaceAll('""', '"') : piece.phrase;
  }

  #sign(ahead: number): string | undefined {
    const piece = this.#pieces[this.#at + ahead];
    return piece !== undefined && 'sign' in piece ? piece.sign : undefined;
  }

  #is(sign: string): boolean {
    return this.#sign(0) === sign;
  }

  #take(sign: string): boolean {
    const taken = this.#is(sign);
    if (taken) this.#at += 1;
    return taken;
  }
}
