import { fromBase64 } from './base64.ts';
import { type Charset, charsetOf } from './charsets.ts';
import type { TextCoding } from './part-kind.ts';
import { fromQuotedPrintable } from './quoted-printable.ts';
import type { TextPart } from './text-parts.ts';

/** A text part with its transfer encoding undone. */
export interface DecodedPart {
  readonly bytes: Buffer;
  readonly charset: Charset;
  readonly flowed: TextCoding['flowed'];
}

type Decode = (bytes: Buffer, into?: Buffer) => Buffer;

const TRANSFERS = { base64: fromBase64, 'quoted-printable': fromQuotedPrintable, plain: (bytes) => bytes } satisfies Record<TextCoding['transfer'], Decode>;

export function decodeTransfer({ bytes, coding }: TextPart): DecodedPart {
  return { bytes: TRANSFERS[coding.transfer](bytes), charset: charsetOf(coding.charset), flowed: coding.flowed };
}

/** The same, good until the next glance: parts of mail are many, and memory for each of them costs more than decoding it. */
export function glanceAt({ bytes, coding }: TextPart): DecodedPart {
  const into = bytes.length <= scratch.length ? scratch : undefined;
  return { bytes: TRANSFERS[coding.transfer](bytes, into), charset: charsetOf(coding.charset), flowed: coding.flowed };
}

/** Larger parts are few. */
const scratch = Buffer.allocUnsafeSlow(256 * 1024);

/** The part's text; its line breaks are LF, however they were stored or sent. */
export function textOf({ bytes, charset, flowed }: DecodedPart): string {
  const decoded = charset.decode(bytes);
  const text = decoded.includes('\r') ? decoded.replaceAll('\r\n', '\n') : decoded;
  return flowed === 'no' ? text : joinFlowed(text, flowed === 'del-sp');
}

/**
 * Joins the soft line breaks of `format=flowed` (RFC 3676 4): a line that ends in a space goes on in the next one of the
 * same quote depth; a signature line `-- ` does not. One leading space is stuffing.
 *
 * @param text lines end with LF
 * @param delSp the space before a soft break is part of the break
 */
function joinFlowed(text: string, delSp: boolean): string {
  const pieces: string[] = [];
  let open = -1;
  for (const line of text.split('\n')) {
    const depth = quoteDepth(line);
    const content = line.slice(line.charAt(depth) === ' ' ? depth + 1 : depth);
    if (open === depth && content !== SIGNATURE) pieces.push(content);
    else pieces.push(pieces.length === 0 ? '' : '\n', line.slice(0, depth), depth === 0 ? content : line.slice(depth));
    const flows = content.endsWith(' ') && content !== SIGNATURE;
    open = flows ? depth : -1;
    if (flows && delSp) pieces.push((pieces.pop() ?? '').slice(0, -1));
  }
  return pieces.join('');
}

const SIGNATURE = '-- ';

function quoteDepth(line: string): number {
  let depth = 0;
  while (line.charAt(depth) === '>') depth += 1;
  return depth;
}
