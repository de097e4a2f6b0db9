import { misfit } from './template.ts';

const MAX_DECODINGS = 5;

/** Characters that end a segment for somebody: slash, backslash, their full-width forms, and control characters. */
const BREAKS = /[/\\\u2044\u2215\u29f5\u29f8\uff0f\uff3c\p{Cc}]/u;

/**
 * Percent-encodes a filled-in path segment so that it stays one segment, also for servers that decode more than once:
 * refused are slashes in any spelling, `.`, `..` and nothing at all.
 *
 * @param field what was filled in, if that was a parameter
 * @throws WritError INVALID_ARGUMENT with this `field`
 */
export function encodeSegment(text: string, field: string | undefined): string {
  const refuse = (why: string): never => {
    throw misfit(`fills a segment of the path and ${why}`, field);
  };
  if (text === '') refuse('would leave a segment of the path empty');
  for (const form of decodings(text)) {
    // %c0 and %c1 begin no character: old servers read %c0%ae as a dot.
    if (BREAKS.test(form) || /%c[01]/i.test(form)) refuse('has a slash, a backslash or a control character');
    // Some servers cut parameters of a path (`..;x`) off, and blanks around it.
    const name = (form.split(';')[0] ?? '').trim();
    if (/^\.*$/.test(name)) refuse('would be a step in the path');
  }
  return encode(text);
}

/** Percent-encoding of everything but the unreserved characters of RFC 3986. */
export function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** The text, what it becomes when it is decoded again and again, and the compatibility forms of all of these. */
function decodings(text: string): string[] {
  const forms = [text];
  for (let at = 0; at < MAX_DECODINGS; at += 1) {
    const last = forms.at(-1) ?? '';
    const next = last.replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
    if (next === last) break;
    forms.push(next);
  }
  return [...forms, ...forms.map((form) => form.normalize('NFKC'))];
}
