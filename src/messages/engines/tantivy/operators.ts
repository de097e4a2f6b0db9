import type { Part } from './schema.ts';

/** What a text looks for. */
export type Wanted =
  | { readonly is: 'words'; readonly parts: readonly Part[]; readonly words: readonly string[]; readonly open: boolean }
  | { readonly is: 'all' | 'any'; readonly of: readonly Wanted[] }
  | { readonly is: 'without'; readonly keep: Wanted; readonly drop: Wanted };

/**
 * Reads operands between operators: NOT binds before AND, and AND before OR.
 *
 * @param take    whether this operator stands here; it is read then
 * @param operand what stands between two of them
 * @returns `undefined` where an operand is no syntax
 */
export function readOperators(take: (operator: 'AND' | 'OR' | 'NOT') => boolean, operand: () => Wanted | undefined): Wanted | undefined {
  const chain = (operator: 'AND' | 'OR', is: 'all' | 'any', next: () => Wanted | undefined): Wanted | undefined => {
    const of: Wanted[] = [];
    do {
      const one = next();
      if (one === undefined) return undefined;
      of.push(one);
    } while (take(operator));
    return together(is, of);
  };
  const without = (): Wanted | undefined => {
    let keep = operand();
    while (keep !== undefined && take('NOT')) {
      const drop = operand();
      keep = drop && { is: 'without', keep, drop };
    }
    return keep;
  };
  return chain('OR', 'any', () => chain('AND', 'all', without));
}

/** One needs nothing around it. */
export function together(is: 'all' | 'any', of: readonly Wanted[]): Wanted {
  const [only] = of;
  return of.length === 1 && only !== undefined ? only : { is, of };
}
