import { appendFileSync } from 'node:fs';
import { inject } from 'vitest';
import { COUNTS_VARIABLE } from './oracle-counts.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** How many times as many generated cases as a property names: a quarter in `npm test`, many times as many in the long suite `search-oracles`. */
    readonly caseFactor: number;
  }
}

/** The number of generated cases of a property: a quarter of `usual` in `npm test`, many times as many in the long suite, which names the file (`test/chaos/search-oracles`). */
export function cases(usual: number): number {
  const count = Math.ceil(usual * inject('caseFactor'));
  const counts = process.env[COUNTS_VARIABLE];
  if (counts !== undefined) appendFileSync(counts, `${count}\n`);
  return count;
}
