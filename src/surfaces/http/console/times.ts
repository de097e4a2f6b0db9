import { duration } from '../../../core/units.ts';

/** How long ago a time of RFC 3339 was. */
export function ago(time: string, now: number): string {
  return `${duration(now - Date.parse(time))} ago`;
}

/** A time of RFC 3339 to the minute: `2026-11-27 02:00 UTC`. */
export function minuteOf(time: string): string {
  return `${time.slice(0, 16).replace('T', ' ')} UTC`;
}

/** How long it is until a time of RFC 3339. */
export function inTime(time: string, now: number): string {
  return `in ${duration(Date.parse(time) - now)}`;
}
