import { compareCodePoints } from '../../core/code-points.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Definition } from './registry.ts';

/** Definitions as a linked envelope carries them: one file each, sorted by category, then by ref. */
export function filesOf(definitions: readonly Definition[]): JsonObject[] {
  const sorted = definitions.toSorted((a, b) => compareCodePoints(a.category, b.category) || compareCodePoints(a.ref, b.ref));
  return sorted.map(({ category, ref, content }) => Object.freeze({ category, ref, content }));
}
