import { endOfText, isBlank, LF, nextLine } from './bytes.ts';

/** The header fields that a search reads, in lower case. */
export type FieldName = 'from' | 'to' | 'subject' | 'received' | 'message-id' | 'content-type' | 'content-transfer-encoding' | 'content-disposition';

const NAMES = ['from', 'to', 'subject', 'received', 'message-id', 'content-type', 'content-transfer-encoding', 'content-disposition'] as const;

/** Names by their length, which no two share: most fields of a message are told apart from these by it. */
const BY_LENGTH: readonly ({ readonly name: FieldName; readonly bytes: Buffer } | undefined)[] = Array.from({ length: 32 }, (_, length) => {
  const name = NAMES.find((one) => one.length === length);
  return name && { name, bytes: Buffer.from(name) };
});

/** The headers of a message or a part. */
export interface Head {
  /** Values as they stand, one character for each byte, folded; in the order of the message. */
  readonly values: ReadonlyMap<FieldName, readonly string[]>;
  /** Where the body begins. */
  readonly bodyStart: number;
}

interface OpenField {
  readonly name: FieldName;
  readonly from: number;
  to: number;
}

/**
 * Reads headers from `start` up to the empty line, the end, a delimiter, or the first line that cannot be part of a
 * header (RFC 5322 3.6.8): where the empty line is missing, such a line is the first of the body. A `From ` line in front,
 * left by a mailbox file, and continuation lines of nothing are passed over.
 *
 * @param isDelimiter whether the line from `from` to `next` ends the part
 */
export function readHead(bytes: Buffer, start: number, isDelimiter: (from: number, next: number) => boolean): Head {
  const values = new Map<FieldName, string[]>();
  let open: OpenField | undefined;
  const close = (): void => {
    if (open === undefined) return;
    const value = bytes.toString('latin1', open.from, open.to);
    const others = values.get(open.name);
    if (others === undefined) values.set(open.name, [value]);
    else others.push(value);
    open = undefined;
  };
  let at = start;
  if (isFromLine(bytes, at)) at = nextLine(bytes, at);
  while (at < bytes.length) {
    const next = lineEnd(bytes, at);
    if (isBlank(bytes[at])) {
      if (open !== undefined) open.to = next;
      at = next;
      continue;
    }
    close();
    if (endOfText(bytes, at, next) === at) return { values, bodyStart: next };
    if (isDelimiter(at, next)) return { values, bodyStart: at };
    const nameEnd = endOfName(bytes, at, next);
    if (nameEnd < 0) return { values, bodyStart: at };
    const name = nameOf(bytes, at, nameEnd);
    if (name !== undefined) open = { name, from: bytes.indexOf(COLON, nameEnd) + 1, to: next };
    at = next;
  }
  close();
  return { values, bodyStart: bytes.length };
}

/** As `nextLine`: lines of headers are so short that a search costs more than a look at each byte. */
function lineEnd(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at] !== LF) at += 1;
  return Math.min(at + 1, bytes.length);
}

const COLON = 0x3a;

/** End of the field's name, or -1 when the line is none. Blanks before the colon are allowed (RFC 5322 4.5.8). */
function endOfName(bytes: Buffer, from: number, next: number): number {
  let at = from;
  while (at < next && isNameByte(bytes[at])) at += 1;
  const end = at;
  if (end === from) return -1;
  while (at < next && isBlank(bytes[at])) at += 1;
  return at < next && bytes[at] === COLON ? end : -1;
}

function isNameByte(byte: number | undefined): boolean {
  return byte !== undefined && byte > 0x20 && byte < 0x7f && byte !== COLON;
}

function nameOf(bytes: Buffer, from: number, end: number): FieldName | undefined {
  const known = BY_LENGTH[end - from];
  if (known === undefined) return undefined;
  for (let place = 0; place < known.bytes.length; place += 1) {
    const byte = bytes[from + place] ?? 0;
    const wanted = known.bytes[place];
    // Only letters have another case.
    if (byte !== wanted && !(byte >= 0x41 && byte <= 0x5a && byte + 0x20 === wanted)) return undefined;
  }
  return known.name;
}

const FROM = Buffer.from('From ');

function isFromLine(bytes: Buffer, at: number): boolean {
  const from = bytes[at] === 0x3e ? at + 1 : at;
  return bytes.length >= from + FROM.length && bytes.compare(FROM, 0, FROM.length, from, from + FROM.length) === 0;
}
