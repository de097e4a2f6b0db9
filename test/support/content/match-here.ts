import type { FoundHere } from '../../../src/content-search/run/match-here.ts';

/** All that a search in this process finds, and how it came. */
export function allOf(slices: Generator<FoundHere, FoundHere, void>): Pick<FoundHere, 'events' | 'rest'> & { readonly slices: readonly FoundHere[] } {
  const all: FoundHere[] = [];
  for (let slice = slices.next(); ; slice = slices.next()) {
    all.push(slice.value);
    if (slice.done === true) return { events: all.flatMap(({ events }) => events), rest: all.flatMap(({ rest }) => rest), slices: all };
  }
}
