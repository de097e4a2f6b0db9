import type { FileHandle } from 'node:fs/promises';
import { createChainCheck, GENESIS, type Link, MAX_LINE_BYTES, readLine, STARTED } from '../core/audit-chain.ts';
import { WritError } from '../core/errors.ts';
import type { OperatorAction, OperatorRecord } from '../core/ports/audit.ts';
import { readHead } from './audit-head.ts';
import { LATE_SLOTS, whyNotNew } from './audit-late.ts';
import { endOf, type FileEnd, linesOf } from './audit-lines.ts';

/** Most records that wait in one process for one write. */
export const MAX_BATCH = 64;
/** A write may carry two records of our own and those that came late before its batch; the head is behind by no more after a crash. */
export const MAX_AHEAD = MAX_BATCH + 2 + LATE_SLOTS;
/** Room for a torn line and the one before it; and for a whole write whose head was not noted. */
const WINDOWS = [2 * MAX_LINE_BYTES + 4, (MAX_AHEAD + 2) * (MAX_LINE_BYTES + 1)];

/** Where a log ends, as its next writer must know. */
export interface LogEnd {
  readonly link: Link;
  /** Length without the torn bytes. */
  readonly wholeBytes: number;
  /** What a crash in the middle of a write left behind the last whole line; mostly empty. */
  readonly torn: Buffer;
  /** The chain's first record, when it starts behind lines of an older version. */
  readonly opening: OperatorAction | undefined;
  /** The head has not been noted yet: its file must be there before the first record. */
  readonly isNew: boolean;
}

/**
 * Reads the end of a locked log and holds it against the noted head.
 *
 * @throws WritError STORAGE_UNAVAILABLE when the log was cut off, changed or replaced: then nothing may be added, since
 * the next record and the next head would cover it up
 */
export async function readLogEnd(handle: FileHandle, file: string): Promise<LogEnd> {
  const { size } = await handle.stat();
  const head = await readHead(file);
  const end = (await endOf(handle, size, WINDOWS[0] ?? size)) ?? (await endOf(handle, size, WINDOWS[1] ?? size));
  if (!end) throw damaged(file, 'its last line has no end');
  const { wholeBytes, torn } = end;
  const last = lastRecord(end);
  if (last === undefined) {
    if (head !== undefined && head.n > 0) throw damaged(file, `it ends before record ${head.n}, which was written`);
    const why = head === undefined ? await whyNotNew(file) : undefined;
    if (why !== undefined) throw damaged(file, why);
    const opening = wholeBytes === 0 ? undefined : await openingBehindOldLines(handle, file, wholeBytes);
    return { link: GENESIS, wholeBytes, torn, opening, isNew: head === undefined };
  }
  if (head === undefined) throw damaged(file, 'the file beside it that notes its last record (.head) is gone');
  if (last.n < head.n) throw damaged(file, `it ends with record ${last.n}, but record ${head.n} was written`);
  await assertHolds(head, last, { handle, file, size });
  return { link: { n: last.n, hash: last.hash }, wholeBytes, torn, opening: undefined, isNew: false };
}

/** `undefined` also for a line that is no record: old ones end so. */
function lastRecord({ lines }: FileEnd): OperatorRecord | undefined {
  const line = lines.at(-1);
  const record = line === undefined ? 'none' : readLine(line);
  return typeof record === 'string' ? undefined : record;
}

/** The noted record stands where it was written. The log is ahead of it only by the records of one write. */
async function assertHolds(head: Link, last: OperatorRecord, { handle, file, size }: { handle: FileHandle; file: string; size: number }): Promise<void> {
  if (last.n === head.n && last.hash === head.hash) return;
  const wanted = last.n - head.n;
  if (wanted > MAX_AHEAD) throw damaged(file, `it goes on ${wanted} records beyond record ${head.n}, the last that was noted: no crash leaves that`);
  if (wanted === 0) throw damaged(file, `record ${head.n} is not the one that was written`);
  const end = await endOf(handle, size, WINDOWS[1] ?? size);
  // The noted record may be the last one of the file before; what follows it is always in this one, and names it.
  const line = end?.lines.at(-wanted);
  const next = line === undefined ? undefined : readLine(line);
  if (typeof next !== 'object' || next.prev !== head.hash) throw damaged(file, `record ${head.n} is not the one that was written`);
}

/** Old lines stay as they are; the first record of the chain names their number and their hash. */
async function openingBehindOldLines(handle: FileHandle, file: string, wholeBytes: number): Promise<OperatorAction> {
  const check = createChainCheck();
  for await (const { lines } of linesOf(handle, wholeBytes)) {
    for (const line of lines) {
      const why = check.take(line);
      if (why !== undefined || check.link.n > 0) throw damaged(file, `its last line ${why ?? 'is no record'}`);
    }
  }
  const detail = { lines: check.unchained, sha256: check.unchainedHash() };
  return { surface: 'cli', who: 'writ', action: STARTED, subject: file.split('/').at(-1) ?? file, outcome: 'done', detail };
}

function damaged(file: string, why: string): WritError {
  return new WritError('STORAGE_UNAVAILABLE', `the audit log ${file} is damaged: ${why}. Look at it with \`writ audit verify\`; docs/audit.md says what to do`);
}
