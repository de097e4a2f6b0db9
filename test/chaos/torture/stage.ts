import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Random } from '../../support/random.ts';
import type { Installation } from './installation.ts';
import { createModel, type Endpoint, type FileDeed, type Model } from './model.ts';
import type { Mood } from './receivers.ts';

/** What a part of the load works with. */
export interface Stage {
  readonly site: Installation;
  readonly model: Model;
  readonly random: Random;
  /** Moods that receivers get into. */
  readonly moods: readonly Mood[];
  /** Firings that the kernel's clock is moved over at most. */
  readonly farthest: number;
  /** The run does not wait any longer. */
  readonly over: AbortSignal;
  /** By plan: pushes it once more. */
  readonly again: Map<string, () => Promise<unknown>>;
  /** The next number of the run. */
  next(): number;
  /** A file of its own in one of the shared directories, with a content that no other has, or only its name. */
  deed(does: FileDeed['does'], options?: { readonly made?: boolean }): FileDeed;
  /** Who must be told, and whom the push names. */
  told(): { readonly told: readonly Endpoint[]; readonly webhook: { readonly webhook?: string } };
}

/** Few, so that tasks meet in them. */
const DIRECTORIES = 3;

export function createStage({ site, random, moods, farthest, over }: Pick<Stage, 'site' | 'random' | 'moods' | 'farthest' | 'over'>): Stage {
  const directories = Array.from({ length: DIRECTORIES }, (_, at) => path.join(site.base, `shared-${at}`));
  for (const directory of directories) mkdirSync(directory, { recursive: true });
  let last = 0;
  const stage: Stage = {
    site,
    model: createModel(),
    again: new Map(),
    random,
    moods,
    farthest,
    over,
    next() {
      last += 1;
      return last;
    },
    deed(does, { made = true } = {}) {
      const name = `${does}-${stage.next()}`;
      const source = path.join(random.pick(directories), name);
      const destination = does === 'delete' ? undefined : path.join(random.pick(directories), `${name}.done`);
      const deed = { does, source, destination, content: `content of ${name}` };
      if (made) writeFileSync(source, deed.content, { flag: 'wx' });
      return deed;
    },
    told() {
      if (random.chance(0.3)) return { told: ['files', 'mine', 'named'], webhook: { webhook: 'named' } };
      return { told: ['files', 'mine'], webhook: {} };
    },
  };
  return stage;
}
