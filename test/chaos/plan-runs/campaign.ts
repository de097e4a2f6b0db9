import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ResultEnvelope } from '../../../src/contracts/index.ts';
import { scriptArgs } from '../../support/compiled/script.ts';
import { answerOk, type HttpProvider, httpTool, startHttpProvider } from '../../support/http-provider.ts';
import { envelopeOf, type LinkedPlan, type PlanRig, startPlanRig } from '../../support/plan-rig.ts';
import { createRandom, type Random } from '../../support/random.ts';
import { FAST_LOCKS } from '../../support/rig.ts';
import { createHorde, type Horde } from './horde.ts';
import { makeScene, type Scene } from './scene.ts';

export interface CampaignOptions {
  readonly seed: number;
  /** Plans that are disturbed. */
  readonly rounds: number;
  /** Plans at a time. */
  readonly lanes: number;
  readonly tell?: (line: string) => void;
}

export interface CampaignReport {
  readonly rounds: number;
  readonly kills: number;
  /** Times that Redis was emptied while plans ran. */
  readonly emptied: number;
  /** Calls of `once` actions of which nobody knows whether they were heard. */
  readonly unknown: number;
  readonly requests: number;
  readonly violations: readonly string[];
}

/** One kill of a random worker comes after a pause of up to this time. */
const KILL_PAUSE_MS = 400;
/** How long a batch is struck, if its plans do not end before. */
const STORM_MS = 6000;
/** Of the points that workers pass while they are struck. */
const DEADLY_SHARE = 0.05;
/** Every second batch has its Redis emptied. */
const EMPTY_EVERY = 2;
const GIVE_UP_MS = 120_000;
const ASK_AGAIN_MS = 8_000;

/**
 * Runs the same plans twice: once in peace, once while workers are killed and Redis is emptied. What the second run leaves
 * on the disk, what it answers, and what the provider was asked is compared with the first.
 */
export async function campaign({ seed, rounds, lanes, tell = () => undefined }: CampaignOptions): Promise<CampaignReport> {
  const random = createRandom(seed);
  await using provider = await startHttpProvider((asked, response) => {
    if (asked.path === '/refuse') return void response.writeHead(422).end('no');
    answerOk(asked, response);
  });
  const actions = { send: 'once', refuse: 'once', put: 'idempotent' } as const;
  await using plans = await startPlanRig({ tools: { 'chaos.http': httpTool('chaos.http', provider.url, actions) }, config: { worker: FAST_LOCKS } });
  await using horde = await createHorde(['plan', 'tool-chaos-http', 'file', undefined, undefined], workerArgs(plans));
  const report = { rounds: 0, emptied: 0, unknown: 0, violations: [] as string[] };

  for (let batch = 0; report.rounds < rounds; batch += 1) {
    const scenes = Array.from({ length: Math.min(lanes, rounds - report.rounds) }, (_, lane) => makeScene(join(plans.rig.base, `b${batch}-${lane}`), random));
    const calm = await runAll(scenes, plans, `calm-${seed}-${batch}`, async () => undefined);
    const storm = await runAll(scenes, plans, `storm-${seed}-${batch}`, async (ended) => {
      report.emptied += await strike(horde, random, ended, batch % EMPTY_EVERY === 0 ? plans : undefined);
    });
    for (const lane of scenes.keys()) {
      report.rounds += 1;
      const [before, after] = [calm[lane], storm[lane]];
      if (before && after) report.unknown += compare(`${batch}-${lane}`, before, after, provider, report.violations);
    }
    tell(`${report.rounds} of ${rounds} plans, ${horde.deaths} kills, ${report.violations.length} violations`);
  }
  return { ...report, kills: horde.deaths, requests: provider.asked.length };
}

interface Run {
  readonly plan: LinkedPlan;
  readonly envelope: ResultEnvelope | undefined;
  readonly tree: Readonly<Record<string, string>>;
}

/** Runs a plan of each scene, all at once. */
async function runAll(scenes: readonly Scene[], plans: PlanRig, name: string, disturb: (ended: Promise<unknown>) => Promise<void>): Promise<readonly Run[]> {
  for (const scene of scenes) scene.reset();
  const linked = await Promise.all(scenes.map((scene, lane) => plans.link(envelopeOf(scene.steps, { id: `${name}-${lane}`, options: { maxSteps: 100 } }))));
  const ended = Promise.all(linked.map((plan) => endOf(plan, plans)));
  await disturb(ended);
  const envelopes = await ended;
  return linked.map((plan, lane) => ({ plan, envelope: envelopes[lane], tree: scenes[lane]?.tree() ?? {} }));
}

/** As a producer: pushes, and pushes again when the answer does not come, because Redis may have lost it. */
async function endOf(plan: LinkedPlan, plans: PlanRig): Promise<ResultEnvelope | undefined> {
  const giveUp = performance.now() + GIVE_UP_MS;
  while (performance.now() < giveUp) {
    const receipt = await plans.push(plan).catch(() => undefined);
    if (receipt === undefined) await delay(ASK_AGAIN_MS / 100);
    const ended = await plans.ended(plan.id, () => true, ASK_AGAIN_MS).catch(() => undefined);
    if (ended) return ended.envelope;
  }
  return undefined;
}

/** Kills while plans run, some at random moments, some in the very points of the protocol; answers how often Redis was emptied. */
async function strike(horde: Horde, random: Random, ended: Promise<unknown>, emptied: PlanRig | undefined): Promise<number> {
  let over = false;
  void ended.then(() => {
    over = true;
  });
  const start = performance.now();
  const emptyAfter = random.integer(STORM_MS / 2);
  let times = 0;
  horde.deadly(DEADLY_SHARE);
  for (let ms = 0; ms < STORM_MS && !over; ms = performance.now() - start) {
    await delay(random.integer(KILL_PAUSE_MS));
    if (over) break;
    horde.kill(random);
    if (emptied === undefined || times > 0 || ms < emptyAfter) continue;
    await emptied.rig.redis.flushAll();
    times = 1;
  }
  horde.deadly(0);
  return times;
}

/** Adds what contradicts the run in peace; answers how many outcomes are unknown. */
function compare(round: string, calm: Run, storm: Run, provider: HttpProvider, violations: string[]): number {
  const wrong = (what: string): void => void violations.push(`${round}: ${what}`);
  if (!calm.envelope || !storm.envelope) {
    wrong(`${calm.envelope ? 'the disturbed' : 'the undisturbed'} plan did not end`);
    return 0;
  }
  const entries = [calm.envelope, storm.envelope].map(({ output }) => output.results.map((entry) => neutral(entry)));
  const unknown = storm.envelope.output.results.filter(({ error }) => error?.code === 'TOOL_OUTCOME_UNKNOWN').length;
  const [before = [], after = []] = entries;
  if (before.length !== after.length) wrong(`${after.length} results instead of ${before.length}`);
  for (const [at, entry] of after.entries()) {
    if (entry !== before[at] && !entry.includes('TOOL_OUTCOME_UNKNOWN')) wrong(`result ${at} is ${entry} instead of ${before[at]}`);
  }
  const memories = [calm.envelope, storm.envelope].map(({ output }) => JSON.stringify(output.memory.state));
  if (memories[0] !== memories[1]) wrong(`the memory is ${memories[1]} instead of ${memories[0]}`);
  if (JSON.stringify(calm.tree) !== JSON.stringify(storm.tree)) wrong(`the files are ${JSON.stringify(storm.tree)} instead of ${JSON.stringify(calm.tree)}`);
  for (const line of sentTwice(storm.plan, provider)) wrong(line);
  return unknown;
}

/** An answer without what names its own run: task ids, and the places in the vault that are named after them. */
function neutral(entry: object): string {
  return JSON.stringify(entry)
    .replaceAll(/\b(s|d)-[0-9a-f]{40,64}/g, '$1-')
    .replaceAll(/(calm|storm)-/g, '');
}

/** `once` requests of a plan that were heard more than once. */
function sentTwice({ id }: LinkedPlan, provider: HttpProvider): readonly string[] {
  const heard = new Map<string, number>();
  for (const { path, key } of provider.asked) {
    if (path === '/put' || key === undefined) continue;
    heard.set(key, (heard.get(key) ?? 0) + 1);
  }
  return [...heard].filter(([, times]) => times > 1).map(([key, times]) => `plan ${id}: ${key} was sent ${times} times`);
}

/** The arguments of a worker process for some queues; all queues when there is none. */
function workerArgs(plans: PlanRig): (queue: string | undefined) => readonly string[] {
  const directory = join(plans.rig.places.dataDir, 'chaos');
  mkdirSync(directory, { recursive: true });
  return (queue) => {
    const file = join(directory, `${queue ?? 'all'}.json`);
    const { config, places } = plans.rig;
    writeFileSync(
      file,
      JSON.stringify({ config: { ...config, log: { level: 'silent' } }, dataDir: places.dataDir, ...(queue === undefined ? {} : { queues: [queue] }) }),
    );
    return scriptArgs(new URL('./worker-process.ts', import.meta.url), [file]);
  };
}
