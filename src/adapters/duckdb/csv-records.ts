import { BrokenDataSet } from './layout.ts';

const LF = 0x0a;
const CR = 0x0d;
const QUOTE = 0x22;
const COMMA = 0x2c;

export type LineEnd = 'LF' | 'CRLF';

/** What is known of a file before its records are looked at. */
export interface CsvShape {
  /** Fields of every record. */
  readonly columns: number;
  readonly lineEnd: LineEnd;
}

/**
 * The grammar of RFC 4180, section 2, strictly, as far as DuckDB does not keep to it: it reads surplus fields that are
 * empty, empty lines, blanks around quotes, a quote inside a plain field and CR alone as the end of a line without a word.
 * Fields that are missing, and surplus ones with content, it refuses itself.
 *
 * Searches for the few bytes that matter and looks at their neighbours: a step for each byte would take half as long as DuckDB.
 *
 * @param window begins with a record
 * @param isLast whether the file ends with it
 * @returns the start of the last record that is not complete, or the length of the window. Throws Broken.
 */
export function checkRecords(window: Buffer, { columns, lineEnd }: CsvShape, isLast: boolean): number {
  const quotes = finder(window, QUOTE);
  const returns = finder(window, CR);
  let record = 0;
  let from = 0;
  while (record < window.length) {
    const feed = window.indexOf(LF, from);
    const end = feed < 0 ? window.length : feed;
    const quote = quotes(from);
    if (quote < end) {
      if (returns(from) < quote) throw strayReturn();
      const behind = endOfQuoted(window, record, quote, isLast);
      if (behind === undefined) return record;
      from = behind;
      continue;
    }
    if (feed < 0 && !isLast) return record;
    checkLine(window, record, end, { columns, lineEnd: feed < 0 ? undefined : lineEnd }, returns(from));
    record = end + 1;
    from = record;
  }
  return Math.min(record, window.length);
}

/** Finds a byte from ever later places on; asks the window only when the last find is passed. */
function finder(window: Buffer, byte: number): (from: number) => number {
  let found = -1;
  return (from) => {
    if (found < from) {
      const next = window.indexOf(byte, from);
      found = next < 0 ? window.length : next;
    }
    return found;
  };
}

/** Behind the quote that closes a field; undefined when that lies behind the window. */
function endOfQuoted(window: Buffer, record: number, opening: number, isLast: boolean): number | undefined {
  if (opening !== record && window[opening - 1] !== COMMA) throw new BrokenDataSet('a record has a quote in a field that does not begin with one');
  for (let from = opening + 1; ; ) {
    const quote = window.indexOf(QUOTE, from);
    if (quote < 0 && isLast) throw new BrokenDataSet('a quote is never closed');
    if (quote < 0 || (quote + 1 === window.length && !isLast)) return undefined;
    const next = window[quote + 1];
    if (next !== QUOTE) {
      if (next !== undefined && next !== COMMA && next !== LF && next !== CR) throw new BrokenDataSet('a record has text behind the closing quote of a field');
      return quote + 1;
    }
    from = quote + 2;
  }
}

/** @param cr the next CR outside of quotes, if it lies before `end` */
function checkLine(window: Buffer, record: number, end: number, { columns, lineEnd }: { columns: number; lineEnd: LineEnd | undefined }, cr: number): void {
  const written: LineEnd = cr === end - 1 ? 'CRLF' : 'LF';
  if (cr < end && (written === 'LF' || lineEnd === undefined)) throw strayReturn();
  if (lineEnd !== undefined && written !== lineEnd) throw new BrokenDataSet('some lines end with LF and others with CRLF');
  const stop = written === 'CRLF' ? cr : end;
  if (stop === record) throw new BrokenDataSet('a line is empty');
  // Only fields that are empty may be too many here.
  if (endsEmpty(window, stop) && fieldsIn(window, record, stop) !== columns) throw new BrokenDataSet('a record has more or fewer fields than the header row');
}

function strayReturn(): BrokenDataSet {
  return new BrokenDataSet('a CR stands outside of quotes and does not end a line');
}

/** Whether the last field is empty, plain or in quotes. */
function endsEmpty(window: Buffer, stop: number): boolean {
  if (window[stop - 1] === COMMA) return true;
  return window[stop - 1] === QUOTE && window[stop - 2] === QUOTE && window[stop - 3] === COMMA;
}

function fieldsIn(window: Buffer, record: number, stop: number): number {
  let fields = 1;
  let isQuoted = false;
  for (let at = record; at < stop; at += 1) {
    if (window[at] === QUOTE) isQuoted = !isQuoted;
    else if (window[at] === COMMA && !isQuoted) fields += 1;
  }
  return fields;
}
