import { closeSync, fstatSync, openSync, readlinkSync, renameSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { WritError } from '../../core/errors.ts';
import { openLog } from '../files/open-log.ts';
import { processLibc } from './libc-process.ts';

const STANDARD_ERROR = 2;

/** The log of this process as a file that it may put aside. */
export interface RollingLog {
  readonly bytes: number;
  /** Milliseconds since 1970. */
  readonly bornAt: number;
  roll(): void;
  follow(): Pick<RollingLog, 'bytes' | 'bornAt'> | undefined;
}

/**
 * The file behind a descriptor, where it is one of ours: a regular file in this directory. A terminal, a pipe and a file
 * of somebody's own are not ours to put aside.
 *
 * `roll` renames `x.log` to `x.log.1`, that one to `x.log.2` and so on, and has the descriptor lead to a new `x.log`: what
 * the process says last, and whatever writes past the logger, goes there too. The new file is made first, so that a full
 * disk changes nothing.
 *
 * `follow` is for a file that somebody has removed or moved away: the descriptor leads to the one that has its name now, which is made
 * where there is none. `undefined`: it is still ours.
 *
 * @param keep files that are kept beside the one that is written
 */
export function rollingLog({
  directory,
  keep,
  fd = STANDARD_ERROR,
}: {
  readonly directory: string;
  readonly keep: number;
  readonly fd?: number;
}): RollingLog | undefined {
  const file = fileOf(fd);
  if (file === undefined || path.dirname(file) !== path.resolve(directory)) return undefined;
  return { ...lifeOf(fd), roll: () => roll(fd, file, keep), follow: () => follow(fd, file) };
}

function lifeOf(fd: number): Pick<RollingLog, 'bytes' | 'bornAt'> {
  const { size, birthtimeMs } = fstatSync(fd);
  return { bytes: size, bornAt: birthtimeMs };
}

function fileOf(fd: number): string | undefined {
  try {
    return fstatSync(fd).isFile() ? readlinkSync(`/proc/self/fd/${fd}`) : undefined;
  } catch {
    return undefined;
  }
}

function follow(fd: number, file: string): Pick<RollingLog, 'bytes' | 'bornAt'> | undefined {
  const [named, ours] = [statSync(file, { throwIfNoEntry: false }), fstatSync(fd)];
  if (named?.ino === ours.ino && named.dev === ours.dev) return undefined;
  const opened = openLog(file);
  try {
    processLibc().dup2(opened, fd);
  } finally {
    closeSync(opened);
  }
  return lifeOf(fd);
}

function roll(fd: number, file: string, keep: number): void {
  const libc = processLibc();
  if (statSync(file).ino !== fstatSync(fd).ino) throw new WritError('WRONG_STATE', `${file} is another file by now`);
  const next = `${file}.next`;
  rmSync(next, { force: true });
  const opened = openSync(next, 'ax', 0o600);
  try {
    rmSync(nameOf(file, keep), { force: true });
    for (let at = keep - 1; at >= 0; at -= 1) renameIfThere(nameOf(file, at), nameOf(file, at + 1));
    renameSync(next, file);
    libc.dup2(opened, fd);
  } finally {
    closeSync(opened);
  }
}

/** 0: the one that is written. */
function nameOf(file: string, at: number): string {
  return at === 0 ? file : `${file}.${at}`;
}

function renameIfThere(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
}
