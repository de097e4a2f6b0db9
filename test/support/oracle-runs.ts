import { appendFileSync } from 'node:fs';
import { inject } from 'vitest';
import { COUNTS_VARIABLE } from './oracle-counts.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** How many times as many generated cases as in `npm test`: 1 there, more in the long suite `search-oracles`. */
    readonly caseFactor: number;
  }
}

/** The number of generated cases of a property: few in `npm test`, many times as many in the long suite, which names the file (`test/chaos/search-oracles`). */
export function cases(inNpmTest: number): number {
  const count = inNpmTest * inject('caseFactor');
  const counts = process.env[COUNTS_VARIABLE];
  if (counts !== undefined) appendFileSync(counts, `${count}\n`);
  return count;
}
