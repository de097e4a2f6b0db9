import { setTimeout as delay } from 'node:timers/promises';
import { signal } from '../processes.ts';
import { moveClock } from './fault/clock.ts';
import { damageIndex, storm } from './fault/content-index.ts';
import { keepKernelAway } from './fault/kernel.ts';
import { beGone, hangLong } from './fault/receivers.ts';
import { fillTheDisk, killRedis } from './fault/stores.ts';
import { ENDPOINTS } from './model.ts';
import { ROLE_NAMES, type RoleName } from './roles.ts';
import type { Stage } from './stage.ts';

const WORKERS = ['worker-1', 'worker-2', 'tools'] as const satisfies readonly RoleName[];
/** Whoever does not come in this time is not waited for. */
const AMBUSH_MS = 5_000;

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
