import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import type { SearchFiles, TreeRefusal } from '../../../core/ports/index.ts';

/** Opens files of a searched tree on this host. A link as the last name is refused, and a FIFO cannot hold anything up. */
export const nodeSearchFiles = (): SearchFiles => ({ probe, open });

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
