const OPERATORS = new Set(['AND', 'OR', 'NOT', 'NEAR']);
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;

/** Text without blanks at the ends, and with one space for each run of blanks (message-search.md 2.2, rule 1). NUL, which ends a text in SQLite, is a blank. */
export function normalText(text: string): string {
  return text.replace(/[\s\0]+/gu, ' ').trim();
}

/**
 * What FTS5 is asked for a text of a person, or `undefined` when the text has nothing to look for (message-search.md 2.2,
 * rule 2). Valid FTS5 syntax stays as it is, words with hyphens become phrases; what is still no FTS5 then fails there,
 * and is looked for in the tables.
 */
export function sanitizeFtsQuery(text: string): string | undefined {
  const query = withoutStars(text.trim());
  if (query === undefined) return undefined;
  return quoteHyphenated(query.replace(/ {2,}/g, ' '));
}

/** Stars in front, and one that stands alone at the end, say nothing. */
function withoutStars(text: string): string | undefined {
  const query = text.replace(/^[\s*]+/u, '');
  if (saysNothing(query)) return undefined;
  const bare = query.endsWith(' *') ? query.slice(0, -2).trimEnd() : query;
  return bare === '' ? undefined : bare;
}

function saysNothing(query: string): boolean {
  if (!LETTER_OR_DIGIT.test(query)) return true;
  const words = query
    .split(/\s+/u)
    .map((word) => word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, ''))
    .filter((word) => word !== '');
  return words.every((word) => isOperator(word));
}

/** Whether FTS5 reads a word as an operator, in any case: a person who types only these looks for nothing. */
export function isOperator(word: string): boolean {
  return OPERATORS.has(word.toUpperCase());
}

/** FTS5 takes the hyphen of `POL-358` for a column filter; in quotes it is a phrase. Quoted parts stay as they are. */
function quoteHyphenated(query: string): string {
  if (!query.includes('-') || isOneQuoted(query)) return query;
  // Odd parts lie within quotes.
  return query
    .split('"')
    .map((part, index) => (index % 2 === 0 ? part.replace(/[A-Za-z0-9]+(?:-[A-Za-z0-9]+)+/g, '"$&"') : part))
    .join('"');
}

function isOneQuoted(query: string): boolean {
  return query.length >= 2 && query.startsWith('"') && query.endsWith('"') && query.split('"').length === 3;
}

const PHRASE = '(?:(?:"[^"]*")+|[A-Za-z0-9_\\u0080-\\u{10ffff}]+)';
const JOINED = new RegExp(`${PHRASE}(?:[ \\t\\r\\n]*\\+[ \\t\\r\\n]*${PHRASE})*`, 'gu');

/** `one + "two three"` is FTS5's other way to write the phrase "one two three". As that, everybody here knows it for one. */
export function joinedAsPhrases(expression: string): string {
  return expression.replace(JOINED, (joined) => {
    const parts = joined.match(new RegExp(PHRASE, 'gu')) ?? [];
    if (parts.length < 2 || parts.some(isSign)) return joined;
    return `"${parts.map((part) => (part.startsWith('"') ? part.slice(1, -1) : part)).join(' ')}"`;
  });
}

/** Only in capitals. */
function isSign(word: string): boolean {
  return word === 'AND' || word === 'OR' || word === 'NOT';
}
