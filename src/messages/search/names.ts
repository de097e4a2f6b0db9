import { hasUnsegmented, pairsAsked, runsOf } from '../text/scripts.ts';
import { isOperator } from './sanitize.ts';

/**
 * Names as people type them: paths, URLs, dotted names, `std::vector`, and words of scripts without blanks. FTS5 refuses
 * the first ones, and has nothing but whole runs of the others; as phrases it finds and ranks both (D235). Everything else stays
 * as it is, so that what FTS5 refuses besides is looked for in the tables (message-search.md 2.2, rule 2).
 */

/** Before a colon these are columns of FTS5, or fields of the assistance, and stay what they are. */
const FIELDS = new Set(
  'subject,body,name,task_description,slug,human_key,from,sender,from_agent,sender_name,frm,thread,thread_id,thr,project,proj,project_key,project_slug,before,until,date_end,date_to,after,since,date_start,date_from,importance,priority,prio,imp'.split(
    ',',
  ),
);
const EDGES = /^([^\p{L}\p{N}\p{M}_]*)(.*?)([^\p{L}\p{N}\p{M}_]*)$/su;
/** Signs that join letters to a name. Commas and brackets list things; a hyphen alone was looked after before. */
const JOINS = /[\p{L}\p{N}\p{M}_][./:@\\#+~&=%?!$|-]+[\p{L}\p{N}\p{M}_]/u;

/** What FTS5 is asked for a text after its sanitation. Phrases that somebody wrote stay as they are. */
export function namesAsPhrases(query: string): string {
  const pieces = query.split('"');
  // Without a pair for each quote nobody knows what lies within them.
  if (pieces.length % 2 === 0) return query;
  const words = pieces.flatMap((piece, index) => (index % 2 === 1 ? [] : piece.split(' ')));
  if (!words.some(isName) && !hasUnsegmented(query)) return query;
  const balanced = isBalanced(words);
  const outside = (piece: string): string =>
    piece
      .split(' ')
      .map((word) => asPhrase(word, balanced))
      .join(' ');
  return pieces.map((piece, index) => (index % 2 === 1 ? `"${inQuotes(piece)}"` : outside(piece))).join('');
}

const MAX_JOINED = { words: 6, letters: 48 };

/**
 * The words of a plain list as one name: who types `create message search` may mean `createMessageSearch`, and `sha 256` is
 * written `sha256`. `undefined` for every other expression.
 */
export function joinedName(expression: string): string | undefined {
  const words = expression.split(' ');
  if (words.length < 2 || words.length > MAX_JOINED.words || !words.every((word) => /^[\p{L}\p{N}]+$/u.test(word) && !isOperator(word))) return undefined;
  const joined = words.join('');
  return joined.length > MAX_JOINED.letters || hasUnsegmented(joined) ? undefined : joined.toLowerCase();
}

/** Whether a word is `field:value` of a column or of the assistance. */
export function namesField(word: string): boolean {
  const field = /^([^:]*):[^:/]/u.exec(word)?.[1];
  return field !== undefined && FIELDS.has(field.toLowerCase());
}

function isName(word: string): boolean {
  const core = EDGES.exec(word)?.[2] ?? '';
  if (!JOINS.test(core) || /^[A-Za-z0-9]+(?:-[A-Za-z0-9]+)+$/u.test(core) || /[(),{}*^]/u.test(core)) return false;
  return !namesField(core);
}

/** Brackets at the edges of words, one for each. */
function isBalanced(words: readonly string[]): boolean {
  const text = words.map((word) => word.replace(/[^()]/gu, '')).join('');
  let depth = 0;
  for (const sign of text) {
    depth += sign === '(' ? 1 : -1;
    if (depth < 0) return false;
  }
  return depth === 0;
}

function asPhrase(word: string, keepsBrackets: boolean): string {
  if (word === '') return word;
  const [, before = '', core = '', after = ''] = EDGES.exec(word) ?? [];
  if (!isName(word)) return hasUnsegmented(word) ? runPhrase(word) : word;
  const [open, close] = keepsBrackets ? [before.replace(/[^(]/gu, ''), after.replace(/[^)]/gu, '')] : ['', ''];
  // `src/auth/**` are the files below, `plan.*` every word after it.
  const star = /^\*$/u.test(after) && !core.includes('/') ? '*' : '';
  return `${open}${phraseOf(core)}${star}${close}`;
}

/** Only a word that is nothing else: a column, a bracket or a star beside it keep their meaning. */
function runPhrase(word: string): string {
  return word.replace(/[\p{L}\p{N}\p{M}_]+(?=\*?)/gu, (run) => (hasUnsegmented(run) ? phraseOf(run) : run));
}

function inQuotes(phrase: string): string {
  return hasUnsegmented(phrase) ? phraseOf(phrase).replace(/^"|"\*?$/gu, '') : phrase;
}

/** A phrase of the words of a name; where it ends with a single letter of a script without blanks, its beginning. */
function phraseOf(name: string): string {
  if (!hasUnsegmented(name)) return `"${name}"`;
  let isBeginning = false;
  const words = runsOf(name).flatMap(({ text, isUnsegmented }, index, all) => {
    if (!isUnsegmented) return [text];
    const asked = pairsAsked(text);
    // Behind a pair that is followed by something else there is the last letter alone.
    const isLast = index === all.length - 1;
    isBeginning = isLast && asked.isBeginning;
    return isLast || asked.isBeginning ? asked.pairs : [...asked.pairs, ...[...text.replace(/\p{M}/gu, '')].slice(-1)];
  });
  return `"${words.join(' ')}"${isBeginning ? '*' : ''}`;
}
