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

/** Control characters of both sets, line separators, and what turns the direction of writing. */
const UNPRINTABLE = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/**
 * A line of the answer's `stderr`: the path, why it could not be looked into, and what is left out because of it.
 *
 * @param errno errno name, `EACCES`; one without words stands for itself.
 */
export function warningLine(path: string, errno: string, consequence?: string): string {
  const words = isKnown(errno) ? WORDS[errno] : errno;
  return `${path.replace(UNPRINTABLE, escaped)}: ${words}${consequence === undefined ? '' : ` (${consequence})`}`;
}

const escaped = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
