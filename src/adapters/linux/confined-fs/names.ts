import { isUtf8 } from 'node:buffer';
import type { FsResult } from '../../../core/ports/confined-fs.ts';
import { refused } from './refusals.ts';

const SEPARATORS_AND_DOTS = /^(\.{0,2})$|\//;
/** The C library would cut a name at NUL; a lone surrogate has no bytes. Both would name another file. */
const UNWRITABLE = /\0|\p{Surrogate}/u;

/**
 * Why `name` is not the name of one directory entry: the empty name, `.`, `..` and anything with a slash are
 * `escape`; NUL and lone surrogates are `io`. The length is the kernel's to judge.
 */
export function refuseName(name: string): Extract<FsResult<never>, { ok: false }> | undefined {
  if (SEPARATORS_AND_DOTS.test(name)) return refused('escape', 'EINVAL');
  if (UNWRITABLE.test(name)) return refused('io', 'EILSEQ');
  return undefined;
}

/**
 * The names that a string can hold. A name that is not UTF-8 is left out: no manifest can name it, and decoding it
 * with replacement characters would yield the name of another file.
 */
export function readableNames(names: readonly Buffer[]): string[] {
  return names.filter((name) => isUtf8(name)).map((name) => name.toString('utf8'));
}
