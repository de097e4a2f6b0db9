import { editDistance } from '../../../core/edit-distance.ts';
import type { WordFinding, WordQuestion } from '../../../core/ports/message-engine.ts';
import { piecesOfName } from '../../text/parts.ts';
import { folded, wordsOfText } from '../../text/words.ts';
import { type Sql, sql } from '../../visibility/sql.ts';
import type { Cell } from '../result-set/reader.ts';
import { seenStatement } from '../result-set/statements.ts';
import { fts5Ranking } from './ranking.ts';

/**
 * What the rows that somebody may see have of a word. The list of words is of all mail, so each of its words counts only where a
 * row that may be seen has it, letter by letter: what is hidden changes no answer. For the same reason nothing ends the look
 * after a number of words, only the deadline of the search (D236).
 */

type All = (statement: Sql) => Cell[][];

/** Rows that are looked at for a word as it is written: FTS5 finds all words of its stem. */
const ROWS_READ = 50;
const MAX_ALIKE = 4;
/** Words for which others that are spelt alike are looked for. */
const MAX_SOUGHT = 4;

export function findWords(all: All, question: WordQuestion): WordFinding[] {
  let sought = 0;
  return question.words.map((word) => {
    const has = isSeen(all, question, quoted(word));
    if (has) return { ...NOTHING, word, has };
    const pieces = piecesOfName(word);
    const apart = pieces.length > 1 && isSeen(all, question, quoted(pieces.join(' '))) ? pieces.join(' ') : null;
    const begins = [...word].length >= SHORTEST_BEGINNING && isSeen(all, question, `${quoted(word)}*`);
    if (begins || apart !== null || sought === MAX_SOUGHT) return { ...NOTHING, word, begins, apart };
    sought += 1;
    const typed = folded(word);
    const longer = longerWords(all, question, typed);
    return { ...NOTHING, word, alike: longer.length > 0 ? longer : wordsLike(all, question, typed) };
  });
}

const NOTHING = { has: false, begins: false, apart: null, alike: [] };
const SHORTEST_BEGINNING = 3;

function quoted(words: string): string {
  return `"${words.replaceAll('"', ' ')}"`;
}

function isSeen(all: All, question: WordQuestion, expression: string): boolean {
  return seen(all, question, expression, 1).length > 0;
}

function seen(all: All, question: WordQuestion, expression: string, most: number): Cell[][] {
  return all(seenStatement(question, fts5Ranking(question.kind, expression), most));
}

/** FTS5 has stems: `coinciden` is no beginning of that of `coincidence`. The shortest come first. */
function longerWords(all: All, question: WordQuestion, word: string): readonly string[] {
  if ([...word].length < SHORTEST_BEGINNING) return [];
  const rows = all(sql`SELECT word FROM words WHERE word > ${word} AND word < ${`${word}\u{10ffff}`} ORDER BY length(word), word`);
  return seenOf(
    all,
    question,
    rows.map(([one]) => String(one)),
  );
}

/** Those of the least distance: one letter, in long words two. */
function wordsLike(all: All, question: WordQuestion, word: string): readonly string[] {
  const size = [...word].length;
  if (size < 4 || size > 32 || !/^\p{Ll}+$/u.test(word)) return [];
  for (let distance = 1; distance <= (size >= 8 ? 2 : 1); distance += 1) {
    const sameStart = seenOf(all, question, candidates(all, word, distance, true));
    if (sameStart.length > 0) return sameStart;
  }
  return seenOf(all, question, candidates(all, word, 1, false));
}

function candidates(all: All, word: string, distance: number, sameStart: boolean): string[] {
  const first = [...word][0] ?? '';
  const from = sameStart ? sql`word >= ${first} AND word < ${`${first}\u{10ffff}`} AND ` : sql``;
  const rows = all(sql`SELECT word FROM words WHERE ${from}length(word) BETWEEN ${[...word].length - distance} AND ${[...word].length + distance}`);
  return rows.map(([one]) => String(one)).filter((one) => editDistance(word, one, distance) === distance);
}

function seenOf(all: All, question: WordQuestion, words: readonly string[]): readonly string[] {
  const found: string[] = [];
  for (const word of words) {
    if (found.length === MAX_ALIKE) break;
    const rows = seen(all, question, quoted(word), ROWS_READ);
    if (rows.some(([, title, body]) => wordsOfText(`${title}\n${body}`).has(word))) found.push(word);
  }
  return found;
}
