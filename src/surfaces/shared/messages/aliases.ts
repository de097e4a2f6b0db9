import { TOOL_ALIASES } from '../../../contracts/index.ts';
import type { RangeEnd } from '../../../core/message-time.ts';
import { type Given, invalid, momentOf, wordOf } from './query-values.ts';

/**
 * One value from an argument with several names (message-search.md 6): names that say the same are fine, names that differ are
 * a mistake. Throws WritError INVALID_ARGUMENT, which names the later one.
 */
function agreed<T extends Given>(given: readonly T[], same: (a: T, b: T) => boolean): T | undefined {
  const [first, ...others] = given;
  const other = first && others.find((one) => !same(first, one));
  if (first !== undefined && other !== undefined) throw invalid(other.field, `says something else than ${first.field}, which is the same argument`);
  return first;
}

type Arguments<N extends string> = { readonly [K in N]?: string | undefined };

/** Texts agree in any case. */
export function aliasedText<N extends string>(names: readonly N[], args: Arguments<N>): Given | undefined {
  return agreed(
    names.flatMap((name) => wordOf(name, args[name]) ?? []),
    (a, b) => a.word.toLowerCase() === b.word.toLowerCase(),
  );
}

/** Dates agree when they are the same instant. */
export function aliasedMoment<N extends string>(names: readonly N[], args: Arguments<N>, end: RangeEnd): (Given & { readonly us: number }) | undefined {
  const given = names.flatMap((name) => wordOf(name, args[name]) ?? []).map((one) => ({ ...one, us: momentOf(one, end) }));
  return agreed(given, (a, b) => a.us === b.us);
}

export const { sender: SENDER, date_start: DATE_START, date_end: DATE_END, project: PROJECT } = TOOL_ALIASES;
