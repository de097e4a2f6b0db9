import { optionsFault } from './job-options.ts';

/** Longest text of a field of a job's hash other than its data, UTF-16 units. Larger ones are no job of anybody's. */
export const MAX_FIELD_CHARS = 64 * 1024;

/** Longest name of a job: Writ's own are capabilities. */
const MAX_NAME_CHARS = 1024;

/** What BullMQ parses as JSON before anybody is asked, and what is wrong with the value. */
const PARSED: Readonly<Record<string, (value: unknown) => string | undefined>> = {
  opts: (value) => (typeof value === 'object' && value !== null && !Array.isArray(value) ? optionsFault(value) : 'the options were no object'),
  progress: () => undefined,
  parent: () => undefined,
};

/** What stands in place of a field that was taken away; other fields are left out. */
const STAND_INS: Readonly<Record<string, (text: string) => string>> = {
  name: (text) => text.slice(0, MAX_NAME_CHARS).toWellFormed(),
  opts: () => '{}',
};

/** The fields of a job's hash as Redis answers them: name, value, name, value, … */
export type RawFields = readonly unknown[];

export interface BoundedJob {
  readonly fields: RawFields;
  /** The fields that were taken away, with what stands there now; `undefined`: nothing does. Empty: the job is as it came. */
  readonly changed: ReadonlyMap<string, string | undefined>;
}

/**
 * A raw producer may put anything into a job's hash, of any size, and BullMQ parses it before a handler sees it. Here, before
 * that, a field that is too long or that BullMQ cannot parse is taken away, and the data becomes a stand-in that says so
 * (`standInReason`): the job is refused like any that is no contract, at the price of its transfer.
 *
 * @param maxDataChars longest text of the data, UTF-16 units
 */
export function boundJob(fields: RawFields, maxDataChars: number): BoundedJob {
  const changed = new Map<string, string | undefined>();
  const faults: string[] = [];
  for (let at = 0; at < fields.length; at += 2) {
    const [name, text] = [String(fields[at]), fields[at + 1]];
    const fault = typeof text === 'string' ? faultOf(name, text, maxDataChars) : undefined;
    if (fault === undefined) continue;
    faults.push(fault);
    changed.set(name, STAND_INS[name]?.(String(text)));
  }
  if (faults.length === 0) return { fields, changed };
  changed.set('data', JSON.stringify({ [MARK]: faults.join('; ').slice(0, MAX_REASON) }));
  const kept: unknown[] = [];
  for (let at = 0; at < fields.length; at += 2) if (!changed.has(String(fields[at]))) kept.push(fields[at], fields[at + 1]);
  for (const [name, text] of changed) if (text !== undefined) kept.push(name, text);
  return { fields: kept, changed };
}

function faultOf(name: string, text: string, maxDataChars: number): string | undefined {
  const most = name === 'data' ? maxDataChars : name === 'name' ? MAX_NAME_CHARS : MAX_FIELD_CHARS;
  if (text.length > most) return `${labelOf(name)} had ${Buffer.byteLength(text)} bytes, at most ${most} are allowed`;
  const judge = PARSED[name];
  if (judge === undefined || text === '') return undefined;
  try {
    return judge(JSON.parse(text));
  } catch {
    return `${labelOf(name)} could not be read`;
  }
}

/** The fields of BullMQ that a producer may fill, in words; names of others are a stranger's. */
const LABELS: Readonly<Record<string, string>> = { data: 'the data', name: 'the name', opts: 'the options', progress: 'the progress', parent: 'the parent' };

function labelOf(name: string): string {
  return Object.hasOwn(LABELS, name) ? (LABELS[name] ?? '') : 'a field of the job';
}

const MARK = 'writ_refused';
const MAX_REASON = 500;

/** Why a job's data was replaced by a stand-in; `undefined` for any other data. */
export function standInReason(data: unknown): string | undefined {
  if (typeof data !== 'object' || data === null || Object.keys(data).length !== 1) return undefined;
  const reason: unknown = Reflect.get(data, MARK);
  return typeof reason === 'string' ? reason.slice(0, MAX_REASON).toWellFormed() : undefined;
}
