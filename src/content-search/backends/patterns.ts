import type { BackendQuery } from '../../core/ports/index.ts';

/** Letters, digits and blanks mean themselves in every backend, so that nobody needs to be asked whether the pattern is one. */
const SURELY_PLAIN = /^[\p{L}\p{N} _,;:'"#%&=<>@!~`/-]{1,256}$/u;

/** Whether no backend can refuse the pattern. */
export function isSurelyAPattern({ pattern, fixedStrings }: BackendQuery): boolean {
  return fixedStrings ? pattern.length <= 4096 : SURELY_PLAIN.test(pattern);
}
