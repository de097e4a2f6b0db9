import { closeSync, openSync, readdirSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { makeDirectory } from '../adapters/files/make-directory.ts';
import { tryLock } from '../adapters/linux/flock.ts';
import { saysAbsent, unreadable } from '../core/unreadable.ts';

/** What a role answered to the last request to reload. */
const Answer = z.object({
  request: z.string(),
  outcome: z.enum(['taken', 'unchanged', 'refused']),
  changed: z.array(z.string()),
  restart: z.array(z.string()),
  problem: z.string().optional(),
});

/** A role that runs, and the settings that it has: a hash of each value by its dotted name, and of what it has read beside them. A role of an older version has no generation. */
const RunningRole = z.object({
  role: z.string(),
  pid: z.int(),
  settings: z.record(z.string(), z.string()),
  generation: z.int().optional(),
  files: z.record(z.string(), z.string()).optional(),
  answer: Answer.optional(),
});
export type RunningRole = z.infer<typeof RunningRole>;

const NAME = /^[a-z-]+-\d+\.json$/;

/** The word of a role that runs. What cannot be written is not told. */
export interface RunningWord {
  /** Says anew what the role has: the old word stands until the new one is whole and locked. */
  change(running: RunningRole): void;
  /** Takes it back; a role that was killed is not believed either. */
  end(): void;
}

/**
 * Tells everybody of the data directory that this role runs, in a file that is locked for as long as it does: a lock is
 * seen from other containers too, where a process number says nothing. What dead ones have left is removed.
 *
 * @param directory `<data>/running`, made 0700
 */
export function tellRunning(directory: string, running: RunningRole): RunningWord {
  const file = path.join(directory, `${running.role}-${running.pid}.json`);
  let lock = write(directory, file, running);
  return {
    change(next) {
      const taken = write(directory, file, next);
      if (taken === undefined) return;
      if (lock !== undefined) closeSync(lock);
      lock = taken;
    },
    end() {
      if (lock === undefined) return;
      rmSync(file, { force: true });
      closeSync(lock);
      lock = undefined;
    },
  };
}

/** The descriptor that holds the lock; undefined: it could not be written. */
function write(directory: string, file: string, running: RunningRole): number | undefined {
  let fd: number | undefined;
  try {
    makeDirectory(directory);
    for (const { file: dead } of filesOf(directory).filter(({ isLocked }) => !isLocked)) rmSync(dead, { force: true });
    // Nobody sees it before it is whole and locked.
    fd = openSync(`${file}.new`, 'w', 0o600);
    writeSync(fd, JSON.stringify(running));
    tryLock(fd);
    renameSync(`${file}.new`, file);
    return fd;
  } catch {
    if (fd !== undefined) closeSync(fd);
    return undefined;
  }
}

/** The roles that run now; what is no such file, or is gone while we look, is left out. Throws WritError STORAGE_UNAVAILABLE for a directory that cannot be read. */
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
  } catch (error) {
    if (saysAbsent(error)) return [];
    throw unreadable(directory, error);
  }
}

function jsonOf(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
