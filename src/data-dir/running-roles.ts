import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { tryLock } from '../adapters/linux/flock.ts';

/** A role that runs, and the settings that it was started with: a hash of each value by its dotted name. */
const RunningRole = z.object({ role: z.string(), pid: z.int(), settings: z.record(z.string(), z.string()) });
export type RunningRole = z.infer<typeof RunningRole>;

const NAME = /^[a-z-]+-\d+\.json$/;

/**
 * Tells everybody of the data directory that this role runs, in a file that is locked for as long as it does: a lock is
 * seen from other containers too, where a process number says nothing. What dead ones have left is removed.
 *
 * @param directory `<data>/running`, made 0700
 * @returns takes it back; a role that was killed is not believed either. What cannot be written is not told
 */
export function tellRunning(directory: string, running: RunningRole): () => void {
  const file = path.join(directory, `${running.role}-${running.pid}.json`);
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    for (const { file: dead } of filesOf(directory).filter(({ isLocked }) => !isLocked)) rmSync(dead, { force: true });
    // Nobody sees it before it is whole and locked.
    const fd = openSync(`${file}.new`, 'w', 0o600);
    writeSync(fd, JSON.stringify(running));
    tryLock(fd);
    renameSync(`${file}.new`, file);
    return () => {
      rmSync(file, { force: true });
      closeSync(fd);
    };
  } catch {
    return () => undefined;
  }
}

/** The roles that run now; what is no such file, or is gone while we look, is left out. */
export function runningRoles(directory: string): readonly RunningRole[] {
  return filesOf(directory).flatMap(({ file, isLocked }) => {
    const read = isLocked ? RunningRole.safeParse(jsonOf(file)) : undefined;
    return read?.success ? [read.data] : [];
  });
}

function filesOf(directory: string): { readonly file: string; readonly isLocked: boolean }[] {
  return namesOf(directory)
    .filter((name) => NAME.test(name))
    .flatMap((name) => {
      const file = path.join(directory, name);
      const isLocked = isLockedFile(file);
      return isLocked === undefined ? [] : [{ file, isLocked }];
    });
}

function isLockedFile(file: string): boolean | undefined {
  try {
    const fd = openSync(file, 'r');
    try {
      return !tryLock(fd);
    } finally {
      closeSync(fd);
    }
  } catch {
    return undefined;
  }
}

function namesOf(directory: string): string[] {
  try {
    return readdirSync(directory).sort();
  } catch {
    return [];
  }
}

function jsonOf(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
