import { randomBytes } from 'node:crypto';
import { Sqlite } from '../../../adapters/sqlite/driver.ts';
import type { SqliteDatabase } from '../../../adapters/sqlite/open.ts';
import { askedWords, type EngineRow } from '../../../core/ports/message-engine.ts';
import type { Excerpt, MakeExcerpts, Span } from '../../../core/ports/message-excerpts.ts';
import { anyOf } from '../../search/any-of.ts';
import { likeTerms } from '../../search/like-terms.ts';
import { withoutMarks } from '../../text/marks.ts';

/** Words of a body that are shown, as FTS5 counts them, and UTF-16 units that these may have at most. */
const WORDS_SHOWN = 32;
const MAX_SHOWN = 400;
/** UTF-16 units of the bodies of a page that are looked through; what lies behind is shown from its beginning, without marks. */
const MAX_READ = 4 * 2 ** 20;
/** Before the first part that matches, where no index of words has cut the text. */
const SHOWN_BEFORE = 60;
const ELLIPSIS = '…';

/**
 * Cuts and marks the texts of a page by FTS5's own words, stems and phrases, in a table in memory that has the rows of this page
 * and nothing else: whichever engine found them, nothing of other rows can be told (D281).
 */
export function createExcerpts(): MakeExcerpts {
  let db: SqliteDatabase | undefined;
  return (rows, match) => {
    const texts = readable(rows);
    if (match.by === 'filters') return new Map(texts.map((row) => [row.id, beginning(row.body)]));
    const terms = match.by === 'substrings' ? match.terms : likeTerms(match.text);
    const expression = match.by === 'words' ? anyOf(askedWords(match)) : undefined;
    db ??= openPage();
    const marked = expression === undefined ? new Map<number, Excerpt>() : markedWords(db, texts, expression);
    return new Map(texts.map((row) => [row.id, hasMarks(marked.get(row.id)) ?? markedParts(row, terms)]));
  };
}

type Text = Pick<EngineRow, 'id' | 'title' | 'body'>;

function openPage(): SqliteDatabase {
  const db = new Sqlite(':memory:');
  // As fts_messages has it, without the index of beginnings.
  db.exec("CREATE VIRTUAL TABLE page USING fts5(title, body, tokenize = 'porter unicode61 remove_diacritics 2')");
  return db;
}

/** The rows with as much of their bodies as may be looked through. */
function readable(rows: readonly Text[]): Text[] {
  let room = MAX_READ;
  return rows.map(({ id, title, body }) => {
    const read = body.slice(0, room);
    room -= read.length;
    return { id, title, body: read === '' ? body.slice(0, MAX_SHOWN) : read };
  });
}

function markedWords(db: SqliteDatabase, texts: readonly Text[], expression: string): Map<number, Excerpt> {
  // Nobody can write these into a mail.
  const nonce = randomBytes(8).toString('hex');
  const [open, close] = [`\u0002${nonce}`, `\u0003${nonce}`];
  const insert = db.prepare('INSERT INTO page (rowid, title, body) VALUES (?, ?, ?)');
  const select = db.prepare<[string, string, string, string, string, number, string], [id: number, title: string, body: string]>(
    'SELECT rowid, highlight(page, 0, ?, ?), snippet(page, 1, ?, ?, ?, ?) FROM page WHERE page MATCH ?',
  );
  try {
    return db.transaction(() => {
      for (const { id, title, body } of texts) insert.run(id, asIndexed(title), asIndexed(body));
      const found = select.raw(true).all(open, close, open, close, ELLIPSIS, WORDS_SHOWN, withoutMarks(expression));
      db.exec('DELETE FROM page');
      const bodies = new Map(texts.map(({ id, body }) => [id, body]));
      return new Map(
        found.map(([id, title, body]) => [id, excerptOf(spansOf(title, open, close).spans, asWritten(spansOf(body, open, close), bodies.get(id)))]),
      );
    })();
  } catch (error) {
    // What FTS5 cannot parse is shown by its parts.
    if (error instanceof Sqlite.SqliteError && error.code === 'SQLITE_ERROR') return new Map();
    throw error;
  }
}

/** A text with its places: where points stand behind their letters, what is indexed has others, and the text stays as it is. */
function asIndexed(text: string): string {
  // For FTS5 a text ends with its first NUL.
  const whole = text.replaceAll('\0', ' ');
  const bare = withoutMarks(whole);
  return bare.length === whole.length ? bare : whole;
}

/** A cut text with the accents that its body has. */
function asWritten({ text, spans }: Marked, body = ''): Marked {
  const indexed = asIndexed(body);
  if (indexed === body) return { text, spans };
  const [before, after] = [text.startsWith(ELLIPSIS), text.endsWith(ELLIPSIS)].map((isCut) => (isCut ? ELLIPSIS : ''));
  const part = text.slice(before?.length, text.length - (after?.length ?? 0));
  const at = indexed.indexOf(part);
  return at < 0 ? { text, spans } : { text: `${before}${body.slice(at, at + part.length).replaceAll('\0', ' ')}${after}`, spans };
}

interface Marked {
  readonly text: string;
  readonly spans: readonly Span[];
}

/** A text without its marks, and where these were. */
function spansOf(marked: string, open: string, close: string): Marked {
  let text = '';
  const spans: Span[] = [];
  for (const [index, piece] of marked.split(open).entries()) {
    const [inside = '', outside] = index === 0 ? ['', piece] : piece.split(close);
    if (inside !== '') spans.push({ start: text.length, end: text.length + inside.length });
    text += inside + (outside ?? '');
  }
  return { text, spans };
}

function excerptOf(title: readonly Span[], body: Marked): Excerpt {
  const { text, spans } = cut(body);
  return { title_highlights: title, text, highlights: spans };
}

/** A word of thousands of letters is a word, too. */
function cut({ text, spans }: Marked): Marked {
  if (text.length <= MAX_SHOWN) return { text, spans };
  const start = Math.max(0, Math.min((spans[0]?.start ?? 0) - SHOWN_BEFORE, text.length - MAX_SHOWN));
  const whole = pair(text, start) ? start + 1 : start;
  const end = pair(text, whole + MAX_SHOWN) ? whole + MAX_SHOWN - 1 : Math.min(text.length, whole + MAX_SHOWN);
  const before = whole > 0 ? ELLIPSIS : '';
  const shift = before.length - whole;
  const kept = spans.flatMap((span) => {
    const [from, to] = [Math.max(span.start, whole), Math.min(span.end, end)];
    return from < to ? [{ start: from + shift, end: to + shift }] : [];
  });
  return { text: `${before}${text.slice(whole, end)}${end < text.length ? ELLIPSIS : ''}`, spans: kept };
}

/** Whether a cut here would take a code point of two units apart. */
function pair(text: string, at: number): boolean {
  return at > 0 && /[\ud800-\udbff][\udc00-\udfff]/.test(text.slice(at - 1, at + 1));
}

function hasMarks(excerpt: Excerpt | undefined): Excerpt | undefined {
  return excerpt !== undefined && excerpt.title_highlights.length + excerpt.highlights.length > 0 ? excerpt : undefined;
}

/** Parts of words, where no whole word of the text is one of the query's: pieces of names, scripts without blanks. */
function markedParts({ title, body }: Text, terms: readonly string[]): Excerpt {
  const parts = terms.filter((term) => term !== '').map((term) => term.replace(/[\\^$.*+?()[\]{}|/]/gu, '\\$&'));
  if (parts.length === 0) return beginning(body);
  const pattern = new RegExp(parts.join('|'), 'giu');
  const spans = (text: string): Span[] => Array.from(text.matchAll(pattern), (found) => ({ start: found.index, end: found.index + found[0].length }));
  return excerptOf(spans(title), { text: body, spans: spans(body) });
}

function beginning(body: string): Excerpt {
  return excerptOf([], { text: body, spans: [] });
}
