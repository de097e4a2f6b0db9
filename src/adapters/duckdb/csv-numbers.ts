import type { KeyReading } from './layout.ts';
import { quoteText } from './quote.ts';

/** From here on two integers may be one double. */
const EXACT = 2n ** 53n;
/** Digits that an integer key may have, as in JSON Lines. */
const MAX_DIGITS = 400;
/** What DuckDB's casts pass over around a number. */
const BLANKS = quoteText(' \t\n\v\f\r');

/**
 * Keys of a CSV column that is declared numeric, the quickest reading first. Each one holds all of its keys exactly, so
 * that ids, their order and what counts as repeated are those of the same records in JSON Lines: a whole number is
 * exact, a number with a fraction or an exponent is the double next to it.
 */
export function numericKeys(column: string): [KeyReading, ...KeyReading[]] {
  return [plainIntegers(column, 'BIGINT'), plainIntegers(column, 'HUGEINT'), smallDoubles(column), allNumbers(column)];
}

/** Only integers in their plainest form: a cast alone would round `1.5` and take `007`. One form, so equal keys are equal texts. */
function plainIntegers(column: string, type: 'BIGINT' | 'HUGEINT'): KeyReading {
  const value = `TRY_CAST(${column} AS ${type})`;
  return { value, isGood: `coalesce(${value}::VARCHAR = ${column}, false)`, identity: `hash(${column})`, exact: column, kind: 'integer' };
}

/** Numbers in any form, none so large that its double might be another integer's. */
function smallDoubles(column: string): KeyReading {
  const value = `TRY_CAST(${column} AS DOUBLE)`;
  return { value, isGood: `coalesce(abs(${value}) < ${EXACT}, false)`, identity: value, kind: 'double' };
}

/** Numbers in any form and of any size: the integer below or above, toward zero, and what is left. Both are exact, and order. */
function allNumbers(column: string): KeyReading {
  const written = `ltrim(replace(trim(${column}, ${BLANKS}), '_', ''), '+')`;
  const isWhole = `regexp_full_match(${written}, '-?[0-9]{1,${MAX_DIGITS}}')`;
  const double = `TRY_CAST(${column} AS DOUBLE)`;
  const whole = `CASE WHEN ${isWhole} THEN TRY_CAST(${written} AS BIGNUM) ELSE TRY_CAST(trunc(${double}) AS BIGNUM) END`;
  const value = `{whole: ${whole}, rest: CASE WHEN ${isWhole} THEN 0 ELSE ${double} - trunc(${double}) END}`;
  return {
    value,
    isGood: `coalesce(${isWhole} OR isfinite(${double}), false)`,
    identity: `hash(${value})`,
    exact: value,
    // The sum is the double again: where there is a rest, the integer is below 2^53.
    written: 'CASE WHEN key.rest = 0 THEN key.whole::VARCHAR ELSE (key.whole::DOUBLE + key.rest)::VARCHAR END',
    kind: 'number',
  };
}
