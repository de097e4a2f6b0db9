import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Sqlite } from '../../../src/adapters/sqlite/driver.ts';
import { openKernelStore } from '../../../src/adapters/sqlite/kernel-store/kernel-store.ts';
import { signal } from '../processes.ts';
import { moveClock } from './fault/clock.ts';
import { damageIndex, storm } from './fault/index.ts';
import { beGone, hangLong } from './fault/receivers.ts';
import { ENDPOINTS } from './model.ts';
import { ROLE_NAMES, type RoleName } from './roles.ts';
import type { Stage } from './stage.ts';

const WORKERS = ['worker-1', 'worker-2', 'tools'] as const satisfies readonly RoleName[];
/** Whoever does not come in this time is not waited for. */
const AMBUSH_MS = 5_000;
const MINUTE = 60_000;
/** Minutes that a kernel was away; fewer than a schedule makes up for. */
const AWAY_MIN = 4;

/** Everything that is done to the installation, and how often beside the others. */
export const FAULTS = {
  kill: { weight: 10, do: ({ site, random }) => site.roles.kill(random.pick(ROLE_NAMES)) },
  'two killed': {
    weight: 3,
    async do({ site, random }) {
      const first = random.pick(ROLE_NAMES);
      const second = random.pick(ROLE_NAMES.filter((name) => name !== first));
      await Promise.all([site.roles.kill(first), site.roles.kill(second)]);
    },
  },
  /** Between what a worker has asked a tool and its answer: nobody knows whether it was heard. */
  'killed at a request': {
    weight: 5,
    do: async ({ site }) => void (await site.provider.ambush.lay(() => site.roles.strike(WORKERS), AMBUSH_MS)),
  },
  /** Between what a receiver has read and the record that it has it. */
  'killed at a delivery': {
    weight: 3,
    do: async ({ site, random }) => void (await site.receivers[random.pick(ENDPOINTS)].ambush.lay(() => site.roles.strike(['api']), AMBUSH_MS)),
  },
  /** Some for longer than a lock lives: another has its work by then. */
  stopped: { weight: 6, do: ({ site, random }) => site.roles.freeze(random.pick(ROLE_NAMES), 200 + random.integer(5000)) },
  'redis killed': { weight: 3, do: killRedis },
  'redis emptied': {
    weight: 2,
    async do({ site, model }) {
      await site.redis.flushAll();
      model.losses.push(Date.now());
    },
  },
  'redis stopped': {
    weight: 2,
    async do({ site, random }) {
      const pid = site.redis.pid();
      signal(pid, 'SIGSTOP');
      await delay(200 + random.integer(3000));
      signal(pid, 'SIGCONT');
    },
  },
  'disk full': { weight: 2, do: fillTheDisk },
  'tree in a storm': { weight: 2, do: storm },
  'index damaged': { weight: 2, do: damageIndex },
  reload: {
    weight: 3,
    async do({ site, random }) {
      site.settings(200 + random.integer(200));
      await site.cli(['reload']);
    },
  },
  'receiver in a mood': {
    weight: 5,
    async do({ site, random, moods }) {
      const receiver = site.receivers[random.pick(ENDPOINTS)];
      receiver.mood = random.pick(moods);
      await delay(200 + random.integer(2000));
      receiver.mood = 'fine';
    },
  },
  'receiver dead': {
    weight: 3,
    async do({ site, random }) {
      const receiver = site.receivers[random.pick(ENDPOINTS)];
      await receiver.die();
      await delay(200 + random.integer(2000));
      await receiver.live();
    },
  },
  'receiver gone': { weight: 3, do: beGone },
  'receiver hangs': { weight: 2, do: hangLong },
  /** Requests are under way for longer, so that who waits for them dies. */
  'slow provider': {
    weight: 3,
    async do({ site }) {
      site.provider.slowMs = 500;
      await delay(1500);
      site.provider.slowMs = 0;
    },
  },
  'kernel away': { weight: 2, do: keepKernelAway },
  'clock ahead': { weight: 2, do: (stage) => moveClock(stage, 'ahead') },
  'clock back': { weight: 2, do: (stage) => moveClock(stage, 'back') },
} satisfies Record<string, { readonly weight: number; do(stage: Stage): Promise<void> }>;

export type FaultName = keyof typeof FAULTS;
export const FAULT_NAMES = Object.keys(FAULTS) as readonly FaultName[];

/** Those of one line take turns: each needs the Redis, the receivers, the kernel's clock or the room that another one hurts. */
export const TAKING_TURNS: readonly (readonly FaultName[])[] = [
  ['redis killed', 'redis emptied', 'redis stopped', 'disk full'],
  ['receiver in a mood', 'receiver dead', 'receiver gone', 'receiver hangs'],
  ['kernel away', 'clock ahead', 'clock back'],
  ['kernel away', 'disk full'],
];

const PROBE = 'torture:probe';

/** kill -9, and a start on the same file. */
async function killRedis(stage: Stage): Promise<void> {
  const { site, random } = stage;
  await tellingLosses(stage, async () => {
    await site.redis.kill();
    await delay(random.integer(1500));
    await site.redis.restart();
  });
}

/** No room for a byte where everything is kept that a role writes down. */
async function fillTheDisk(stage: Stage): Promise<void> {
  const { site, random } = stage;
  await tellingLosses(stage, async () => {
    site.disk.fill();
    await delay(500 + random.integer(3000));
    site.disk.free();
    // It may have ended itself, rather than go on with a file that it cannot write.
    if (!site.redis.isRunning()) await site.redis.restart();
  });
}

/** What Redis had not written yet when it ended is gone: a word of ours tells. */
async function tellingLosses({ site, model, random }: Stage, hurt: () => Promise<void>): Promise<void> {
  const word = String(random.number());
  const redis = await site.redis.client();
  await redis.set(PROBE, word);
  redis.disconnect();
  await hurt();
  const again = await site.redis.client();
  if ((await again.get(PROBE)) !== word) model.losses.push(Date.now());
  again.disconnect();
}

/** A kernel that was killed some minutes ago: schedules that have never been switched stand where they stood then, and were registered before. */
async function keepKernelAway({ site, model }: Stage): Promise<void> {
  await site.roles.kill('kernel', () => {
    const store = openKernelStore(path.dirname(site.places.kernelStore));
    const set: string[] = [];
    for (const { active, missed, overlap, id } of model.schedules) {
      const [span] = active;
      const schedule = store.schedules.schedule(id);
      if (schedule === undefined || span === undefined || active.length > 1 || span.mayUntil !== Number.POSITIVE_INFINITY) continue;
      const cursor = schedule.cursor - AWAY_MIN;
      store.schedules.decide({ id, cursor, next: cursor + 1 }, []);
      set.push(id);
      const from = (cursor + 1) * MINUTE;
      active[0] = {
        ...span,
        mayFrom: Math.min(span.mayFrom, from),
        mustFrom: missed === 'all' && overlap === 'allow' ? Math.min(span.mustFrom, from) : span.mustFrom,
      };
    }
    store.close();
    registeredBefore(site.places.kernelStore, set);
  });
}

/** What is before its registration a schedule does not make up for. */
function registeredBefore(file: string, schedules: readonly string[]): void {
  const db = new Sqlite(file);
  const earlier = db.prepare('UPDATE schedule SET since = since - ? WHERE id = ?');
  for (const id of schedules) earlier.run(AWAY_MIN, id);
  db.close();
}
