import type { Json, JsonObject } from '../../core/json.ts';

/** Takes secrets out of what a tool said. */
export interface Scrubber {
  text(text: string): string;
  json(value: Json): Json;
  object(value: JsonObject): JsonObject;
}

export const SCRUBBED = '[secret]';

/**
 * Finds every secret as it is, and percent-encoded, JSON-escaped, as HTML entities (each also in parts), in hexadecimal and
 * in both alphabets of base64, wherever it stands in the encoded text. A server that means to smuggle a secret out in
 * another code can; it has the secret anyway.
 *
 * @param secrets of at least 8 bytes each: shorter ones would turn up by chance (`secrets.ts` refuses them)
 */
export function scrubber(secrets: Iterable<string>): Scrubber {
  const sources = [...new Set([...secrets].flatMap((secret) => [secret, ...decoded(secret)]))].flatMap(variants);
  if (sources.length === 0) return { text: (text) => text, json: (value) => value, object: (value) => value };
  const pattern = new RegExp(sources.join('|'), 'gu');
  const text = (value: string): string => value.replace(pattern, SCRUBBED);

  const object = (value: JsonObject): JsonObject => Object.fromEntries(Object.entries(value).map(([key, inner]) => [text(key), json(inner)]));
  const json = (value: Json): Json => {
    if (typeof value === 'string') return text(value);
    if (typeof value === 'number') return text(String(value)) === String(value) ? value : SCRUBBED;
    if (Array.isArray(value)) return value.map(json);
    return typeof value === 'object' && value !== null ? object(value) : value;
  };
  return { text, json, object };
}

/** The scrubber of the last secrets is kept: they rarely change, and its expression takes a while to make. */
export function scrubberKeeper(): (secrets: ReadonlyMap<string, string>) => Scrubber {
  let kept: { readonly key: string; readonly scrub: Scrubber } | undefined;
  return (secrets) => {
    const key = JSON.stringify([...secrets.values()]);
    if (kept?.key !== key) kept = { key, scrub: scrubber(secrets.values()) };
    return kept.scrub;
  };
}

/** Regular expressions for one secret, the longest first. */
function variants(secret: string): string[] {
  const bytes = Buffer.from(secret, 'utf8');
  const hex = [...bytes.toString('hex')].map((digit) => (/\d/.test(digit) ? digit : `[${digit}${digit.toUpperCase()}]`)).join('');
  return [hex, ...[0, 1, 2].map((offset) => base64Core(bytes, offset)), (secret.match(/\\+|[^\\]/gsu) ?? []).map(spellings).join('')];
}

/** The characters of base64 that depend on the secret alone, when `offset` bytes (modulo 3) come before it. */
function base64Core(bytes: Buffer, offset: number): string {
  const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
  const first = Math.ceil((offset * 8) / 6);
  const end = Math.floor(((offset + bytes.length) * 8) / 6);
  return [...text.slice(first, end)].map((char) => ({ '+': '(?:[+-]|%2[bB])', '/': '(?:\\\\?/|_|%2[fF])' })[char] ?? char).join('');
}

/** A secret that is base64 itself (the credentials of Basic authentication): what it says is secret too. */
function decoded(secret: string): string[] {
  if (!/^[A-Za-z0-9+/]{12,}={0,2}$/.test(secret)) return [];
  const bytes = Buffer.from(secret, 'base64');
  const text = bytes.toString('utf8');
  return bytes.length >= 8 && Buffer.from(text, 'utf8').equals(bytes) ? [text] : [];
}

/**
 * One character of a secret, or a run of backslashes, in every spelling. Backslashes of an escape are taken by one part of
 * the expression only, and repetitions are bounded: otherwise a text of backslashes could be read in ways without number.
 */
function spellings(part: string, index: number, all: readonly string[]): string {
  if (part.startsWith('\\')) return backslashes(part.length, index === 0);
  const prefix = index === 0 || all[index - 1]?.startsWith('\\') ? '' : '\\\\{0,4}';
  const code = part.codePointAt(0) ?? 0;
  const percent = [...Buffer.from(part, 'utf8')].map((byte) => `%(?:25){0,3}${anyCase(byte.toString(16).padStart(2, '0'))}`).join('');
  const units = [...Array(part.length).keys()].map((at) => `\\\\{1,4}u${anyCase(part.charCodeAt(at).toString(16).padStart(4, '0'))}`).join('');
  const entity = `&(?:amp;)?#(?:0{0,6}${code}|[xX]0{0,6}${anyCase(code.toString(16))});`;
  return `(?:${[`${prefix}${escaped(part)}`, percent, units, entity, ...(SHORT.get(part) ?? [])].join('|')})`;
}

/** However many there are in the text: from the first of them on, so that a long run is looked at once. */
function backslashes(count: number, first: boolean): string {
  const other = ['%(?:25){0,3}5[cC]', '\\\\{1,4}u005[cC]', '&(?:amp;)?#(?:0{0,6}92|[xX]0{0,6}5[cC]);'].map((one) => `(?:${one}){${count}}`);
  return `(?:${[`${first ? '(?<!\\\\)' : ''}\\\\{${count},}`, ...other].join('|')})`;
}

const SHORT: ReadonlyMap<string, readonly string[]> = new Map([
  [' ', ['\\+']],
  ['&', ['&amp;']],
  ['<', ['&lt;']],
  ['>', ['&gt;']],
  ['"', ['&quot;']],
  ["'", ['&apos;']],
  ['\n', ['\\\\{1,4}n']],
  ['\r', ['\\\\{1,4}r']],
  ['\t', ['\\\\{1,4}t']],
]);

function anyCase(hex: string): string {
  return hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}

function escaped(char: string): string {
  return char.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
