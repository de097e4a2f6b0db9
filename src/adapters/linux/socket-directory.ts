import { closeSync, constants, fstatSync, lstatSync, openSync } from 'node:fs';
import { WritError } from '../../core/errors.ts';

const GROUP_AND_OTHERS = 0o077;
const OPEN_DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** The place of a socket. Through the descriptor its path is short, however long the directory's is (107 bytes are the most). */
export interface SocketDirectory {
  readonly path: string;
  /** Whether somebody's socket lies there that is ours. */
  isOurs(): boolean;
  close(): void;
}

/**
 * Opens the directory of a socket, which must be this user's and nobody else's.
 *
 * @throws WritError STORAGE_UNAVAILABLE when it is not; the error of the file system when it cannot be opened
 */
export function openSocketDirectory(directory: string, name: string): SocketDirectory {
  const fd = openSync(directory, OPEN_DIRECTORY);
  const { uid, mode } = fstatSync(fd);
  if (uid !== process.geteuid?.() || (mode & GROUP_AND_OTHERS) !== 0) {
    closeSync(fd);
    throw new WritError('STORAGE_UNAVAILABLE', 'the directory of the socket is not for this user alone');
  }
  const path = `/proc/self/fd/${fd}/${name}`;
  let isOpen = true;
  return {
    path,
    isOurs() {
      const entry = lstatSync(path, { throwIfNoEntry: false });
      return entry?.isSocket() === true && entry.uid === uid;
    },
    close() {
      if (isOpen) closeSync(fd);
      isOpen = false;
    },
  };
}
