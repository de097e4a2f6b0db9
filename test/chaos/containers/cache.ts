import { existsSync, mkdirSync, renameSync } from 'node:fs';
import path from 'node:path';
import type { Engine } from './engine.ts';

/** Where an image came from. */
export type Origin = 'made here' | 'cache';

/**
 * Images that are the same whenever they are made: who names a cache gets them from there the next time.
 *
 * @param cache a directory; `undefined`: they are made
 * @param name what they depend on
 */
export async function madeOnce(engine: Engine, cache: string | undefined, name: string, images: readonly string[], make: () => Promise<void>): Promise<Origin> {
  const kept = cache === undefined ? undefined : path.join(path.resolve(cache), `${name.replaceAll(/[^\w.+-]/g, '_')}.tar`);
  if (kept !== undefined && existsSync(kept)) {
    await engine.must('load', '--input', kept);
    return 'cache';
  }
  await make();
  if (kept !== undefined) {
    mkdirSync(path.dirname(kept), { recursive: true });
    // A run that is ended meanwhile leaves no half of it under its name.
    await engine.must('save', '--output', `${kept}.part`, ...images);
    renameSync(`${kept}.part`, kept);
  }
  return 'made here';
}
