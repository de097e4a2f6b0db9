import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { SearchBackend } from '../../../src/core/ports/index.ts';
import { createRandom } from '../random.ts';
import { compare, recovered } from './index-damage-compare.ts';
import { change, type DamageCount, damages, type Ground, plant } from './index-damage-ground.ts';

export interface DamageOptions {
  readonly seed: number;
  /** A directory that belongs to the run. */
  readonly folder: string;
  readonly backend: SearchBackend;
  readonly trees: number;
  /** Rounds of damage of each tree; some of them damage several files. */
  readonly roundsPerTree: number;
  readonly phases?: readonly DamagePhase[];
  /** Indexes are kept in shared memory; throws if one is left there in the end. */
  readonly inMemory?: boolean;
}

/** When the damage is done. */
const PHASES = ['stopped', 'killed', 'serving', 'building', 'updating', 'merging', 'older'] as const;
export type DamagePhase = (typeof PHASES)[number];

const SHARED_MEMORY = '/dev/shm';

/**
 * Every file of an index damaged in every way at every phase of its host: each answer with the index is the answer without it,
 * no search waits, nothing crashes, and the index serves again by itself. Throws at the first that is otherwise, with its seed.
 */
export async function runDamage({ seed, folder, backend, trees, roundsPerTree, phases = PHASES, inMemory = false }: DamageOptions): Promise<DamageCount> {
  const count: DamageCount = {
    ...{ trees: 0, damages: 0, searches: 0, excluding: 0, recoveries: 0, asked: 0, deaths: 0, meanwhile: 0 },
    ...{ ways: {}, files: {}, phases: {}, bypasses: {} },
  };
  for (let tree = 0; tree < trees; tree += 1) {
    const place = mkdtempSync(path.join(folder, 'damage-'));
    const cacheRoot = mkdtempSync(path.join(inMemory ? SHARED_MEMORY : place, 'writ-cache-'));
    // What happens is the same for a seed, however often a search is made again.
    const phaseRandom = createRandom(seed + tree + PHASES.length);
    const ground = await plant({ seed: seed + tree, place, cacheRoot, backend, count, inMemory });
    try {
      for (let round = 0; round < roundsPerTree; round += 1) await oneRound(ground, phaseRandom.pick(phases), `seed ${seed + tree}, round ${round}`);
    } finally {
      await ground.host.stop();
    }
    const left = inMemory ? readdirSync(cacheRoot).filter((name) => /^[0-9a-f]{16}$/.test(name)) : [];
    rmSync(cacheRoot, { recursive: true, force: true });
    if (left.length > 0) throw new Error(`${left.join(', ')} is left in memory`);
    rmSync(place, { recursive: true, force: true });
    count.trees += 1;
  }
  return count;
}

async function oneRound(ground: Ground, phase: DamagePhase, where: string): Promise<void> {
  const { random, count } = ground;
  const old = await ground.indexed();
  await compare(ground, old.search, where);
  count.phases[phase] = (count.phases[phase] ?? 0) + 1;
  const done: string[] = [];
  const hurt = (): void => {
    for (let files = random.chance(0.8) ? 1 : 3; files > 0; files -= 1) done.push(...damages(ground));
  };
  try {
    await HURT[phase](ground, hurt);
    const what = `${where}, ${phase}: ${done.join('; ')}`;
    await compare(ground, old.search, what);
    const fresh = await ground.indexed();
    try {
      for (let searches = 3; searches > 0; searches -= 1) await compare(ground, fresh.search, what);
      change(ground);
      await compare(ground, fresh.search, what);
      await compare(ground, old.search, what);
      await recovered(ground, what);
    } finally {
      fresh.close();
    }
  } finally {
    old.close();
  }
}

/** Brings about the phase, and the damage at a random moment in it: no signal tells of the moments between two writes. */
const HURT: { readonly [P in DamagePhase]: (ground: Ground, hurt: () => void) => Promise<void> } = {
  async stopped(ground, hurt) {
    await ground.host.stop();
    hurt();
    ground.host = await ground.start();
  },
  async killed(ground, hurt) {
    await ground.host.kill();
    hurt();
    ground.host = await ground.start();
  },
  async serving(_, hurt) {
    hurt();
  },
  async building(ground, hurt) {
    const building = ground.host.next((news) => news.kind === 'state' && news.state === 'BUILDING');
    ground.host.ask('build');
    await building;
    await delay(ground.random.integer(12));
    hurt();
  },
  async updating(ground, hurt) {
    for (let changes = 20; changes > 0; changes -= 1) change(ground);
    await delay(ground.random.integer(30));
    hurt();
  },
  async merging(ground, hurt) {
    for (let deltas = 2; deltas > 0; deltas -= 1) {
      const updated = ground.host.next((news) => news.kind === 'task' && news.task === 'update');
      change(ground);
      await updated;
    }
    ground.host.ask('merge');
    await delay(ground.random.integer(12));
    hurt();
  },
  /** All of it as it was some time ago: nothing is damaged, and nothing is true. */
  async older(ground, hurt) {
    await ground.host.stop();
    rmSync(ground.cacheRoot, { recursive: true });
    cpSync(ground.older, ground.cacheRoot, { recursive: true });
    if (ground.random.chance(0.3)) hurt();
    ground.host = await ground.start();
  },
};
