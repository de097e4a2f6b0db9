/**
 * The order of files (local-search-index.md 3.1 and Appendix C, NormalizeRelPathForOrder): the key of a path is its path
 * relative to the order root with `/`, bytes that are not UTF-8 replaced by U+FFFD, NFC, as UTF-8; keys are compared byte
 * by byte; files whose keys are equal (NFC twins, two damaged names) are ordered by the bytes of their paths.
 *
 * A key may be made name by name: `/` is a starter with which nothing composes, and a damaged sequence ends at a `/`.
 */

const NOT_ASCII = /[\u0080-\uffff]/;

/** Whether the text is ASCII: then it is its own key, and JavaScript compares such texts as their bytes are compared. */
export const isAscii = (text: string): boolean => !NOT_ASCII.test(text);

/** The name as people see it: U+FFFD for each maximal piece that is not UTF-8, as Rust's `to_string_lossy`. */
export const lossyText = (path: Buffer | string): string => (typeof path === 'string' ? path.toWellFormed() : path.toString('utf8'));

/** `path_sort_key` of a path relative to the order root, `/` as separator. */
export const orderKey = (path: Buffer | string): Buffer => Buffer.from(lossyText(path).normalize('NFC'), 'utf8');

/** The bytes that decide between equal keys. */
export const rawBytes = (path: Buffer | string): Buffer => (typeof path === 'string' ? Buffer.from(path, 'utf8') : path);

/** Order of two paths relative to the same order root: below zero if `a` comes first; zero only for the same bytes. */
export function compareForOrder(a: Buffer | string, b: Buffer | string): number {
  return Buffer.compare(orderKey(a), orderKey(b)) || Buffer.compare(rawBytes(a), rawBytes(b));
}
