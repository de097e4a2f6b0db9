import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import type { FileReader, SearchFiles, TreeRefusal } from '../../../core/ports/index.ts';

/** Opens files of a searched tree on this host. A link as the last name is refused, and a FIFO cannot hold anything up. */
export const nodeSearchFiles = (): SearchFiles => ({ probe, open, readAll, reader });

const READ_AS_IS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

function probe(path: Buffer | string): 'file' | 'directory' | TreeRefusal {
  const opened = openAny(path);
  if ('refused' in opened) return opened;
  closeSync(opened.fd);
  return opened.kind;
}

function open(path: Buffer | string): number | TreeRefusal {
  const opened = openAny(path);
  if ('refused' in opened) return opened;
  if (opened.kind === 'file') return opened.fd;
  closeSync(opened.fd);
  return { refused: 'EISDIR' };
}

/** ugrep does not read what its owner may not read, even where it could. */
const OWNER_READ = constants.S_IRUSR ?? 0o400;

function readAll(fd: number, maxBytes: number): Buffer | undefined {
  try {
    const { size, mode } = fstatSync(fd);
    if (size > maxBytes || (mode & OWNER_READ) === 0) return undefined;
    // One byte more than the file has: that it does not come shows that all of it was read.
    const bytes = Buffer.allocUnsafe(size + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length <= size; length += read) read = readSync(fd, bytes, length, size + 1 - length, null);
    return length > size ? undefined : bytes.subarray(0, length);
  } catch {
    return undefined;
  } finally {
    closeSync(fd);
  }
}

function reader(fd: number): FileReader {
  return {
    read(into, from) {
      let length = 0;
      try {
        for (let read = -1; read !== 0 && length < into.length; length += read) read = readSync(fd, into, length, into.length - length, from + length);
      } catch {
        // What came before is all that there is to read.
      }
      return length;
    },
    close: () => closeSync(fd),
  };
}

function openAny(path: Buffer | string): { readonly fd: number; readonly kind: 'file' | 'directory' } | TreeRefusal {
  let fd: number;
  try {
    fd = openSync(path, READ_AS_IS);
  } catch (error) {
    return { refused: codeOf(error) };
  }
  const stat = fstatSync(fd);
  if (stat.isFile()) return { fd, kind: 'file' };
  if (stat.isDirectory()) return { fd, kind: 'directory' };
  closeSync(fd);
  return { refused: 'EINVAL' };
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'EIO';
}
