import { type Boundaries, createBoundaries, type Delimiter } from './boundaries.ts';
import { CR, LF, nextLine } from './bytes.ts';
import { type Head, readHead } from './head.ts';
import { kindOf, type TextCoding, type TextType } from './part-kind.ts';

/** A plain text of a message: the encoded bytes and how they are written. */
export interface TextPart {
  readonly bytes: Buffer;
  readonly coding: TextCoding;
}

/**
 * The plain texts of a message in their order, of any nesting (RFC 2046 5.1): no recursion, and no limit of depth. A
 * multipart whose end is missing ends with the one around it.
 *
 * @param root the message's own headers
 * @param wanted HTML instead
 */
export function textPartsOf(bytes: Buffer, root: Head, wanted?: TextType): TextPart[] {
  const boundaries = createBoundaries();
  const texts: TextPart[] = [];
  let head: Head | undefined = root;
  let at = root.bodyStart;
  let childType = 'text/plain';
  for (;;) {
    const kind = head === undefined ? undefined : kindOf(head, childType, wanted);
    if (kind?.kind === 'multipart') boundaries.push(kind.boundary, kind.childType);
    const found = boundaries.depth === 0 ? undefined : nextDelimiter(bytes, at, boundaries);
    if (kind?.kind === 'text') {
      const isWhole = boundaries.depth === 0;
      texts.push({ bytes: bytes.subarray(at, isWhole ? bytes.length : beforeBreak(bytes, at, found?.from ?? bytes.length)), coding: kind.coding });
    }
    if (found === undefined) return texts;
    boundaries.cut(found.closes ? found.level : found.level + 1);
    head = undefined;
    at = found.next;
    if (found.closes) continue;
    // Two delimiters with nothing between them, not even an empty line, have no part between them.
    if (boundaries.find(bytes, at, nextLine(bytes, at)) !== undefined) continue;
    childType = boundaries.childType;
    head = readHead(bytes, at, (from, next) => boundaries.find(bytes, from, next) !== undefined);
    at = head.bodyStart;
  }
}

interface FoundDelimiter extends Delimiter {
  readonly from: number;
  readonly next: number;
}

/** What every delimiter begins with, the end of the line before it included. */
export const LINE_OF_DASHES = Buffer.from('\n--');

/** The first delimiter at or after `at`, which is the beginning of a line. */
function nextDelimiter(bytes: Buffer, at: number, boundaries: Boundaries): FoundDelimiter | undefined {
  for (let feed = bytes.indexOf(LINE_OF_DASHES, at - 1); feed >= 0; feed = bytes.indexOf(LINE_OF_DASHES, feed + 1)) {
    const next = nextLine(bytes, feed + 1);
    const delimiter = boundaries.find(bytes, feed + 1, next);
    if (delimiter !== undefined) return { level: delimiter.level, closes: delimiter.closes, from: feed + 1, next };
  }
  return undefined;
}

/** The line break before a delimiter belongs to it, and so does the one before the end where the last delimiter is missing. */
function beforeBreak(bytes: Buffer, start: number, delimiter: number): number {
  let end = delimiter;
  if (end > start && bytes[end - 1] === LF) end -= 1;
  if (end > start && end < delimiter && bytes[end - 1] === CR) end -= 1;
  return end;
}
