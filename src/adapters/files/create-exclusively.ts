import { randomUUID } from 'node:crypto';
import { closeSync, constants, fsyncSync, linkSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { syncDirectorySync } from './sync-directory.ts';

/**
 * Creates a small file that appears whole and durable, or not at all. Of several processes the first one wins.
 *
 * @returns false when something of this name is there already; it stays as it is
 */
export function createExclusively(file: string, content: string, mode = 0o600): boolean {
  const temporary = `${file}.${randomUUID()}.tmp`;
  const fd = openSync(temporary, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0), mode);
  try {
    try {
      writeFileSync(fd, content);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    return linked(temporary, file);
  } finally {
    rmSync(temporary, { force: true });
    syncDirectorySync(dirname(file));
  }
}

/** A link never replaces what has the name. */
function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}
