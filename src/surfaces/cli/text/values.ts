import { WritError } from '../../../core/errors.ts';
import type { LeaseTerms, PushOptions } from '../../../core/ports/index.ts';
import { WHEN } from '../../../core/when.ts';

const SECONDS = { s: 1, m: 60, h: 3600, d: 86_400 } satisfies Record<string, number>;
const DURATION = /^(\d{1,9})(s|m|h|d)?$/;

/**
 * `90`, `90s`, `15m`, `24h`, `30d` in seconds.
 *
 * @throws WritError INVALID_ARGUMENT
 */
export function parseSeconds(word: string, option: string): number {
  const match = DURATION.exec(word);
  if (!match) throw new WritError('INVALID_ARGUMENT', `${option} must be a time such as 90s, 15m, 24h or 30d`, { field: option });
  return Number(match[1]) * SECONDS[(match[2] ?? 's') as keyof typeof SECONDS];
}

/** @throws WritError INVALID_ARGUMENT */
export function parseWhole(word: string, option: string, range: { min: number; max: number }): number {
  const value = /^\d{1,9}$/.test(word) ? Number(word) : Number.NaN;
  if (!(value >= range.min && value <= range.max)) {
    throw new WritError('INVALID_ARGUMENT', `${option} must be a whole number from ${range.min} to ${range.max}`, { field: option });
  }
  return value;
}

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/;

/**
 * When a push may run: `--not-before` (a time, or so long from `now`, milliseconds since 1970) and `--priority`.
 *
 * @throws WritError INVALID_ARGUMENT
 */
export function parseWhen(flags: { readonly notBefore?: string; readonly priority?: string }, now: number): Pick<PushOptions, 'notBefore' | 'priority'> {
  const { notBefore: word, priority } = flags;
  const at = word === undefined ? undefined : RFC_3339.test(word) ? Date.parse(word) : now + parseSeconds(word, '--not-before') * 1000;
  if (at !== undefined && !(at - now <= WHEN.aheadMs))
    throw new WritError('INVALID_ARGUMENT', '--not-before lies more than 366 days ahead', { field: '--not-before' });
  return {
    ...(at === undefined ? {} : { notBefore: at }),
    ...(priority === undefined ? {} : { priority: parseWhole(priority, '--priority', { min: 0, max: WHEN.priority }) }),
  };
}

/** The options of a lease that `push`, `find` and `lease issue` share. */
export function parseLeaseTerms({ ttl, confirmedBy }: { readonly ttl?: string; readonly confirmedBy?: string }): LeaseTerms {
  return { ...(ttl === undefined ? {} : { ttlS: parseLife(ttl, '--ttl') }), ...(confirmedBy === undefined ? {} : { confirmedBy }) };
}

/**
 * How long something is to live, seconds; as `parseSeconds`, and at least one.
 *
 * @throws WritError INVALID_ARGUMENT
 */
export function parseLife(word: string, option: string): number {
  const seconds = parseSeconds(word, option);
  if (seconds < 1) throw new WritError('INVALID_ARGUMENT', `${option} must be at least 1s`, { field: option });
  return seconds;
}

/** The time in UTC to the second. */
export function timeOf(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}

/**
 * A line of a file on a terminal: no control character but the tab, nothing that ends the line or turns its direction.
 * Other format characters stay, because scripts and emoji need them.
 */
export function printableLine(text: string): string {
  return text.replace(/[^\P{Cc}\t]|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu, escaped);
}

function escaped(character: string): string {
  return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
}

/** Text from elsewhere on a terminal: no control characters, nothing that could rewrite what stands before it. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, escaped);
}
