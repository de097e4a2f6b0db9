import { isUtf8 } from 'node:buffer';

/** A record that is malformed, and where in the window: what is said follows the number of that line. */
export class BrokenRecord extends Error {
  override readonly name = 'BrokenRecord';
  readonly at: number;

  constructor(at: number, what: string) {
    super(what);
    this.at = at;
  }
}

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
  /** Also what DuckDB refuses by itself, but without saying where: fields too many or too few, and what is not UTF-8. */
  readonly isThorough: boolean;
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
 * @returns the start of the last record that is not complete, or the length of the window. Throws BrokenRecord.
 */
export function checkRecords(window: Buffer, shape: CsvShape, isLast: boolean): number {
  const quotes = finder(window, QUOTE);
  const returns = finder(window, CR);
  let record = 0;
  let from = 0;
  while (record < window.length) {
    const feed = window.indexOf(LF, from);
    const end = feed < 0 ? window.length : feed;
    const quote = quotes(from);
    if (quote < end) {
      if (returns(from) < quote) throw strayReturn(returns(from));
      const behind = endOfQuoted(window, record, quote, isLast);
      if (behind === undefined) return record;
      from = behind;
      continue;
    }
    if (feed < 0 && !isLast) return record;
    checkLine(window, record, end, feed < 0 ? { ...shape, lineEnd: undefined } : shape, returns(from));
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
  if (opening !== record && window[opening - 1] !== COMMA) throw new BrokenRecord(opening, 'has a quote in a field that does not begin with one');
  for (let from = opening + 1; ; ) {
    const quote = window.indexOf(QUOTE, from);
    if (quote < 0 && isLast) throw new BrokenRecord(opening, 'has a quote that is never closed');
    if (quote < 0 || (quote + 1 === window.length && !isLast)) return undefined;
    const next = window[quote + 1];
    if (next !== QUOTE) {
      if (next !== undefined && next !== COMMA && next !== LF && next !== CR) throw new BrokenRecord(quote, 'has text behind the closing quote of a field');
      return quote + 1;
    }
    from = quote + 2;
  }
}

interface LineShape extends Omit<CsvShape, 'lineEnd'> {
  /** undefined for a last line without an end. */
  readonly lineEnd: LineEnd | undefined;
}

/** @param cr the next CR outside of quotes, if it lies before `end` */
function checkLine(window: Buffer, record: number, end: number, { columns, lineEnd, isThorough }: LineShape, cr: number): void {
  const written: LineEnd = cr === end - 1 ? 'CRLF' : 'LF';
  if (cr < end && (written === 'LF' || lineEnd === undefined)) throw strayReturn(cr);
  if (lineEnd !== undefined && written !== lineEnd) throw new BrokenRecord(end, `ends with ${written}, and the header row with ${lineEnd}`);
  const stop = written === 'CRLF' ? cr : end;
  if (stop === record) throw new BrokenRecord(record, 'is empty');
  // Only fields that are empty may be too many here.
  if ((isThorough || endsEmpty(window, stop)) && fieldsIn(window, record, stop) !== columns)
    throw new BrokenRecord(record, 'has more or fewer fields than the header row');
  if (isThorough && !isUtf8(window.subarray(record, stop))) throw new BrokenRecord(record, 'is not UTF-8');
}

function strayReturn(at: number): BrokenRecord {
  return new BrokenRecord(at, 'has a CR that stands outside of quotes and does not end it');
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
