import { Sqlite } from '../../../adapters/sqlite/driver.ts';
import type { SqliteDatabase } from '../../../adapters/sqlite/open.ts';
import { messageOf } from '../../../core/errors.ts';
import { withoutMarks } from '../../text/marks.ts';

/** The columns of the full text, in the order of their letters in PostgreSQL: A to D. */
const COLUMNS = ['subject', 'body', 'subject_parts', 'body_parts'] as const;
export type Texts = readonly [title: string, body: string, titleParts: string, bodyParts: string];

/** What PostgreSQL keeps of a text. */
export interface TextWords {
  /** A `tsvector`, written out. */
  readonly vector: string;
  readonly count: number;
}

export interface Tokens {
  /** The words of texts as the store's full text has them. */
  wordsOf(texts: readonly Texts[]): readonly TextWords[];
  /** The words of one text, in their order. */
  analyze(text: string): readonly string[];
  /** Why FTS5 does not understand an expression; `undefined`: it does. */
  whyRefused(expression: string, columns: readonly string[]): string | undefined;
}

/** PostgreSQL knows places up to this one, and so many of a word; what lies behind is found, but not as part of a phrase. Such a text has `CUT` among its words. */
const LAST_PLACE = 16_383;
const MAX_PLACES = 255;
/** No text has it, for a word has no blank. */
export const CUT = 'cut text';
/** Between columns, so that no phrase reaches from one into the next. */
const GAP = 16;
/** Bytes of a word, and of all words of a message, that PostgreSQL takes; further ones are left out. */
const WORD_BYTES = 2000;
const ALL_BYTES = 900_000;

const TOKENIZER = `tokenize = 'porter unicode61 remove_diacritics 2'`;

/**
 * SQLite's own tokens, from a table in memory with the tokenizer of the store: words, stems and accents are then the same in both
 * engines, and no dictionary of a server changes what is found.
 */
export function createTokens(): Tokens {
  const db = new Sqlite(':memory:');
  db.exec(`CREATE VIRTUAL TABLE texts USING fts5(${COLUMNS.join(', ')}, ${TOKENIZER});
    CREATE VIRTUAL TABLE instances USING fts5vocab(texts, 'instance')`);
  const insert = db.prepare('INSERT INTO texts (rowid, subject, body, subject_parts, body_parts) VALUES (?, ?, ?, ?, ?)');
  const instances = db.prepare<[], [doc: number, term: string, column: string, offset: number]>('SELECT doc, term, col, offset FROM instances').raw();
  const empty = new Map<string, SqliteDatabase>();

  function tokensOf(texts: readonly Texts[]): Token[][] {
    const found: Token[][] = texts.map(() => []);
    db.transaction(() => {
      // For FTS5 a text ends with its first NUL.
      for (const [index, columns] of texts.entries()) insert.run(index, ...columns.map((text) => withoutMarks(text.replaceAll('\0', ' '))));
      for (const [doc, term, column, offset] of instances.iterate()) found[doc]?.push({ term, column: COLUMN_NUMBERS.get(column) ?? 0, offset });
      db.exec('DELETE FROM texts');
    })();
    return found;
  }

  return {
    wordsOf: (texts) => tokensOf(texts).map((tokens) => ({ vector: vectorOf(tokens), count: tokens.length })),
    analyze(text) {
      const [tokens = []] = tokensOf([[text, '', '', '']]);
      return tokens.sort((a, b) => a.offset - b.offset).map(({ term }) => term);
    },
    whyRefused(expression, columns) {
      const name = columns.join();
      const table = empty.get(name) ?? emptyTable(columns);
      empty.set(name, table);
      try {
        table.prepare('SELECT 1 FROM texts WHERE texts MATCH ?').get(expression);
        return undefined;
      } catch (error) {
        return messageOf(error);
      }
    },
  };
}

interface Token {
  readonly term: string;
  readonly column: number;
  readonly offset: number;
}

const COLUMN_NUMBERS = new Map<string, number>(COLUMNS.map((column, index) => [column, index]));
const LETTERS = ['A', 'B', 'C', ''] as const;

function emptyTable(columns: readonly string[]): SqliteDatabase {
  const db = new Sqlite(':memory:');
  db.exec(`CREATE VIRTUAL TABLE texts USING fts5(${columns.join(', ')}, ${TOKENIZER})`);
  return db;
}

function vectorOf(tokens: readonly Token[]): string {
  const starts = startsOf(tokens);
  const places = new Map<string, string[]>();
  let bytes = 0;
  let isCut = false;
  for (const { term, column, offset } of tokens) {
    const known = places.get(term);
    if (known === undefined) bytes += Buffer.byteLength(term) + 8;
    if (Buffer.byteLength(term) > WORD_BYTES || bytes > ALL_BYTES) continue;
    const list = known ?? [];
    places.set(term, list);
    const place = (starts[column] ?? 0) + offset + 1;
    isCut ||= list.length === MAX_PLACES || place > LAST_PLACE;
    if (list.length < MAX_PLACES) list.push(`${Math.min(LAST_PLACE, place)}${LETTERS[column] ?? ''}`);
  }
  const words = [...places].map(([term, list]) => `${lexeme(term)}:${list.join(',')}`);
  return (isCut ? [...words, lexeme(CUT)] : words).join(' ');
}

/** Where each column begins. */
function startsOf(tokens: readonly Token[]): number[] {
  const lengths = [0, 0, 0, 0];
  for (const { column, offset } of tokens) lengths[column] = Math.max(lengths[column] ?? 0, offset + 1);
  let next = 0;
  return lengths.map((length) => {
    const start = next;
    next += length === 0 ? 0 : length + GAP;
    return start;
  });
}

/** A word between quotes, as `tsvector` and `tsquery` read it. */
export function lexeme(term: string): string {
  return `'${term.replace(/['\\]/gu, '$&$&')}'`;
}
