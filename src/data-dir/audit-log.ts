import { appendFile, type FileHandle, open } from 'node:fs/promises';
import path from 'node:path';
import { syncDirectory } from '../adapters/files/sync-directory.ts';
import { GENESIS, type Link, lineOf, REPAIRED, sealRecord } from '../core/audit-chain.ts';
import type { Clock } from '../core/clock.ts';
import { sha256Hex } from '../core/hash.ts';
import type { OperatorAction, OperatorRecord, PatientAuditLog } from '../core/ports/audit.ts';
import { type LogEnd, MAX_BATCH, readLogEnd } from './audit-end.ts';
import { openToAppend, unavailable } from './audit-file.ts';
import { writeHead } from './audit-head.ts';
import { keepForLater, lateActions, markBegun, setRoomAside } from './audit-late.ts';
import { type OpenLog, type RotationPoint, type RotationRules, rotated } from './audit-rotate.ts';

const NEVER: RotationRules = { maxBytes: 0, maxAgeMs: 0 };

interface PendingAppend {
  readonly action: OperatorAction;
  resolve(record: OperatorRecord): void;
  reject(error: unknown): void;
}

export interface AuditLogOptions {
  readonly file: string;
  readonly clock: Pick<Clock, 'now'>;
  /** The file grows on without. */
  readonly rotation?: RotationRules | undefined;
  /** Test seam: called after each step of a rotation. */
  readonly onPoint?: (point: RotationPoint) => void;
  /** Told why the log cannot be closed where it is due, once, and undefined when that is over. Must not throw. */
  readonly onRotation?: ((error: unknown) => void) | undefined;
}

/**
 * The audit log of a data directory: one file for all its processes, which take turns by its lock. Actions that wait in
 * one process share a write and its fsync. `docs/audit.md` says what the chain proves and what not.
 *
 * The order of a write: lock, look at the end, (a new file where the old one is full,) (`.torn` and a shorter file after a crash), lines, fsync, `.head`. What
 * fails on the way is taken back, so that a refused action leaves no record behind, as far as the disk still obeys.
 */
export function createAuditLog(options: AuditLogOptions): PatientAuditLog {
  const { file, clock } = options;
  const waiting: PendingAppend[] = [];
  let writing = false;
  let isFailing = false;
  // Where another process has closed the log it is due no more, and the trouble is over as well.
  const settled = (error: unknown): void => {
    if (isFailing !== (error !== undefined)) options.onRotation?.(error);
    isFailing = error !== undefined;
  };
  const drain = async (): Promise<void> => {
    while (waiting.length > 0) await writeBatch(options, waiting, settled);
    writing = false;
  };
  return {
    append(action) {
      // Tells a caller about an action that fits no line before it can spoil the write of others.
      const sealed = Promise.resolve().then(() => sealRecord(GENESIS, action, clock.now()));
      return sealed.then(
        () =>
          new Promise((resolve, reject) => {
            waiting.push({ action, resolve, reject });
            if (writing) return;
            writing = true;
            void drain();
          }),
      );
    },
    keepForLater: (action) => keepForLater(file, action, clock.now()),
  };
}

/** Takes what waits once the lock is held; never throws. */
async function writeBatch({ file, clock, rotation, onPoint }: AuditLogOptions, waiting: PendingAppend[], settled: (error: unknown) => void): Promise<void> {
  let trouble: unknown;
  let log: OpenLog | undefined;
  let batch: readonly PendingAppend[] = [];
  try {
    log = await openLog(file);
    const onFailed = (error: unknown): void => {
      trouble = error;
    };
    log = await rotated(log, rotation ?? NEVER, clock.now(), { onPoint, onFailed });
    settled(trouble);
    batch = waiting.splice(0, MAX_BATCH);
    const actions = batch.map(({ action }) => action);
    const records = await writeActions(log, actions, clock.now());
    for (const [at, { resolve }] of batch.entries()) {
      const record = records[at];
      if (record) resolve(record);
    }
  } catch (error) {
    // Before the lock nobody was taken yet; then all who wait hear of it.
    for (const { reject } of batch.length > 0 ? batch : waiting.splice(0)) reject(unavailable(file, error));
  } finally {
    await log?.handle.close().catch(() => undefined);
  }
}

async function openLog(file: string): Promise<OpenLog> {
  const handle = await openToAppend(file);
  try {
    return { handle, file, end: await readLogEnd(handle, file) };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** The records of the actions, durable, in their order. */
async function writeActions({ handle, file, end }: OpenLog, actions: readonly OperatorAction[], now: number): Promise<readonly OperatorRecord[]> {
  if (end.isNew) await begin(file);
  await markBegun(file);
  await setRoomAside(file);
  await using late = await lateActions(file);
  if (end.torn.length > 0) await setTornAside(handle, file, end, now);
  const own = [...(end.opening ? [end.opening] : []), ...(end.torn.length > 0 ? [repairOf(end.torn)] : []), ...late.actions];
  const records = chained(end.link, [...own, ...actions], now);
  try {
    await handle.appendFile(records.map(lineOf).join(''));
    await handle.sync();
    await writeHead(file, records.at(-1) ?? end.link);
  } catch (error) {
    await handle.truncate(end.wholeBytes).catch(() => undefined);
    throw error;
  }
  // They stand in the log: who cannot clear them now records them twice.
  if (late.actions.length > 0) await late.clear().catch(() => undefined);
  return records.slice(own.length);
}

/** A head without records comes before the first record, so that a log without a head is never a young one. */
async function begin(file: string): Promise<void> {
  await writeHead(file, GENESIS);
  await syncDirectory(path.dirname(file));
}

function chained(link: Link, actions: readonly OperatorAction[], now: number): readonly OperatorRecord[] {
  let before = link;
  return actions.map((action) => {
    const record = sealRecord(before, action, now);
    before = record;
    return record;
  });
}

/** Nothing is dropped: the bytes are durable in `<file>.torn` before they leave the log. A crash in between sets them aside twice. */
async function setTornAside(handle: FileHandle, file: string, { torn, wholeBytes }: LogEnd, now: number): Promise<void> {
  const aside = `${file}.torn`;
  await appendFile(aside, `${JSON.stringify({ at: new Date(now).toISOString(), offset: wholeBytes, base64: torn.toString('base64') })}\n`, { mode: 0o600 });
  const kept = await open(aside, 'r');
  try {
    await kept.sync();
  } finally {
    await kept.close();
  }
  await syncDirectory(path.dirname(file));
  await handle.truncate(wholeBytes);
}

function repairOf(torn: Buffer): OperatorAction {
  return { surface: 'cli', who: 'writ', action: REPAIRED, subject: 'last line', outcome: 'done', detail: { bytes: torn.length, sha256: sha256Hex(torn) } };
}
