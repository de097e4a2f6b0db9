import { setTimeout as delay } from 'node:timers/promises';
import { patient } from '../../support/patience.ts';
import { type Effect, lookForPartial } from '../effect.ts';
import { finale } from '../finale.ts';
import { type OperationName, prepare } from '../operations.ts';
import { signal } from '../processes.ts';
import { createStage, type Stage } from '../stage.ts';
import { watchForPartial } from '../strikes.ts';

const TASKS = 3;
const LONGEST_WAIT_MS = 40;
const PLAIN: readonly OperationName[] = ['move', 'copy', 'copy across', 'delete', 'move across', 'move back across'];

/** Some tasks at once, as a producer would push them. */
export async function pushSome({ field, label }: Stage, count = TASKS): Promise<readonly { stage: Stage; effect: Effect }[]> {
  const made = await Promise.all(
    Array.from({ length: count }, async () => {
      const stage = createStage(field, label);
      const effect = await prepare(field.random.pick(PLAIN), stage);
      return effect && { stage, effect };
    }),
  );
  const some = made.filter((one) => one !== undefined);
  await Promise.all(some.map(({ effect }) => field.tickets.push(effect.ticket)));
  return some;
}

/** Each must end in SUCCESS, with one effect. */
export async function allSucceed(some: readonly { stage: Stage; effect: Effect }[]): Promise<void> {
  await Promise.all(some.map(({ stage, effect }) => finale(stage, effect, {}, { success: true })));
}

/** kill -9 of any worker, a random moment after some tasks were pushed. */
export async function killAtRandom(stage: Stage): Promise<void> {
  const { pool, random, counts } = stage.field;
  const some = await pushSome(stage);
  const watchers = some.map((one) => watchForPartial(one.stage, one.effect, new Set()));
  await delay(random.number() * LONGEST_WAIT_MS);
  if (signal(await pool.any(), 'SIGKILL')) counts.round('kill -9 at a random time');
  for (const { effect } of some) lookForPartial(effect, new Set(), counts);
  await allSucceed(some);
  for (const watcher of watchers) watcher.close();
}

/** How long after the signal a worker may take: the drain time of the settings, and the hard exit's margin. */
const DRAINED_MS = patient(9_000);

/** SIGTERM to any worker in the midst of tasks: it ends by itself with 0, and every task ends. */
export async function drain(stage: Stage): Promise<void> {
  const { pool, random, counts } = stage.field;
  const some = await pushSome(stage);
  await delay(random.number() * LONGEST_WAIT_MS);
  const pid = await pool.any();
  const ended = pool.ended(pid);
  if (signal(pid, 'SIGTERM')) counts.round('SIGTERM');
  const end = await Promise.race([ended, delay(DRAINED_MS, 'late' as const)]);
  // Another case may have killed it meanwhile.
  if (end !== 0 && end !== 'SIGKILL') counts.violation('undrained', `the worker ended with ${end}`);
  await allSucceed(some);
}
