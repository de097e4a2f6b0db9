import type { QueryAssistance } from '../../contracts/index.ts';
import { momentText, momentUs, type RangeEnd } from '../../core/message-time.ts';

/** What a person may write before the colon, and what it means. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  from: ['sender', 'from_agent', 'sender_name', 'frm'],
  thread: ['thread_id', 'thr'],
  project: ['proj', 'project_key', 'project_slug'],
  after: ['since', 'date_start', 'date_from'],
  before: ['until', 'date_end', 'date_to'],
  importance: ['priority', 'prio', 'imp'],
};
const MEANING = new Map(Object.entries(FIELDS).flatMap(([field, aliases]) => [field, ...aliases].map((alias) => [alias, field] as const)));
const NAMES = Object.keys(FIELDS).sort();
const ENDS: Readonly<Record<string, RangeEnd>> = { after: 'start', before: 'end' };
const FARTHEST = 2;

/**
 * What a query seems to mean: words `field:value` as hints, near misses of a field as suggestions. It only reads: the search
 * gets the whole text, and no hint becomes a filter. `undefined` when there is nothing to say.
 */
export function assist(text: string): QueryAssistance | undefined {
  const words = wordsOf(text).map(readWord);
  const hints = words.flatMap(({ hint }) => (hint === undefined ? [] : [hint]));
  const suggestions = words.flatMap(({ suggestion }) => (suggestion === undefined ? [] : [suggestion]));
  if (hints.length === 0 && suggestions.length === 0) return undefined;
  return {
    query_text: words.flatMap(({ word, hint }) => (hint === undefined ? [word] : [])).join(' '),
    ...(hints.length > 0 && { applied_filter_hints: hints }),
    ...(suggestions.length > 0 && { did_you_mean: suggestions }),
  };
}

/** Blanks separate words, except between double quotes. */
function wordsOf(text: string): string[] {
  return text.match(/(?:"[^"]*(?:"|$)|[^\s"])+/gu) ?? [];
}

type Hint = NonNullable<QueryAssistance['applied_filter_hints']>[number];
type Suggestion = NonNullable<QueryAssistance['did_you_mean']>[number];

function readWord(word: string): { word: string; hint?: Hint; suggestion?: Suggestion } {
  const colon = word.indexOf(':');
  const name = word.slice(0, Math.max(0, colon)).trim().toLowerCase();
  const value = unquoted(word.slice(colon + 1).trim());
  // What begins with a quote is a phrase.
  if (colon < 0 || name === '' || value === '' || name.startsWith('"')) return { word };
  const field = MEANING.get(name);
  if (field !== undefined) return { word, hint: { field, value: normalValue(field, value) } };
  const near = nearest(name);
  return near === undefined ? { word } : { word, suggestion: { token: word, suggested_field: near, value } };
}

function unquoted(value: string): string {
  return value.length >= 2 && value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1).trim() : value;
}

function normalValue(field: string, value: string): string {
  const end = ENDS[field];
  const us = end === undefined ? undefined : momentUs(value, end);
  return us === undefined ? value : (momentText(us) ?? value);
}

/** The closest field, the first in the alphabet of several. */
function nearest(name: string): string | undefined {
  const longest = Math.max(...NAMES.map((field) => field.length)) + FARTHEST;
  if (name.length > longest) return undefined;
  const ranked = NAMES.map((field) => ({ field, distance: editDistance(name, field) })).sort((a, b) => a.distance - b.distance);
  const [best] = ranked;
  return best !== undefined && best.distance <= FARTHEST ? best.field : undefined;
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, left] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, right] of [...b].entries()) {
      next.push(Math.min((next[j] ?? 0) + 1, (row[j + 1] ?? 0) + 1, (row[j] ?? 0) + (left === right ? 0 : 1)));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
