import { inject } from 'vitest';

declare module 'vitest' {
  export interface ProvidedContext {
    /** How many times as many generated cases as in `npm test`: 1 there, more in the long suite `search-oracles`. */
    readonly caseFactor: number;
  }
}

/** The number of generated cases for a comparison with another implementation. */
export function cases(inNpmTest: number): number {
  return inNpmTest * inject('caseFactor');
}
