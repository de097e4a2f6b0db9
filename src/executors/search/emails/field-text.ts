import { fromBase64 } from './base64.ts';
import { isBlank } from './bytes.ts';
import { charsetOf } from './charsets.ts';
import { hexDigit } from './quoted-printable.ts';

/**
 * The text of a header field: unfolded (RFC 5322 2.2.3: only line breaks go), encoded words decoded (RFC 2047), trimmed.
 * Bytes above ASCII are UTF-8 if all of the field is (RFC 6532), else Windows-1252.
 *
 * @param raw one character for each byte
 */
export function fieldText(raw: string): string {
  const unfolded = trimBlanks(raw.replaceAll(/\r?\n/g, ''));
  const text = ABOVE_ASCII.test(unfolded) ? charsetOf(undefined).decode(Buffer.from(unfolded, 'latin1')) : unfolded;
  return text.includes('=?') ? decodeWords(text) : text;
}

const ABOVE_ASCII = /[\u0080-\u00ff]/;

/** Spaces and tabs only: `trim` would take U+00A0 as well, which is text. */
function trimBlanks(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && isBlank(text.charCodeAt(from))) from += 1;
  while (to > from && isBlank(text.charCodeAt(to - 1))) to -= 1;
  return text.slice(from, to);
}

const WORD = /=\?([^?\s]+)\?([bq])\?([^?]*)\?=/gi;

interface Words {
  readonly charset: string;
  readonly bytes: Buffer[];
}

/** The same names stand in many messages: what was decoded is remembered, from the first word to the last. */
function decodeWords(text: string): string {
  const from = text.indexOf('=?');
  const to = text.lastIndexOf('?=') + 2;
  const words = text.slice(from, Math.max(from, to));
  let decoded = remembered.get(words);
  if (decoded === undefined) {
    decoded = decodedWords(words);
    if (remembered.size === REMEMBERED) remembered.clear();
    if (words.length <= LONGEST) remembered.set(words, decoded);
  }
  return text.slice(0, from) + decoded + text.slice(Math.max(from, to));
}

const remembered = new Map<string, string>();
const REMEMBERED = 1024;
const LONGEST = 256;

/** Blanks between two encoded words go (RFC 2047 6.2). Bytes of neighbours are joined first: some mailers split characters. */
function decodedWords(text: string): string {
  let decoded = '';
  let at = 0;
  let words: Words | undefined;
  const end = (): void => {
    if (words !== undefined) decoded += charsetOf(words.charset).decode(Buffer.concat(words.bytes));
    words = undefined;
  };
  for (const match of text.matchAll(WORD)) {
    const [word, label = '', encoding = '', content = ''] = match;
    const between = text.slice(at, match.index);
    const charset = label.replace(/\*.*/, '').toLowerCase();
    if (between.trim() !== '' || words === undefined) {
      end();
      decoded += between;
    }
    if (words?.charset !== charset) {
      end();
      words = { charset, bytes: [] };
    }
    words.bytes.push(encoding === 'b' || encoding === 'B' ? fromBase64(Buffer.from(content, 'latin1')) : fromQ(Buffer.from(content)));
    at = match.index + word.length;
  }
  end();
  return decoded + text.slice(at);
}

const EQUALS = 0x3d;
const UNDERSCORE = 0x5f;
const SPACE = 0x20;

/** The Q encoding (RFC 2047 4.2). */
function fromQ(bytes: Buffer): Buffer {
  const decoded = Buffer.allocUnsafe(bytes.length);
  let length = 0;
  for (let i = 0; i < bytes.length; i += 1) {
    const byte = bytes[i] ?? 0;
    const high = byte === EQUALS ? hexDigit(bytes[i + 1]) : -1;
    const low = high >= 0 ? hexDigit(bytes[i + 2]) : -1;
    decoded[length] = low >= 0 ? high * 16 + low : byte === UNDERSCORE ? SPACE : byte;
    length += 1;
    if (low >= 0) i += 2;
  }
  return decoded.subarray(0, length);
}
