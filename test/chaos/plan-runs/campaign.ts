import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { PlanRig } from '../../support/plan-rig.ts';
import { createRandom, type Random } from '../../support/random.ts';
import { contradictions, unknownIn } from './compare.ts';
import { type Ground, startGround } from './ground.ts';
import type { Horde } from './horde.ts';
import { finish, linkScene, type Run } from './runs.ts';
import { makeScene, type Scene, type StepKind, thirtySteps } from './scene.ts';

export interface CampaignOptions {
  readonly seed: number;
  /** Plans that are disturbed. */
  readonly rounds: number;
  /** Plans at a time. */
  readonly lanes: number;
  /** One kill of a random worker comes after a pause of up to this time. Most of what a kill costs is the start of the next worker. */
  readonly pauseMs?: number;
  /** How likely each point that a worker passes while plans are struck is its last. */
  readonly deadly?: number;
  /** How many different plans run in peace beside each batch; those of the batch repeat them in their order. */
  readonly originals: number;
  readonly tell?: (line: string) => void;
}

export interface CampaignReport {
  readonly rounds: number;
  /** Rounds beyond those that were asked for, until all faults that the campaign owes had happened. */
  readonly more: number;
  /** Answers of steps in the disturbed plans. */
  readonly steps: number;
  readonly kills: number;
  /** Times that Redis was emptied while plans ran. */
  readonly emptied: number;
  /** Calls of `once` actions of which nobody knows whether they were heard. */
  readonly unknown: number;
  readonly requests: number;
  readonly violations: readonly string[];
}

const KILL_PAUSE_MS = 400;
/** How long a batch is struck, if its plans do not end before; longer where fewer workers than these have died by then. */
const STORM_MS = 6000;
/** What each batch owes. Plans that end before are followed by more of them. */
const LEAST_KILLS = 3;
/** Of the points that workers pass while they are struck. */
const DEADLY_SHARE = 0.02;
/** Every second batch has its Redis emptied. */
const EMPTY_EVERY = 2;

const QUEUES = ['plan', 'tool-chaos-http', 'file', undefined, undefined];

/**
 * Runs the same plans twice: once in peace, once while workers are killed and Redis is emptied. What the second run leaves
 * on the disk, what it answers, and what the provider was asked is compared with the first.
 */
export async function campaign({
  seed,
  rounds,
  lanes,
  pauseMs = KILL_PAUSE_MS,
  deadly = DEADLY_SHARE,
  originals,
  tell = () => undefined,
}: CampaignOptions): Promise<CampaignReport> {
  const random = createRandom(seed);
  await using ground = await startGround({ queues: QUEUES });
  const { plans, horde, provider } = ground;
  const report = { rounds: 0, more: 0, steps: 0, emptied: 0, unknown: 0, violations: [] as string[] };
  const owed = { kills: 0, emptied: 0 };

  const runBatch = async (batch: number, size: number): Promise<void> => {
    const scripts = Array.from({ length: Math.min(originals, size) }, () => thirtySteps(random));
    const scenesOf = (name: string, count: number) => Array.from({ length: count }, (_, lane) => sceneOf(`${name}-${batch}-${lane}`, scripts, lane, ground));
    const calm = await runAll(scenesOf('calm', scripts.length), `calm-${batch}`, ground, async () => undefined);
    const storm = await runAll(scenesOf('storm', size), `storm-${batch}`, ground, async (ended) => {
      report.emptied += await strike(
        horde,
        { pauseMs: () => random.integer(pauseMs), deadly },
        random,
        ended,
        report.emptied < owed.emptied ? plans : undefined,
      );
    });
    for (const [lane, run] of storm.entries()) {
      const original = calm[lane % scripts.length];
      if (original) report.violations.push(...contradictions(original, run, provider).map((what) => `${batch}-${lane}: ${what}`));
      report.steps += run.envelope?.output.results.length ?? 0;
      report.unknown += unknownIn(run);
    }
    tell(`${report.rounds + size} of ${rounds} plans, ${horde.deaths} kills, ${report.violations.length} violations`);
  };

  let batch = 0;
  for (; report.rounds < rounds; batch += 1) {
    owed.kills += LEAST_KILLS;
    owed.emptied += batch % EMPTY_EVERY === 0 ? 1 : 0;
    const size = Math.min(lanes, rounds - report.rounds);
    await runBatch(batch, size);
    report.rounds += size;
  }
  for (; horde.deaths < owed.kills || report.emptied < owed.emptied; batch += 1) {
    const size = Math.min(lanes, rounds);
    await runBatch(batch, size);
    report.more += size;
  }
  return { ...report, kills: horde.deaths, requests: provider.asked.length };
}

function sceneOf(name: string, scripts: readonly (readonly StepKind[])[], lane: number, { plans }: Ground): Scene {
  return makeScene(join(plans.rig.base, name), scripts[lane % scripts.length] ?? []);
}

/** Runs a plan of each scene, all at once. */
async function runAll(scenes: readonly Scene[], name: string, { plans }: Ground, disturb: (ended: Promise<unknown>) => Promise<void>): Promise<readonly Run[]> {
  const linked = await Promise.all(scenes.map(async (scene, lane) => ({ scene, plan: await linkScene(scene, `${name}-${lane}`, plans) })));
  const ended = Promise.all(linked.map(({ scene, plan }) => finish(scene, plan, plans)));
  await disturb(ended);
  return ended;
}

/** Kills while plans run, some at random moments, some in the very points of the protocol; answers how often Redis was emptied. */
async function strike(
  horde: Horde,
  { pauseMs, deadly }: { readonly pauseMs: () => number; readonly deadly: number },
  random: Random,
  ended: Promise<unknown>,
  emptied: PlanRig | undefined,
): Promise<number> {
  let over = false;
  void ended.then(() => {
    over = true;
  });
  const start = performance.now();
  const emptyAfter = random.integer(STORM_MS / 2);
  let times = 0;
  horde.deadly(deadly);
  const { deaths } = horde;
  for (let ms = 0; (ms < STORM_MS || horde.deaths < deaths + LEAST_KILLS) && !over; ms = performance.now() - start) {
    await delay(pauseMs());
    if (over) break;
    horde.kill(random);
    if (emptied === undefined || times > 0 || ms < emptyAfter) continue;
    await emptied.rig.redis.flushAll();
    times = 1;
  }
  horde.deadly(0);
  return times;
}
