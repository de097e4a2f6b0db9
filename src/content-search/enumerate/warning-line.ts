import type { Warning } from '../search/types.ts';

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

/** Controls but the tab, separators of lines, and what turns the direction of writing: none of it may reach a terminal raw. */
const CONTROLS = /(?!\t)[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/** Text of files and names with its control characters written out, `\x1b`, `\u{202e}` (FR-LSI-ENC-02). */
export function visible(text: string): string {
  return text.replace(CONTROLS, (control) => {
    const code = control.charCodeAt(0);
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
  });
}

/** A warning about a candidate that could not be searched; `reason` is an errno name or plain words. */
export function fileWarning(number: number, path: string, reason: string): Warning {
  return { before: number, line: warningLine(path, /^[\w ,/'-]{1,100}$/.test(reason) ? reason : 'cannot be read') };
}
