import type { FieldName, Head } from './head.ts';
import { readStructured } from './structured-value.ts';

/** What a part is, by its headers. */
export type PartKind =
  | { readonly kind: 'multipart'; readonly boundary: string; readonly childType: string }
  | { readonly kind: 'text'; readonly coding: TextCoding }
  /** Attachments, HTML, pictures, other messages: nothing in them is searched. */
  | { readonly kind: 'other' };

export type TextType = 'text/plain' | 'text/html';

/** How the text of a part is written. */
export interface TextCoding {
  readonly transfer: 'base64' | 'quoted-printable' | 'plain';
  readonly charset: string | undefined;
  readonly flowed: 'no' | 'yes' | 'del-sp';
}

/** A longer boundary than any mail has (RFC 2046: 70) would make streaming hold long lines. */
export const LONGEST_BOUNDARY = 512;

const OTHER: PartKind = { kind: 'other' };

/**
 * Judges a part. Text is `text/plain`, also by default or because Content-Type is unreadable (RFC 2045 5.2), that is not
 * set aside by Content-Disposition; dispositions that nobody knows are attachments (RFC 2183 2.8).
 *
 * @param defaultType of a part without Content-Type; `message/rfc822` inside of multipart/digest
 * @param wanted the type that is text; a search looks at plain text alone
 */
export function kindOf(head: Head, defaultType: string, wanted: TextType = 'text/plain'): PartKind {
  const written = first(head, 'content-type');
  // What is missing is a space, which no value is: they are trimmed, and have no line feed.
  const fields = [written, first(head, 'content-transfer-encoding'), first(head, 'content-disposition')];
  const wish = `${wanted}\n${defaultType}\n${fields[0] ?? ' '}\n${fields[1] ?? ' '}\n${fields[2] ?? ' '}`;
  const known = kinds.get(wish);
  if (known !== undefined) return known;
  const kind = judge(head, defaultType, wanted, written);
  // Boundaries are different in every message, and headers are hostile text: the memory of them has an end.
  if (kind.kind !== 'multipart' && kinds.size < 512 && wish.length < 512) kinds.set(wish, kind);
  return kind;
}

const kinds = new Map<string, PartKind>();

function judge(head: Head, defaultType: string, wanted: TextType, written: string | undefined): PartKind {
  const { value, parameters } = readStructured(written ?? defaultType);
  const type = /^[^\s/]+\/[^\s/]+$/.test(value) ? value : 'text/plain';
  if (type.startsWith('multipart/')) return multipart(type, parameters.get('boundary'));
  if (type !== wanted || disposition(head) !== 'inline') return OTHER;
  return { kind: 'text', coding: { transfer: transferOf(head), charset: parameters.get('charset'), flowed: flowedOf(parameters) } };
}

function multipart(type: string, boundary: string | undefined): PartKind {
  const trimmed = boundary?.trimEnd() ?? '';
  if (trimmed === '' || trimmed.length > LONGEST_BOUNDARY) return OTHER;
  return { kind: 'multipart', boundary: trimmed, childType: type === 'multipart/digest' ? 'message/rfc822' : 'text/plain' };
}

function disposition(head: Head): string {
  const written = first(head, 'content-disposition');
  return (written === undefined ? '' : readStructured(written).value) || 'inline';
}

function transferOf(head: Head): TextCoding['transfer'] {
  const written = first(head, 'content-transfer-encoding');
  const name = written === undefined ? '' : readStructured(written).value;
  return name === 'base64' || name === 'quoted-printable' ? name : 'plain';
}

function flowedOf(parameters: ReadonlyMap<string, string>): TextCoding['flowed'] {
  if (parameters.get('format')?.toLowerCase() !== 'flowed') return 'no';
  return parameters.get('delsp')?.toLowerCase() === 'yes' ? 'del-sp' : 'yes';
}

/** Of a repeated field the first counts. */
function first(head: Head, name: FieldName): string | undefined {
  const raw = head.values.get(name)?.[0];
  // Few are folded, and most end with a line break.
  return raw === undefined || raw.indexOf('\n') === raw.length - 1 ? raw?.trim() : raw.replaceAll(/\r?\n/g, '').trim();
}
