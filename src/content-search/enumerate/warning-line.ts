import { visible } from '../search/content-text.ts';

/** What people read for an errno; the words of strerror(3), which the backends use too. */
const WORDS = {
  EACCES: 'Permission denied',
  EFBIG: 'File too large',
  EINVAL: 'Not a regular file',
  EIO: 'Input/output error',
  EISDIR: 'Is a directory',
  ELOOP: 'Too many levels of symbolic links',
  EMFILE: 'Too many open files',
  ENAMETOOLONG: 'File name too long',
  ENFILE: 'Too many open files in system',
  ENOENT: 'No such file or directory',
  ENOMEM: 'Cannot allocate memory',
  ENOTDIR: 'Not a directory',
  EPERM: 'Operation not permitted',
  ESTALE: 'Stale file handle',
} satisfies Record<string, string>;

const isKnown = (errno: string): errno is keyof typeof WORDS => Object.hasOwn(WORDS, errno);

/**
 * A line of the answer's `stderr`: the path, why it could not be looked into, and what is left out because of it.
 *
 * @param errno errno name, `EACCES`; one without words stands for itself.
 */
export function warningLine(path: string, errno: string, consequence?: string): string {
  const words = isKnown(errno) ? WORDS[errno] : errno;
  return `${visible(path)}: ${words}${consequence === undefined ? '' : ` (${consequence})`}`;
}
