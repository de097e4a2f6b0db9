import type { DocKind } from '../../../contracts/index.ts';
import { COLUMNS, readFts5 } from '../tantivy/fts5-syntax.ts';
import type { Wanted } from '../tantivy/operators.ts';
import { CUT, lexeme, type Tokens } from './tokens.ts';

/** What PostgreSQL is asked for an expression of FTS5's. */
export interface WordQuery {
  /** A `tsquery`, written out. */
  readonly query: string;
  /** Words, beginnings and phrases that make a score, each a `tsquery`. */
  readonly leaves: readonly string[];
  /** Rows that have the words of a phrase but not all of their places, so that nobody can say here whether they have it; `null`: there is no phrase. */
  readonly doubtful: string | null;
}

/** No text has it, for a word has no blank. */
const NOTHING = `'no word'`;

/** Reads an expression as FTS5 does, with its words. @throws ExpressionError where FTS5 would not understand it, or nobody but FTS5 does */
export function readExpression(tokens: Tokens, kind: DocKind, expression: string): WordQuery {
  const refused = tokens.whyRefused(expression, Object.keys(COLUMNS[kind]));
  if (refused !== undefined) throw new ExpressionError(refused);
  const read = readFts5(expression, kind, (text) => tokens.analyze(text));
  if (read === undefined) throw new ExpressionError('this syntax of FTS5 is not known here');
  if ('onlyFts5' in read) throw new ExpressionError(`only FTS5 knows ${read.onlyFts5}`);
  const doubts = phrasesIn(read.wanted).map((phrase) => `(${marked(phrase).join(' & ')} & !${phraseOf(phrase)})`);
  const doubtful = doubts.length === 0 ? null : `${lexeme(CUT)} & (${doubts.join(' | ')})`;
  return { query: queryOf(read.wanted), leaves: leavesOf(read.wanted), doubtful };
}

/** The expression is at fault, not the engine. */
export class ExpressionError extends Error {}

const JOINED = { all: ' & ', any: ' | ' };

function queryOf(wanted: Wanted): string {
  if (wanted.is === 'words') return phraseOf(wanted);
  if (wanted.is === 'without') return `(${queryOf(wanted.keep)} & !${queryOf(wanted.drop)})`;
  return `(${wanted.of.map(queryOf).join(JOINED[wanted.is])})`;
}

/** What is behind a NOT is in no row that is found, and so in no score. */
function leavesOf(wanted: Wanted): string[] {
  if (wanted.is === 'words') return wanted.words.length === 0 ? [] : [phraseOf(wanted)];
  return wanted.is === 'without' ? leavesOf(wanted.keep) : wanted.of.flatMap(leavesOf);
}

const LETTERS = { title: 'A', body: 'B' };

type Phrase = Extract<Wanted, { is: 'words' }>;

/** Those of several words, also behind a NOT. */
function phrasesIn(wanted: Wanted): readonly Phrase[] {
  if (wanted.is === 'words') return wanted.words.length > 1 ? [wanted] : [];
  return (wanted.is === 'without' ? [wanted.keep, wanted.drop] : wanted.of).flatMap(phrasesIn);
}

function phraseOf(phrase: Phrase): string {
  return phrase.words.length === 0 ? NOTHING : `(${marked(phrase).join(' <-> ')})`;
}

/** Its words, each with its column, the last one with its star. */
function marked({ words, parts, open }: Phrase): readonly string[] {
  const [part] = parts;
  const letter = parts.length === 1 && part !== undefined ? LETTERS[part] : '';
  const marks = words.map((_, index) => `${open && index === words.length - 1 ? '*' : ''}${letter}`);
  return words.map((word, index) => `${lexeme(word)}${marks[index] === '' ? '' : `:${marks[index]}`}`);
}
