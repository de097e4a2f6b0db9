import { fieldText } from './field-text.ts';
import type { FieldName, Head } from './head.ts';
import type { Needle } from './needle.ts';
import { decodeTransfer, glanceAt, textOf } from './part-text.ts';
import { textPartsOf } from './text-parts.ts';

/** Where a query was found first. */
export interface Match {
  readonly field: 'from' | 'to' | 'subject' | 'body';
  readonly text: string;
  /** UTF-16 index in `text`. */
  readonly index: number;
}

const HEADER_FIELDS = ['from', 'to', 'subject'] as const;

/** The first of From, To, Subject, body (search-executor.md 7.2) that contains the query. */
export function matchOf(bytes: Buffer, head: Head, needle: Needle): Match | undefined {
  for (const field of HEADER_FIELDS) {
    const [only = '', ...others] = head.values.get(field) ?? [];
    // Several are joined by characters of ours.
    if (others.length === 0 && needle.rulesOutField(only)) continue;
    const text = headerText(head, field);
    const index = text.indexOf(needle.query);
    if (index >= 0) return { field, text, index };
  }
  const parts = textPartsOf(bytes, head);
  if (parts.every((part) => needle.rulesOut(glanceAt(part)))) return undefined;
  const text = parts.map(decodeTransfer).map(textOf).join('\n');
  const index = text.indexOf(needle.query);
  return index < 0 ? undefined : { field: 'body', text, index };
}

/** All `To` fields, joined by `, `; the first `From` and `Subject`: more of them are not allowed, and readers show the first. */
export function headerText(head: Head, field: Extract<FieldName, 'from' | 'to' | 'subject'>): string {
  const values = head.values.get(field) ?? [];
  return (field === 'to' ? values : values.slice(0, 1)).map(fieldText).join(', ');
}

/** The searched body: the plain texts of the message, joined by line breaks. Without short cuts. */
export function bodyText(bytes: Buffer, head: Head): string {
  return textPartsOf(bytes, head).map(decodeTransfer).map(textOf).join('\n');
}
