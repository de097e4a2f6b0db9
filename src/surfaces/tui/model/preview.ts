import { RECIPIENT_KINDS, type SearchResult } from '../../../contracts/index.ts';
import { firstHit, highlight, type Segment, termsOf } from '../text/highlight.ts';
import { oneLine, wrap } from '../text/wrap.ts';

/** A result as it is shown: its head line by line, its body in lines of the width that there is. */
export interface Preview {
  readonly title: readonly Segment[];
  readonly head: string;
  readonly lines: readonly (readonly Segment[])[];
  /** First line with a match, 0 without one. */
  readonly match: number;
}

// Previews are kept: each key press draws the same body again, and wrapping a long one takes milliseconds.
const made = new WeakMap<SearchResult, { readonly width: number; readonly text: string; readonly preview: Preview }>();

/** The preview of a result for a query, in `width` columns. */
export function previewOf(result: SearchResult, text: string, width: number): Preview {
  const kept = made.get(result);
  if (kept?.width === width && kept.text === text) return kept.preview;
  const terms = termsOf(text);
  const body = wrap(result.body, width);
  const preview = {
    title: highlight(oneLine(result.title), terms),
    head: headOf(result),
    lines: body.map((line) => highlight(line, terms)),
    match: Math.max(0, firstHit(body, terms)),
  };
  made.set(result, { width, text, preview });
  return preview;
}

const HEADS = {
  message: (result: SearchResult): readonly (string | undefined)[] => [
    result.from_agent === undefined ? undefined : `from ${result.from_agent}`,
    ...RECIPIENT_KINDS.map((kind) => peopleOf(kind, result[kind] ?? [])),
    result.created_ts === undefined ? undefined : `${timeOf(result.created_ts)} UTC`,
    result.thread_id === undefined ? undefined : `thread ${result.thread_id}`,
    result.importance,
    result.ack_required === true ? 'ack required' : undefined,
  ],
  agent: (): readonly string[] => ['agent'],
  project: (): readonly string[] => ['project'],
} as const;

/** Recipients in the head by name; it is one line, so the others are a number. */
const NAMED = 2;

function peopleOf(kind: string, names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined;
  const rest = names.length - NAMED;
  return `${kind} ${names.slice(0, NAMED).join(', ')}${rest > 0 ? ` +${rest}` : ''}`;
}

function headOf(result: SearchResult): string {
  return [`#${result.id}`, ...HEADS[result.doc_kind](result), result.redacted ? `redacted: ${result.redaction_reason ?? ''}` : undefined]
    .filter((part) => part !== undefined)
    .map(oneLine)
    .join(' · ');
}

/** A time as `2026-06-04 07:28`, UTC, of microseconds since 1970; the number itself where a Date cannot hold it. */
export function timeOf(micros: number): string {
  const date = new Date(Math.floor(micros / 1000));
  return Number.isNaN(date.getTime()) ? String(micros) : date.toISOString().slice(0, -8).replace('T', ' ');
}
