const DAY_US = 86_400_000_000;
const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const MOMENT = /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(?:([Zz])|([+-])(\d{2}):?(\d{2}))?$/;

/** Which end of a range a date without a time stands for. */
export type RangeEnd = 'start' | 'end';

/**
 * Microseconds since 1970 UTC of a moment that a person wrote: RFC 3339, the same without seconds or without a zone (then
 * UTC), or a date (message-search.md 6.1: the start of its day, or its last microsecond).
 *
 * @returns `undefined` when it is none, a day that the calendar lacks included
 */
export function momentUs(text: string, end: RangeEnd): number | undefined {
  const trimmed = text.trim();
  if (DATE.test(trimmed)) {
    const day = dayUs(trimmed);
    return day === undefined || end === 'start' ? day : day + DAY_US - 1;
  }
  const [, date = '', hours = '', minutes = '', seconds = '0', fraction = '', , sign, zoneHours = '0', zoneMinutes = '0'] = MOMENT.exec(trimmed) ?? [];
  const day = dayUs(date);
  if (day === undefined || Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59 || Number(zoneHours) > 23 || Number(zoneMinutes) > 59)
    return undefined;
  const zone = (sign === '-' ? -1 : 1) * (Number(zoneHours) * 60 + Number(zoneMinutes));
  const inDay = (Number(hours) * 60 + Number(minutes) - zone) * 60 + Number(seconds);
  return day + inDay * 1_000_000 + Number(fraction.padEnd(6, '0').slice(0, 6));
}

/** RFC 3339 in UTC with six digits of a second; `null` beyond the years that it can write. */
export function momentText(us: number): string | null {
  const ms = Math.floor(us / 1000);
  if (!Number.isSafeInteger(us) || Math.abs(ms) > 8.64e15) return null;
  const text = new Date(ms).toISOString();
  return text.length === 24 ? `${text.slice(0, -1)}${String(us - ms * 1000).padStart(3, '0')}Z` : null;
}

function dayUs(date: string): number | undefined {
  const [, year = '', month = '', day = ''] = DATE.exec(date) ?? [];
  const ms = Date.parse(`${date}T00:00:00Z`);
  if (Number.isNaN(ms) || new Date(ms).getUTCDate() !== Number(day) || year === '' || month === '') return undefined;
  return ms * 1000;
}
