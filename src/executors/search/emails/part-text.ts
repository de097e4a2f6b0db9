import { fromBase64 } from './base64.ts';
import { type Charset, charsetOf } from './charsets.ts';
import { joinFlowed } from './flowed.ts';
import type { TextCoding } from './part-kind.ts';
import { fromQuotedPrintable } from './quoted-printable.ts';
import type { TextPart } from './text-parts.ts';

/** A text part with its transfer encoding undone. */
export interface DecodedPart {
  readonly bytes: Buffer;
  readonly charset: Charset;
  readonly flowed: TextCoding['flowed'];
}

const TRANSFERS = {
  base64: fromBase64,
  'quoted-printable': fromQuotedPrintable,
  plain: (bytes) => bytes,
} satisfies Record<TextCoding['transfer'], (bytes: Buffer) => Buffer>;

export function decodeTransfer({ bytes, coding }: TextPart): DecodedPart {
  return { bytes: TRANSFERS[coding.transfer](bytes), charset: charsetOf(coding.charset), flowed: coding.flowed };
}

/** The part's text; its line breaks are LF, however they were stored or sent. */
export function textOf({ bytes, charset, flowed }: DecodedPart): string {
  const decoded = charset.decode(bytes);
  const text = decoded.includes('\r') ? decoded.replaceAll('\r\n', '\n') : decoded;
  return flowed === 'no' ? text : joinFlowed(text, flowed === 'del-sp');
}
