import { closeSync, constants, type Dirent, opendirSync, readSync, type Stats } from 'node:fs';
import { isReservedName } from '../../contracts/index.ts';
import type { StoredMessage } from '../../core/ports/index.ts';
import { errnoOf, type OpenedFile, openIn } from './open.ts';

/** A regular file of a folder, open while it is the iterator's current one. */
export interface FolderFile {
  readonly name: Buffer;
  readonly stats: Stats;
  readonly message: StoredMessage;
}

export interface FolderReader {
  /**
   * Files of the directory that are accepted, in the directory's order. `gone` hears of those that vanished before they were opened.
   *
   * @param below the directory's path below the scope's root, with a slash at its end, or nothing
   */
  read(directory: number, below: string, accepts: (name: Buffer) => boolean, gone: (name: Buffer) => void): Generator<FolderFile, void, void>;
}

/** Files up to this size are handed over whole (port `MessageSource`). */
const WHOLE = 4 * 1024 * 1024;
const PIECE = 1024 * 1024;

/** Reads files one after the other into one buffer. Links, directories and special files are passed over, and our own names. */
export function createFolderReader(): FolderReader {
  const buffer = Buffer.allocUnsafeSlow(WHOLE);

  function* read(directory: number, below: string, accepts: (name: Buffer) => boolean, gone: (name: Buffer) => void): Generator<FolderFile, void, void> {
    for (const name of names(directory)) {
      if (!accepts(name)) continue;
      const file = openFile(directory, name, gone);
      if (file === undefined) continue;
      try {
        const { fd, stats } = file;
        const raw = stats.size <= WHOLE ? buffer.subarray(0, readWhole(fd, buffer, stats.size)) : pieces(fd, buffer.subarray(0, PIECE));
        yield { name, stats, message: { storeId: undefined, place: () => `the file ${JSON.stringify(below + name.toString())}`, receivedAt: undefined, raw } };
      } finally {
        closeSync(file.fd);
      }
    }
  }

  return { read };
}

/** Names that may be regular files; a directory that grows large is never held as a whole. */
function* names(directory: number): Generator<Buffer, void, void> {
  const entries = opendirSync(`/proc/self/fd/${directory}`, { encoding: 'latin1', bufferSize: 1024 });
  try {
    for (let entry = entries.readSync(); entry !== null; entry = entries.readSync()) {
      // One character for each byte: names need not be UTF-8.
      const name = Buffer.from(entry.name, 'latin1');
      if (!isOtherThanFile(entry) && !isReservedName(name.toString())) yield name;
    }
  } finally {
    entries.closeSync();
  }
}

/** File systems that tell no types leave it to the open file. */
function isOtherThanFile(entry: Dirent): boolean {
  return entry.isDirectory() || entry.isSymbolicLink() || entry.isFIFO() || entry.isSocket() || entry.isCharacterDevice() || entry.isBlockDevice();
}

function openFile(directory: number, name: Buffer, gone: (name: Buffer) => void): OpenedFile | undefined {
  try {
    const file = openIn(directory, name, 0);
    if (file.stats.isFile()) return file;
    closeSync(file.fd);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === 'ENOENT') gone(name);
    // ELOOP: a link. ENXIO: a socket, or a FIFO's other end.
    else if (errno !== 'ELOOP' && errno !== 'ENXIO') throw error;
  }
  return undefined;
}

/** Fills the buffer up to `size` or the file's end; returns how far. */
function readWhole(fd: number, buffer: Buffer, size: number): number {
  let length = 0;
  while (length < size) {
    const count = readSync(fd, buffer, length, size - length, null);
    if (count === 0) break;
    length += count;
  }
  return length;
}

async function* pieces(fd: number, buffer: Buffer): AsyncGenerator<Uint8Array, void, void> {
  for (let count = readSync(fd, buffer); count > 0; count = readSync(fd, buffer)) yield buffer.subarray(0, count);
}

/** Opens a directory inside of an opened one. */
export function openDirectoryIn(directory: number, name: string): OpenedFile {
  return openIn(directory, name, constants.O_DIRECTORY);
}
