import { CONTENT_ANSWER_MAX_BYTES, type ContentSearchAnswer, type ContentSearchEvent, type ContentSearchStats } from '../../contracts/index.ts';
import { visible } from '../enumerate/warning-line.ts';
import type { SearchQuery } from './request.ts';
import type { RunEvent, RunResult, Warning } from './types.ts';

/** What an answer is made of, when the searching is over. */
export interface AnswerParts {
  readonly query: SearchQuery;
  /** What was searched, relative to the order root; `.` for itself. */
  readonly path: string;
  readonly result: RunResult;
  /** Lines of the enumerator and of the run, in order. */
  readonly warnings: readonly Warning[];
  /** Makes the stats of an answer whose last event is this one; undefined if the settings do not ask for them. */
  readonly stats: (scanned: number) => ContentSearchStats | undefined;
}

/**
 * The answer of the tool (local-search-index.md 2.3, 10): events from the end are left out until it fits into
 * `CONTENT_ANSWER_MAX_BYTES`; `stderr` says nothing about what lies behind the last event; `exit_code` is synthesised.
 */
export function answerOf(parts: AnswerParts): ContentSearchAnswer {
  const { query, path, result } = parts;
  const events = fitting(parts);
  const truncated = result.truncated || events.length < result.events.length;
  const last = events.at(-1);
  const scanned = events.length < result.events.length ? (last === undefined ? 0 : last.file + 1) : result.scanned;
  const known = truncated ? (last?.file ?? 0) : result.timedOut ? scanned : Number.POSITIVE_INFINITY;
  const warnings = parts.warnings.filter(({ before }) => before <= known);
  const stats = parts.stats(scanned);
  return {
    pattern: query.pattern,
    path,
    count: events.length,
    matches: events.map(eventOf),
    truncated,
    timed_out: result.timedOut,
    exit_code: exitCode(events.length > 0 || truncated, warnings),
    ...(warnings.length === 0 ? {} : { stderr: stderrOf(warnings) }),
    content: contentOf(events, query) + renderNotes({ events: events.length, truncated, timedOut: result.timedOut }),
    ...(stats === undefined ? {} : { stats }),
  };
}

/**
 * As grep: 0 with a match, 2 if there is none and something could not be searched, else 1. A line of context has a match beside
 * it, and so has an event that was left out, because there were too many, the answer was too long or the time was up.
 */
function exitCode(hasMatch: boolean, warnings: readonly Warning[]): number {
  if (hasMatch) return 0;
  return warnings.length > 0 ? 2 : 1;
}

function eventOf({ type, path, line, text }: RunEvent): ContentSearchEvent {
  return { type, data: { path: { text: path }, line_number: line, lines: { text } } };
}

function contentOf(events: readonly RunEvent[], { context }: SearchQuery): string {
  return events.map((event, index) => renderEvent(event, events[index - 1], context)).join('');
}

/** Most bytes of `stderr`: a tree of unreadable files must not push the events out. */
const STDERR_MAX_BYTES = 64 * 1024;

function stderrOf(warnings: readonly Warning[]): string {
  let room = STDERR_MAX_BYTES;
  const tooMany = warnings.findIndex(({ line }) => {
    room -= Buffer.byteLength(line) + 1;
    return room < 0;
  });
  const shown = tooMany < 0 ? warnings : warnings.slice(0, tooMany);
  const more = warnings.length - shown.length;
  return shown.map(({ line }) => `${line}\n`).join('') + (more === 0 ? '' : `and ${more} more\n`);
}

/** What JSON adds to an event and to its rendering at most, beside their texts; and to the answer, beside its texts and events. */
const EVENT_BYTES = 150;
const ANSWER_BYTES = 4_096;

/** More events than this never fit: each takes 80 bytes at least. */
export const MAX_EVENTS = Math.ceil(CONTENT_ANSWER_MAX_BYTES / 80);

/** The events that fit, from the first on. */
function fitting({ query, path, warnings, result: { events } }: AnswerParts): readonly RunEvent[] {
  let room = CONTENT_ANSWER_MAX_BYTES - ANSWER_BYTES - jsonBytes([query.pattern, path, stderrOf(warnings)]);
  // One unit of text is at most six bytes of JSON, and stands in the event and in the rendering. Most answers are small.
  const atMost = events.reduce((bytes, event) => bytes + EVENT_BYTES + 12 * (event.path.length + event.text.length), 0);
  if (atMost <= room) return events;
  const tooMany = events.findIndex((event, index) => {
    room -= jsonBytes(eventOf(event)) + 1 + jsonBytes(renderEvent(event, events[index - 1], query.context));
    return room < 0;
  });
  return tooMany < 0 ? events : events.slice(0, tooMany);
}

function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/**
 * The event as people read it, with the line end behind it: a heading when the file is another than before, `--` where
 * lines are left out between two of a file when context was asked for, then `12:text` for a match and `12-text` for context.
 *
 * @param before the event before this one
 */
export function renderEvent(event: RunEvent, before: RunEvent | undefined, context: number): string {
  const line = `${event.line}${MARKS[event.type]}${visible(event.text)}\n`;
  if (event.file !== before?.file) return `${before === undefined ? '' : '\n'}${visible(event.path)}\n${line}`;
  return context > 0 && event.line > before.line + 1 ? `--\n${line}` : line;
}

const MARKS = { match: ':', context: '-' } satisfies Record<RunEvent['type'], string>;

/** What people should know beside the events; each sentence on a line of its own. */
function renderNotes(notes: { readonly events: number; readonly truncated: boolean; readonly timedOut: boolean }): string {
  const sentences = [
    notes.events === 0 && !notes.timedOut && !notes.truncated ? 'No matches.' : '',
    notes.timedOut ? 'The time ran out: there may be more matches.' : '',
    notes.truncated ? 'There are more matches than these.' : '',
  ].filter((sentence) => sentence !== '');
  return sentences.length === 0 ? '' : `${notes.events === 0 ? '' : '\n'}${sentences.join('\n')}\n`;
}
