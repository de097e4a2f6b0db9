/**
 * What the header of a part says of its type, when it says so in words that no reader of MIME can take differently; else
 * undefined. Only then may the bytes of a part be left out unread.
 */
export interface PlainType {
  /** `type/subtype`, lower case. */
  readonly type: string;
  readonly boundary: string | undefined;
}

const FIELD = /^[\x21-\x39\x3b-\x7e]+:/;
const TYPE = /^[\w.+-]+\/[\w.+-]+$/;
/** Without quotes, colons and blanks (RFC 2046 5.1.1 allows more). */
const BOUNDARY = /^\s*boundary=(?:"([\w'()+,./=?-]{1,70})"|([\w'+./-]{1,70}))\s*$/i;

/** @param header with the empty line that ends it, Latin-1 */
export function plainType(header: string): PlainType | undefined {
  if (!header.endsWith('\r\n\r\n')) return undefined;
  const lines = header
    .slice(0, -4)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  // A line that is no field ends the header for some readers, and is skipped by others.
  if (lines.some((line) => !FIELD.test(line) || /[\r\n\0]/.test(line))) return undefined;
  const [field, ...more] = lines.filter((line) => /^content-type:/i.test(line));
  if (field === undefined || more.length > 0) return undefined;
  const [type = '', ...parameters] = field.slice(field.indexOf(':') + 1).split(';');
  if (!TYPE.test(type.trim())) return undefined;
  const named = parameters.filter((parameter) => /boundary/i.test(parameter));
  const [, quoted, bare] = BOUNDARY.exec(named[0] ?? '') ?? [];
  return { type: type.trim().toLowerCase(), boundary: named.length === 1 ? (quoted ?? bare) : undefined };
}
