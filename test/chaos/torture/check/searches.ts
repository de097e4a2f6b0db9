import type { Model, Walk } from '../model.ts';
import type { World } from '../world.ts';

/**
 * A search finds what is there, where it is, and nothing that was there before; a message is stored once under one id, however
 * often it was sent; whoever turns pages meets each message once that was there all the time.
 */
export function judgeSearches({ looks, letters, walks }: Model, { letters: standing }: World): readonly string[] {
  return [
    ...looks.flatMap(({ by, text, after, wanted, found }) => {
      const expected = wanted === undefined ? [] : [wanted];
      return found.join() === expected.join() ? [] : [`${after}, then searched by ${by} for ${text}: ${shown(found)} instead of ${shown(expected)}`];
    }),
    ...letters.flatMap(({ key, ids, endAskedAt }) => {
      if (ids.size > 1) return [`${key} has the ids ${[...ids].join(' and ')}`];
      const expected = endAskedAt === Number.POSITIVE_INFINITY ? [...ids] : [];
      const found = standing.get(key) ?? [];
      return found.join() === expected.join() ? [] : [`${key} in the end: ${shown(found)} instead of ${shown(expected)}`];
    }),
    ...walks.flatMap(walkFaults),
  ];
}

function walkFaults({ wanted, gone, found }: Walk): readonly string[] {
  const seen = new Set(found);
  return [
    ...(seen.size === found.length ? [] : [`turning pages met ${shown(found.filter((id, at) => found.indexOf(id) !== at))} twice`]),
    ...wanted.filter((id) => !seen.has(id)).map((id) => `turning pages did not meet ${id}`),
    ...gone.filter((id) => seen.has(id)).map((id) => `turning pages met ${id}, which was deleted before`),
  ];
}

function shown(places: readonly (string | number)[]): string {
  return places.length === 0 ? 'nothing' : places.join(' and ');
}
