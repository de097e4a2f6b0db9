import { setTimeout as delay } from 'node:timers/promises';
import type { Stage } from '../stage.ts';
import { allSucceed, pushSome } from './kill-at-random.ts';

const TASKS = 4;
const LONGEST_WAIT_MS = 60;

/** Redis is hurt a random moment after some tasks were pushed; everything that had no answer is pushed again only if data was lost. */
function underTasks(kind: string, hurt: (stage: Stage) => Promise<unknown>): (stage: Stage) => Promise<void> {
  return async (stage) => {
    const some = await pushSome(stage, TASKS);
    await delay(stage.field.random.number() * LONGEST_WAIT_MS);
    if ((await hurt(stage)) !== false) stage.field.counts.round(kind);
    await allSucceed(some);
  };
}

export const redisKilled = underTasks('Redis kill -9', ({ field }) => field.redisFaults.kill());
export const redisCut = underTasks('Redis kill -9, last second of its file cut off', ({ field }) => field.redisFaults.cut());
export const redisFlushed = underTasks('FLUSHALL', ({ field }) => field.redisFaults.flushAll());
export const redisRolledBack = underTasks('Redis old snapshot restored', ({ field }) => field.redisFaults.rollBack());
