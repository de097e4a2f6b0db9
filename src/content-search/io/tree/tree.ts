import { isUtf8 } from 'node:buffer';
import { closeSync, constants, type Dirent, fstatSync, openSync, readdirSync, readSync, realpathSync, statSync } from 'node:fs';
import type { SearchTree, TreeEntry, TreeEntryKind, TreeRefusal, TreeTarget } from '../../../core/ports/index.ts';

/**
 * The file system of this host for the enumerator of content search. Synchronous on purpose: a directory of a warm tree is
 * read in 20 µs, and the same through the thread pool costs three times as much.
 */
export const nodeSearchTree = (): SearchTree => ({ list, readSmall, resolve });

/** Not on every platform; where they are not, neither are the links and FIFOs that they are for. */
const READ_AS_IS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Node decodes names as UTF-8. Only a name with this character can have been damaged by it. */
const REPLACED = '\ufffd';

function list(directory: Buffer | string): readonly TreeEntry[] | TreeRefusal {
  try {
    // Node joins directory and name itself when the file system does not tell the kind: so both are of one type.
    return typeof directory === 'string' ? listText(directory) : listBytes(directory);
  } catch (error) {
    return refusal(error);
  }
}

function listText(directory: string): readonly TreeEntry[] {
  const entries: TreeEntry[] = [];
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    if (entry.name.includes(REPLACED)) return listBytes(Buffer.from(directory));
    const kind = kindOf(entry);
    if (kind !== undefined) entries.push({ name: entry.name, kind });
  }
  return entries;
}

function listBytes(directory: Buffer): readonly TreeEntry[] {
  const entries: TreeEntry[] = [];
  for (const entry of readdirSync(directory, { withFileTypes: true, encoding: 'buffer' })) {
    const kind = kindOf(entry);
    if (kind !== undefined) entries.push({ name: isUtf8(entry.name) ? entry.name.toString('utf8') : entry.name, kind });
  }
  return entries;
}

function kindOf(entry: Dirent<Buffer> | Dirent): TreeEntryKind | undefined {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'directory';
  return entry.isSymbolicLink() ? 'link' : undefined;
}

function readSmall(file: Buffer | string, maxBytes: number): Buffer | TreeRefusal {
  let fd: number;
  try {
    fd = openSync(file, READ_AS_IS);
  } catch (error) {
    return refusal(error);
  }
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) return { refused: 'EINVAL' };
    return stat.size > maxBytes ? { refused: 'EFBIG' } : readAtMost(fd, maxBytes);
  } catch (error) {
    return refusal(error);
  } finally {
    closeSync(fd);
  }
}

/** The size that was told may be old, and is 0 in /proc: so one byte more than allowed is asked for. */
function readAtMost(fd: number, maxBytes: number): Buffer | TreeRefusal {
  const pieces: Buffer[] = [];
  let length = 0;
  while (length <= maxBytes) {
    const piece = Buffer.allocUnsafe(Math.min(65_536, maxBytes + 1 - length));
    const read = readSync(fd, piece);
    if (read === 0) return Buffer.concat(pieces, length);
    pieces.push(piece.subarray(0, read));
    length += read;
  }
  return { refused: 'EFBIG' };
}

function resolve(path: Buffer | string): TreeTarget | TreeRefusal {
  try {
    const realPath = realpathSync.native(path, { encoding: 'buffer' });
    const stat = statSync(realPath);
    const kind = stat.isFile() ? 'file' : stat.isDirectory() ? 'directory' : 'other';
    return { realPath, kind, dev: stat.dev, ino: stat.ino };
  } catch (error) {
    return refusal(error);
  }
}

function refusal(error: unknown): TreeRefusal {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return { refused: error.code };
  throw error;
}
