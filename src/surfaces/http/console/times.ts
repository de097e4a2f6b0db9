/** `0.3 s`, `42 s`, `3 min`, `2 h 10 min`, `4 d 3 h`. */
export function span(ms: number): string {
  const seconds = Math.max(0, ms) / 1000;
  if (seconds < 10) return `${Math.round(seconds * 10) / 10} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.floor(seconds % 60)} s`;
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** How long ago a time of RFC 3339 was. */
export function ago(time: string, now: number): string {
  return `${span(now - Date.parse(time))} ago`;
}

/** A time of RFC 3339 to the minute: `2026-11-27 02:00 UTC`. */
export function minuteOf(time: string): string {
  return `${time.slice(0, 16).replace('T', ' ')} UTC`;
}

/** How long it is until a time of RFC 3339. */
export function inTime(time: string, now: number): string {
  return `in ${span(Date.parse(time) - now)}`;
}
