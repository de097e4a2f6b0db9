import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { patient } from '../../support/patience.ts';
import { createRandom, type Random } from '../../support/random.ts';
import { judge } from './checker.ts';
import { collect } from './collect.ts';
import { FAULT_NAMES, FAULTS, type FaultName, TAKING_TURNS } from './faults.ts';
import { startTorture } from './installation.ts';
import { keepAll } from './keep.ts';
import { LOAD, LOAD_NAMES, type LoadName } from './load/index.ts';
import { addSchedule } from './load/schedules.ts';
import { makePeace } from './peace.ts';
import { BAD_MOODS, type Mood } from './receivers.ts';
import { createStage, type Stage } from './stage.ts';
import { type Tally, talliedOf } from './tally.ts';
import type { World } from './world.ts';

export interface CampaignOptions {
  readonly seed: number;
  /** Pieces of load, each kind at least once before the rest is drawn. */
  readonly work: number;
  /** Faults, the same. */
  readonly faults: number;
  /** Pieces of load under way at a time. */
  readonly lanes: number;
  readonly loads?: readonly LoadName[];
  readonly kinds?: readonly FaultName[];
  /** Of receivers; all bad ones unless given. */
  readonly moods?: readonly Mood[];
  /** Firings that the kernel's clock is moved over at most. Of tasks that are asked meanwhile, leases count from then. */
  readonly farthest?: number;
  /** True: no further work and no further fault, although there is more to do. */
  readonly enough?: () => boolean;
  /** Where everything that lies in the installation goes when it broke something, in a directory named by the seed. */
  readonly keep?: string;
  /** Hears of every fault as it is begun. */
  readonly tell?: (line: string) => void;
}

export interface Report extends Tally {
  readonly seed: number;
  readonly violations: readonly string[];
  /** What was done, in its order, for whoever reads a violation. */
  readonly history: readonly string[];
}

/** How often each kind of load and of fault was begun. */
type Done = { readonly [K in 'loads' | 'faults']: Record<string, number> };

const SCHEDULES = 2;
const FARTHEST = 3;
const PAUSE_MS = 900;
const LOOK_MS = 50;
const HANDS = 2;
/** Beyond this after the last fault something has hung: the checker says what. */
const GIVE_UP_MS = patient(180_000) + (FARTHEST + 1) * 60_000;

/** One installation, load and faults at once, then peace; what the world has come to, held against what was asked. */
export async function campaign(options: CampaignOptions): Promise<Report> {
  const { seed, moods = BAD_MOODS, farthest = FARTHEST, tell = () => undefined } = options;
  const over = new AbortController();
  await using site = await startTorture();
  const stage = createStage({ site, random: createRandom(seed), moods, farthest, over: over.signal });
  const history: string[] = [];
  const startedAt = Date.now();
  const note = (line: string): void => {
    const told = `${((Date.now() - startedAt) / 1000).toFixed(1)} s ${line}`;
    history.push(told);
    tell(told);
  };
  const keep = (world?: World): void => {
    if (options.keep !== undefined) keepAll(path.join(options.keep, `seed-${seed}`), stage, world);
  };
  try {
    return await played();
  } catch (error) {
    // A role that does not come back, say: whoever looks for the cause needs its log.
    keep();
    throw error;
  }

  async function played(): Promise<Report> {
    for (let at = 0; at < SCHEDULES; at += 1) await addSchedule(stage);

    const done: Done = { loads: {}, faults: {} };
    const broken: string[] = [];
    const working = work(stage, options, done, broken);
    await strike(stage, options, done.faults, note);
    note('peace');
    const giveUp = setTimeout(() => over.abort(new Error('the run was given up')), GIVE_UP_MS);
    await working;
    await makePeace(stage);
    const world = await collect(stage);
    clearTimeout(giveUp);
    const violations = [...broken, ...judge(stage.model, world)];
    for (const violation of violations) note(`VIOLATION ${violation}`);
    if (violations.length > 0) keep(world);
    return { seed, violations, history, ...talliedOf(stage, world, done, Date.now() - startedAt) };
  }
}

/** Names of a table: each once, in the order of the table, then by weight. */
function drawn<N extends string>(names: readonly N[], weightOf: (name: N) => number, random: Random): () => N {
  const first = [...names];
  const all = names.flatMap((name) => Array.from({ length: weightOf(name) }, () => name));
  return () => first.shift() ?? random.pick(all);
}

const sumOfValues = (counts: Readonly<Record<string, number>>): number => Object.values(counts).reduce((sum, one) => sum + one, 0);

/** By two hands, so that a fault comes while another one is not over. */
async function strike(stage: Stage, options: CampaignOptions, counts: Record<string, number>, note: (line: string) => void): Promise<void> {
  const { faults, kinds = FAULT_NAMES, enough = () => false } = options;
  const next = drawn(kinds, (name) => FAULTS[name].weight, stage.random);
  let struck = 0;
  const turns = new Map<readonly FaultName[], Promise<void>>();
  const take = (name: FaultName): Promise<void> => {
    const lines = TAKING_TURNS.filter((names) => names.includes(name));
    const turn = Promise.all(lines.map((line) => turns.get(line))).then(() => FAULTS[name].do(stage));
    for (const line of lines) turns.set(line, turn);
    return turn;
  };
  const hand = async (): Promise<void> => {
    while (struck < faults && !enough()) {
      struck += 1;
      await delay(stage.random.integer(PAUSE_MS));
      const name = next();
      counts[name] = (counts[name] ?? 0) + 1;
      note(name);
      await take(name);
    }
  };
  await Promise.all(Array.from({ length: HANDS }, hand));
}

async function work(stage: Stage, options: CampaignOptions, done: Done, broken: string[]): Promise<void> {
  const { work: wanted, faults, lanes, loads = LOAD_NAMES, enough = () => false } = options;
  const next = drawn(loads, (name) => LOAD[name].weight, stage.random);
  let begun = 0;
  // A fault in an idle installation shows little: where both are counted, neither runs ahead of the other.
  const isAhead = (): boolean => begun * faults > (1 + sumOfValues(done.faults)) * wanted;
  const lane = async (): Promise<void> => {
    while (!enough() && begun < wanted) {
      begun += 1;
      while (isAhead() && !enough()) await delay(LOOK_MS);
      const name = next();
      done.loads[name] = (done.loads[name] ?? 0) + 1;
      await LOAD[name].run(stage).catch((error: unknown) => void broken.push(`broken: ${name}: ${error instanceof Error ? error.stack : String(error)}`));
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}
