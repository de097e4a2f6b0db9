import { asBuffer, isBlank, nextLine } from './bytes.ts';
import { fieldText } from './field-text.ts';
import { readHead } from './head.ts';
import { textOfHtml } from './html-text.ts';
import { bodyText } from './match.ts';
import { decodeTransfer, textOf } from './part-text.ts';
import { receivedDate } from './received-date.ts';
import { textPartsOf } from './text-parts.ts';

/** A message as whoever keeps it wants it. */
export interface ReadMail {
  /** Fields by their names in lower case, as they stand: folded, one character for each byte, in the order of the message. */
  readonly fields: ReadonlyMap<string, readonly string[]>;
  /** The plain texts, joined by line breaks; where there is none, what the HTML says. */
  readonly body: string;
}

/** Takes a whole message apart, with the same rules as a search in it. */
export function readMail(raw: Uint8Array): ReadMail {
  const bytes = asBuffer(raw);
  const head = readHead(bytes, 0, () => false);
  const plain = bodyText(bytes, head);
  const body = plain.trim() === '' ? textPartsOf(bytes, head, 'text/html').map(decodeTransfer).map(textOf).map(textOfHtml).join('\n') : plain;
  return { fields: fieldsOf(bytes, head.bodyStart), body };
}

/** The text of a field: unfolded, encoded words decoded. */
export { fieldText };

/** A Date field in milliseconds since 1970; undefined where it is no date or names no zone. */
export function mailDate(raw: string): number | undefined {
  return receivedDate(`;${raw}`);
}

function fieldsOf(bytes: Buffer, end: number): ReadonlyMap<string, readonly string[]> {
  const fields = new Map<string, string[]>();
  for (let at = 0; at < end; ) {
    let next = nextLine(bytes, at);
    while (next < end && isBlank(bytes[next])) next = nextLine(bytes, next);
    const [, name = '', value = ''] = /^([!-9;-~]+)[ \t]*:(.*)$/s.exec(bytes.toString('latin1', at, Math.min(next, end))) ?? [];
    const key = name.toLowerCase();
    if (key !== '') fields.set(key, [...(fields.get(key) ?? []), value]);
    at = next;
  }
  return fields;
}
