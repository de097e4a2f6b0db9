import { createHash } from 'node:crypto';
import { z } from 'zod';
import { canonicalJson } from './canonical-json.ts';
import { messageOf, WritError } from './errors.ts';
import { sha256Hex } from './hash.ts';
import { wellFormed } from './i-json.ts';
import type { OperatorAction, OperatorRecord } from './ports/audit.ts';

/**
 * The chain of the audit log, without any file. A record stands on one line, in canonical form; `hash` is SHA-256 over
 * the canonical form of everything else, `prev` the hash before it. A line that is not byte for byte the canonical form
 * of its record is none, so that no byte of the log can change unnoticed.
 */

/** Longest line, in bytes without its end. */
export const MAX_LINE_BYTES = 64 * 1024;

/** The record that opens the chain behind lines of an older version; its detail names their number and hash. */
export const STARTED = 'audit.started';
/** The record that tells of a line which a crash had cut off. */
export const REPAIRED = 'audit.repaired';
/** The first record of a file that goes on with the chain of the file before. */
export const CONTINUED = 'audit.continued';

/** Where a chain has got to. */
export interface Link {
  readonly n: number;
  readonly hash: string;
}

/** Before the first record. */
export const GENESIS: Link = { n: 0, hash: '0'.repeat(64) };

const Hash = z.string().regex(/^[0-9a-f]{64}$/);
const RecordShape = z.strictObject({
  v: z.literal(1),
  n: z.int().min(1),
  at: z.iso.datetime({ precision: 3 }),
  surface: z.enum(['http', 'board', 'cli', 'mcp']),
  who: z.string(),
  action: z.string(),
  subject: z.string(),
  outcome: z.enum(['asked', 'done', 'refused']),
  detail: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
  prev: Hash,
  hash: Hash,
});
/** A line that `writ vault purge` of an older version wrote, before there was a chain. */
const OldLine = z.looseObject({ at: z.string(), what: z.string(), v: z.undefined().optional(), hash: z.undefined().optional() });

/**
 * The next record of a chain.
 *
 * @param at milliseconds since 1970
 * @throws WritError INVALID_ARGUMENT when the action has no canonical form or is too long for a line
 */
export function sealRecord(before: Link, action: OperatorAction, at: number): OperatorRecord {
  const { surface, who, subject, outcome, detail } = action;
  const body = {
    v: 1 as const,
    n: before.n + 1,
    at: new Date(at).toISOString(),
    surface,
    who: wellFormed(who),
    action: action.action,
    subject: wellFormed(subject),
    outcome,
    ...(detail === undefined ? {} : { detail: wellFormedDetail(detail) }),
    prev: before.hash,
  };
  const text = canonical(body);
  if (Buffer.byteLength(text) > MAX_LINE_BYTES - 128) throw new WritError('INVALID_ARGUMENT', 'the action is too long for the audit log', { field: 'subject' });
  return { ...body, hash: sha256Hex(text) };
}

/** The line of a record, with its end. */
export function lineOf(record: OperatorRecord): string {
  return `${canonicalJson(record)}\n`;
}

/** The record of a line (without its end), or why it is none. Says nothing about the lines around it. */
export function readLine(line: Uint8Array): OperatorRecord | string {
  const value = parsed(line);
  const record = RecordShape.safeParse(value);
  if (!record.success) return 'is no record of the audit log';
  const { hash, ...body } = record.data;
  try {
    if (!Buffer.from(canonicalJson(record.data)).equals(line)) return 'is not in canonical form';
    if (sha256Hex(canonicalJson(body)) !== hash) return 'does not match its hash';
  } catch {
    return 'has no canonical form';
  }
  const { detail, ...rest } = record.data;
  return detail === undefined ? rest : { ...rest, detail };
}

export interface ChainCheck {
  /** Takes the next line, without its end; answers what is wrong with it. */
  take(line: Uint8Array): string | undefined;
  /** The last good record. */
  readonly link: Link;
  /** Number of the last record that was read, also where it is not after the start; 0 before the first. */
  readonly read: number;
  /** Lines of an older version before the chain. */
  readonly unchained: number;
  /** SHA-256 of those lines with their ends. */
  unchainedHash(): string;
}

/**
 * Checks a log line by line, over all of its files, in constant memory. After the first fault its answers mean nothing.
 *
 * @param start a record that is known to be good: those before it may be missing and are not looked at
 */
export function createChainCheck(start: Link = GENESIS): ChainCheck {
  let link = start;
  let unchained = 0;
  let read = 0;
  const old = createHash('sha256');
  const unchainedHash = (): string => old.copy().digest('hex');
  return {
    take(line) {
      const record = readLine(line);
      if (typeof record === 'string') {
        if (link.n > start.n || !OldLine.safeParse(parsed(line)).success) return record;
        unchained += 1;
        old.update(line).update('\n');
        return undefined;
      }
      read = record.n;
      if (link === start && record.n <= start.n) return record.n < start.n || record.hash === start.hash ? undefined : 'has another hash than the one given';
      if (record.n !== link.n + 1) return `has the number ${record.n}, where ${link.n + 1} belongs`;
      if (record.prev !== link.hash) return 'does not follow from the record before it';
      if (record.n === 1 && !startsBehind(record, unchained, unchainedHash)) return 'does not fit the unchained lines before it';
      link = { n: record.n, hash: record.hash };
      return undefined;
    },
    get link() {
      return link;
    },
    get read() {
      return read;
    },
    get unchained() {
      return unchained;
    },
    unchainedHash,
  };
}

function startsBehind({ action, detail }: OperatorRecord, unchained: number, hash: () => string): boolean {
  if (unchained === 0) return action !== STARTED;
  return action === STARTED && detail?.['lines'] === unchained && detail['sha256'] === hash();
}

function canonical(body: object): string {
  try {
    return canonicalJson(body);
  } catch (error) {
    throw new WritError('INVALID_ARGUMENT', `an action cannot be written down: ${messageOf(error)}`, { cause: error });
  }
}

function parsed(line: Uint8Array): unknown {
  if (line.length > MAX_LINE_BYTES) return undefined;
  try {
    return JSON.parse(Buffer.from(line).toString('utf8'));
  } catch {
    return undefined;
  }
}

function wellFormedDetail(detail: NonNullable<OperatorAction['detail']>): NonNullable<OperatorAction['detail']> {
  return Object.fromEntries(Object.entries(detail).map(([key, value]) => [key, typeof value === 'string' ? wellFormed(value) : value]));
}
