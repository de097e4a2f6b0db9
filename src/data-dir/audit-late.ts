import { randomBytes } from 'node:crypto';
import { type FileHandle, open, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { waitForFileLock } from '../adapters/files/file-lock.ts';
import { syncDirectory } from '../adapters/files/sync-directory.ts';
import { WritError } from '../core/errors.ts';
import type { OperatorAction } from '../core/ports/audit.ts';
import { unavailable } from './audit-file.ts';
import { closedFiles } from './audit-files.ts';

/**
 * Beside a log: room for what must be done although the log cannot be written (`<log>.late`), and the mark that there has
 * been a log (`audit-begun`). The room is taken while there is some, and only written over after that, so that it is there
 * on a full disk.
 */

/** Records that wait for the log at most. */
export const LATE_SLOTS = 16;
const SLOT_BYTES = 2048;
const BLANK = Buffer.from(`${' '.repeat(SLOT_BYTES - 1)}\n`);
const MAX_SUBJECT = 256;

const Slot = z.strictObject({
  surface: z.enum(['http', 'board', 'cli', 'mcp']),
  who: z.string(),
  action: z.string(),
  subject: z.string(),
  outcome: z.enum(['asked', 'done', 'refused']),
  detail: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
});

/** Actions that the log has yet to take. */
export interface LateActions extends AsyncDisposable {
  readonly actions: readonly OperatorAction[];
  /** The log has them. */
  clear(): Promise<void>;
}

/** Makes the room, unless it is there. */
export async function setRoomAside(file: string): Promise<void> {
  if (await isThere(lateFileOf(file))) return;
  const handle = await open(lateFileOf(file), 'a+', 0o600);
  try {
    await waitForFileLock(handle.fd, lateFileOf(file));
    if ((await handle.stat()).size === 0) await handle.writeFile(Buffer.concat(Array.from({ length: LATE_SLOTS }, () => BLANK)));
    await handle.sync();
  } finally {
    await handle.close();
  }
  await syncDirectory(path.dirname(file));
}

/**
 * Keeps an action that was done, until the log takes records again; its record then says when it was.
 *
 * @param now milliseconds since 1970
 * @throws WritError STORAGE_UNAVAILABLE when it cannot be kept
 */
export async function keepForLater(file: string, action: OperatorAction, now: number): Promise<void> {
  const late = lateFileOf(file);
  try {
    await setRoomAside(file);
    const handle = await open(late, 'r+');
    try {
      await waitForFileLock(handle.fd, late);
      const free = (await slotsOf(handle)).indexOf(undefined);
      if (free < 0) throw new WritError('STORAGE_UNAVAILABLE', `${LATE_SLOTS} records wait in ${late} for the audit log already`);
      const { subject, detail } = action;
      const kept = {
        ...action,
        subject: subject.slice(0, MAX_SUBJECT),
        detail: { ...detail, late: randomBytes(8).toString('hex'), done_at: new Date(now).toISOString() },
      };
      const text = Buffer.from(JSON.stringify(kept));
      if (text.length >= SLOT_BYTES) throw new WritError('STORAGE_UNAVAILABLE', `the record is too long for ${late}`);
      const slot = Buffer.from(BLANK);
      text.copy(slot);
      await handle.write(slot, 0, SLOT_BYTES, free * SLOT_BYTES);
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw unavailable(late, error);
  }
}

/** What waits, locked until it is disposed of. A crash between the log and `clear` records it twice, under the same `late`. */
export async function lateActions(file: string): Promise<LateActions> {
  const late = lateFileOf(file);
  if (!(await isThere(late))) return { actions: [], clear: async () => undefined, [Symbol.asyncDispose]: async () => undefined };
  const handle = await open(late, 'r+');
  try {
    await waitForFileLock(handle.fd, late);
    const slots = await slotsOf(handle);
    return {
      actions: slots.filter((slot) => slot !== undefined),
      async clear() {
        for (const [at, slot] of slots.entries()) if (slot !== undefined) await handle.write(BLANK, 0, SLOT_BYTES, at * SLOT_BYTES);
        await handle.sync();
      },
      [Symbol.asyncDispose]: () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Marks the directory of a log: from now on a log that is not there was taken away. */
export async function markBegun(file: string): Promise<void> {
  if (await isThere(markOf(file))) return;
  const handle = await open(markOf(file), 'a', 0o600);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
  await syncDirectory(path.dirname(file));
}

/** Why a log that is not there, nor its head, is no new one; `undefined`: it is, or the last one was put away beside it. */
export async function whyNotNew(file: string): Promise<string | undefined> {
  if (!(await isThere(markOf(file)))) return undefined;
  const names = new Set(await readdir(path.dirname(file)));
  const base = path.basename(file);
  if ((await closedFiles(file)).length > 0) return `it and its head are gone, though closed files of it are here`;
  const isPutAway = [...names].some((name) => name.startsWith(`${base}.`) && names.has(`${name}.head`));
  return isPutAway ? undefined : `it and its head are gone, though there has been a log here (${markOf(file)})`;
}

/** What stands in each place; a torn one is free, since nobody was told of it. */
async function slotsOf(handle: FileHandle): Promise<readonly (OperatorAction | undefined)[]> {
  const bytes = Buffer.alloc(LATE_SLOTS * SLOT_BYTES);
  await handle.read(bytes, 0, bytes.length, 0);
  return Array.from({ length: LATE_SLOTS }, (_, at) => actionIn(bytes.subarray(at * SLOT_BYTES, (at + 1) * SLOT_BYTES).toString('utf8')));
}

function actionIn(slot: string): OperatorAction | undefined {
  try {
    return Slot.parse(JSON.parse(slot));
  } catch {
    return undefined;
  }
}

const lateFileOf = (file: string): string => `${file}.late`;
const markOf = (file: string): string => path.join(path.dirname(file), 'audit-begun');

async function isThere(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}
