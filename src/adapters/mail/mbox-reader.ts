import { readSync } from 'node:fs';

/**
 * The format (RFC 4155, and its dialects mboxo and mboxrd): a message begins with a line `From …` that follows an empty
 * line or begins the file. `Content-Length` is not believed. A line of one or more `>` and then `From ` has one `>` too
 * many: mboxrd puts one in front of all such lines, mboxo only in front of `From `. For `>From ` they agree; mboxo's rarer
 * `>>From ` cannot be told from mboxrd's. Lines end with LF or CRLF.
 */
export interface MboxReader {
  /** Each message without its `From ` line, the empty line behind it and the quoting; whole up to 4 MiB, else in pieces. */
  messages(): Generator<Buffer | AsyncIterable<Buffer>, void, void>;
}

/** The file begins with something else than a message. */
class NotAnMbox extends Error {
  override readonly name = 'NotAnMbox';
  readonly code = 'NOT_AN_MBOX';
}

/** Messages up to this size are handed over whole (port `MessageSource`). */
const WHOLE = 4 * 1024 * 1024;
const WINDOW = 2 * WHOLE;
const LF = 0x0a;
const CR = 0x0d;
const FROM = Buffer.from('From ');
const NEXT_FROM = Buffer.from('\nFrom ');
/** As much of an empty line and `From ` as may stand at the end of the window while the rest is not read yet. */
const UNDECIDED = 8;

/** Reads through one window over the file, so a file of any size needs the same memory. */
export function createMboxReader(fd: number): MboxReader {
  const window = Buffer.allocUnsafeSlow(WINDOW);
  let at = 0;
  let end = 0;
  let isOver = false;

  /** Moves what is not read yet to the front, with the two bytes before it that tell whether an empty line precedes. */
  function fill(): void {
    const kept = Math.max(at - 2, 0);
    window.copyWithin(0, kept, end);
    at -= kept;
    end -= kept;
    while (!isOver && end < WINDOW) {
      const count = readSync(fd, window, end, WINDOW - end, null);
      end += count;
      isOver = count === 0;
    }
  }

  function skipLine(): void {
    for (;;) {
      const feed = window.subarray(0, end).indexOf(LF, at);
      at = feed < 0 ? end : feed + 1;
      if (feed >= 0 || isOver) return;
      fill();
    }
  }

  /** Where the current message ends and the next `From ` line begins, if the window tells. */
  function findEnd(): { readonly stop: number; readonly next: number } | undefined {
    const bytes = window.subarray(0, end);
    for (let feed = bytes.indexOf(NEXT_FROM, at); feed >= 0; feed = bytes.indexOf(NEXT_FROM, feed + 1)) {
      const empty = bytes[feed - 1] === CR && feed > at ? feed - 1 : feed;
      if (bytes[empty - 1] === LF) return { stop: empty, next: feed + 1 };
    }
    return isOver ? { stop: withoutEmptyLine(bytes, at), next: end } : undefined;
  }

  /** The message from `at` on, in pieces; afterwards `at` is the next `From ` line. */
  function* pieces(): Generator<Buffer, void, void> {
    for (;;) {
      const beginsLine = window[at - 1] === LF;
      const found = findEnd();
      const stop = found?.stop ?? cut(window, at, end);
      const piece = unquoted(window.subarray(at, stop), beginsLine);
      at = found?.next ?? stop;
      if (piece.length > 0) yield piece;
      if (found !== undefined) return;
      fill();
    }
  }

  function* messages(): Generator<Buffer | AsyncIterable<Buffer>, void, void> {
    fill();
    while (at < end && isEmptyLine(window, at)) at += window[at] === CR ? 2 : 1;
    if (at < end && window.compare(FROM, 0, FROM.length, at, Math.min(at + FROM.length, end)) !== 0) throw new NotAnMbox('the file is not an mbox');
    while (at < end) {
      skipLine();
      let found = findEnd();
      // Only then: filling moves what is there.
      if (found === undefined && !isOver && end - at < WHOLE + UNDECIDED) {
        fill();
        found = findEnd();
      }
      if (found !== undefined && found.stop - at <= WHOLE) {
        const message = unquoted(window.subarray(at, found.stop), true);
        at = found.next;
        yield message;
      } else {
        const rest = pieces();
        yield asAsync(rest);
        // Whatever was not asked for is passed over.
        for (const _ of rest);
      }
    }
  }

  return { messages };
}

/** Behind the last line that is complete, or in the middle of a line that fills the window. */
function cut(window: Buffer, at: number, end: number): number {
  const feed = window.lastIndexOf(LF, end - UNDECIDED - 1);
  return feed >= at ? feed + 1 : end - UNDECIDED;
}

function isEmptyLine(bytes: Buffer, at: number): boolean {
  return bytes[at] === LF || (bytes[at] === CR && bytes[at + 1] === LF);
}

/** The end of a last message, which may be followed by an empty line like the others. */
function withoutEmptyLine(bytes: Buffer, at: number): number {
  const end = bytes.length;
  if (end <= at || bytes[end - 1] !== LF) return end;
  const empty = bytes[end - 2] === CR && end - 1 > at ? end - 2 : end - 1;
  return bytes[empty - 1] === LF ? Math.max(empty, at) : end;
}

const QUOTED = Buffer.from('>From ');
const QUOTE = 0x3e;

/** @param beginsLine whether the bytes begin at the beginning of a line */
function unquoted(bytes: Buffer, beginsLine: boolean): Buffer {
  let found = bytes.indexOf(QUOTED);
  if (found < 0) return bytes;
  const kept: Buffer[] = [];
  let from = 0;
  for (; found >= 0; found = bytes.indexOf(QUOTED, found + 1)) {
    let first = found;
    while (first > 0 && bytes[first - 1] === QUOTE) first -= 1;
    if (first === 0 ? !beginsLine : bytes[first - 1] !== LF) continue;
    kept.push(bytes.subarray(from, first));
    from = first + 1;
  }
  kept.push(bytes.subarray(from));
  return Buffer.concat(kept);
}

/** Who stops early must not end the pieces themselves: the rest of the message is still to be passed over. */
async function* asAsync(pieces: Iterator<Buffer>): AsyncGenerator<Buffer, void, void> {
  for (let piece = pieces.next(); piece.done !== true; piece = pieces.next()) yield piece.value;
}
