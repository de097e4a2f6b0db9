import { type FileHandle, link, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { waitForFileLock } from '../adapters/files/file-lock.ts';
import { syncDirectory } from '../adapters/files/sync-directory.ts';
import { CONTINUED, lineOf, MAX_LINE_BYTES, readLine, sealRecord } from '../core/audit-chain.ts';
import type { OperatorRecord } from '../core/ports/audit.ts';
import type { LogEnd } from './audit-end.ts';
import { closedFileOf, secondNames } from './audit-files.ts';
import { writeHead } from './audit-head.ts';

/** When a file of the log is closed; 0: never for that. */
export interface RotationRules {
  readonly maxBytes: number;
  readonly maxAgeMs: number;
}

const NOTHING = Buffer.alloc(0);

/** Steps of a rotation; `docs/audit.md` has what a crash after each leaves. */
export const ROTATION_POINTS = ['opened', 'named', 'swapped', 'noted'] as const;
export type RotationPoint = (typeof ROTATION_POINTS)[number];

/** Who is told of a rotation. */
export interface RotationWatch {
  /** Test seam: called after each step. */
  readonly onPoint?: ((point: RotationPoint) => void) | undefined;
  /** Told when a log that is due could not be closed. */
  readonly onFailed?: ((error: unknown) => void) | undefined;
}

/** A locked log that may be closed, and where it ends. */
export interface OpenLog {
  readonly handle: FileHandle;
  readonly file: string;
  readonly end: LogEnd;
}

/**
 * Closes the log and goes on in a new file where the rules want it.
 *
 * @returns the log to write, locked; the same one when it is not due, or when it could not be closed: then it grows on
 * @throws whatever failed after the new file had taken the place of the old one
 */
export async function rotated(log: OpenLog, rules: RotationRules, now: number, { onPoint = noop, onFailed = noop }: RotationWatch = {}): Promise<OpenLog> {
  for (const second of await secondNames(log.file, log.handle)) await rm(second.file);
  if (!(await isDue(log, rules, now))) return log;
  const first = openingOf(log, now);
  const next = await replaced(log, lineOf(first), { onPoint, onFailed });
  if (next === undefined) return log;
  try {
    await syncDirectory(path.dirname(log.file));
    onPoint('swapped');
    await writeHead(log.file, first);
    onPoint('noted');
  } catch (error) {
    await next.close();
    throw error;
  }
  await log.handle.close();
  const { n, hash } = first;
  return {
    file: log.file,
    handle: next,
    end: { link: { n, hash }, wholeBytes: Buffer.byteLength(lineOf(first)), torn: NOTHING, opening: undefined, isNew: false },
  };
}

/** Whether the file is to be closed before the next action. One that is torn is mended first; one record is no file. */
async function isDue({ handle, end }: OpenLog, { maxBytes, maxAgeMs }: RotationRules, now: number): Promise<boolean> {
  if (end.link.n === 0 || end.torn.length > 0) return false;
  if (maxBytes > 0 && end.wholeBytes >= maxBytes) return true;
  if (maxAgeMs === 0) return false;
  const first = await firstRecord(handle);
  return first !== undefined && first.n < end.link.n && now - Date.parse(first.at) >= maxAgeMs;
}

/** `undefined` where lines of an older version come first: their file is closed by its size. */
async function firstRecord(handle: FileHandle): Promise<OperatorRecord | undefined> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(MAX_LINE_BYTES + 1), 0, MAX_LINE_BYTES + 1, 0);
  const end = buffer.subarray(0, bytesRead).indexOf('\n');
  const record = end < 0 ? undefined : readLine(buffer.subarray(0, end));
  return typeof record === 'object' ? record : undefined;
}

/** The record that carries the chain into the new file. */
function openingOf({ file, end }: OpenLog, now: number): OperatorRecord {
  const detail = { last: end.link.n, bytes: end.wholeBytes };
  const subject = path.basename(closedFileOf(file, end.link.n));
  return sealRecord(end.link, { surface: 'cli', who: 'writ', action: CONTINUED, subject, outcome: 'done', detail }, now);
}

/** Puts a new file with this line in the place of the log, which keeps another name. `undefined`: it could not be done, and nothing has changed. */
async function replaced(
  { file, end, handle: old }: OpenLog,
  line: string,
  { onPoint, onFailed }: { onPoint: (point: RotationPoint) => void; onFailed: (error: unknown) => void },
): Promise<FileHandle | undefined> {
  const next = `${file}.next`;
  const closed = closedFileOf(file, end.link.n);
  const made: string[] = [];
  let handle: FileHandle | undefined;
  try {
    // A crash may have left the head behind; what it names must lie in the last of the closed files, or in the new one.
    await old.sync();
    await writeHead(file, end.link);
    await rm(next, { force: true });
    handle = await open(next, 'ax+', 0o600);
    made.push(next);
    await waitForFileLock(handle.fd, next);
    await handle.appendFile(line);
    await handle.sync();
    onPoint('opened');
    await link(file, closed);
    made.push(closed);
    await syncDirectory(path.dirname(file));
    onPoint('named');
    await rename(next, file);
    return handle;
  } catch (error) {
    await handle?.close();
    for (const one of made) await rm(one, { force: true }).catch(() => undefined);
    onFailed(error);
    return undefined;
  }
}

function noop(): void {}
