import { withoutComments } from './structured-value.ts';

/**
 * When a message was received, by the topmost `Received` field (search-executor.md 7.2): the date after its last `;`
 * (RFC 5322 3.6.7), with the obsolete years and zones of RFC 5322 4.3. A date without a zone is none: the time would be a
 * guess.
 *
 * @param raw the field's value, folded
 * @returns milliseconds since 1970 UTC, or undefined
 */
export function receivedDate(raw: string): number | undefined {
  const text = withoutComments(raw.replaceAll(/\s+/g, ' '));
  const semicolon = text.lastIndexOf(';');
  const match = semicolon < 0 ? null : DATE.exec(text.slice(semicolon + 1).trim());
  if (match === null) return undefined;
  const [, day = '', month = '', year = '', hour = '', minute = '', second = '0', fraction = '', zone = ''] = match;
  const monthIndex = MONTHS.indexOf(month.toLowerCase());
  const minutes = zoneMinutes(zone);
  if (monthIndex < 0 || minutes === undefined || !isTime(Number(hour), Number(minute), Number(second))) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(fullYear(year), monthIndex, Number(day));
  if (date.getUTCDate() !== Number(day)) return undefined;
  return date.getTime() + ((Number(hour) * 60 + Number(minute) - minutes) * 60 + Number(second)) * 1000 + milliseconds(fraction);
}

const DATE = /^(?:[a-z]+ ?, ?)?(\d{1,2}) ?([a-z]{3}) ?(\d{2,4}) (\d{1,2}) ?: ?(\d{2})(?: ?: ?(\d{2})(?:\.(\d{1,9}))?)? ?([+-]\d{4}|[a-z]{1,5})$/i;
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** 60 is a leap second. */
function isTime(hour: number, minute: number, second: number): boolean {
  return hour < 24 && minute < 60 && second <= 60;
}

/** RFC 5322 4.3: two digits up to 49 are of this century, others and three digits count from 1900. */
function fullYear(year: string): number {
  if (year.length === 4) return Number(year);
  return Number(year) + (year.length === 2 && Number(year) < 50 ? 2000 : 1900);
}

const ZONES: Readonly<Record<string, number>> = { edt: -240, est: -300, cdt: -300, cst: -360, mdt: -360, mst: -420, pdt: -420, pst: -480 };

/** Minutes east of UTC; undefined if the offset is impossible. Other names mean that the offset is unknown: UTC (RFC 5322 4.3). */
function zoneMinutes(zone: string): number | undefined {
  if (!/^[+-]/.test(zone)) return ZONES[zone.toLowerCase()] ?? 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(3));
  if (Number(zone.slice(3)) > 59) return undefined;
  return zone.startsWith('-') ? -minutes : minutes;
}

function milliseconds(fraction: string): number {
  return Number(fraction.padEnd(3, '0').slice(0, 3));
}
