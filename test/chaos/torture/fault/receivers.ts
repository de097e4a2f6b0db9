import { setTimeout as delay } from 'node:timers/promises';
import { patient } from '../../../support/patience.ts';
import { ATTEMPT_MS } from '../installation.ts';
import { fileTask } from '../load/tasks.ts';
import type { Endpoint } from '../model.ts';
import { noticesOf, sendDeadAgain } from '../operator.ts';
import type { Stage } from '../stage.ts';

/** Both are told of what any producer pushes here, so that something comes. */
const ALWAYS_TOLD = ['files', 'mine'] as const satisfies readonly Endpoint[];
const LOOK_MS = 50;
/** Whoever does not come in this time is not waited for. */
const SEEN_MS = patient(30_000);
/** Attempts that a receiver which hangs outlasts, and kills of the API meanwhile. */
const HUNG_ATTEMPTS = 4;
const HUNG_KILLS = 2;

/** A receiver that says that it wants no notices any more, which is the end of each; later it does, and an operator has them sent again. */
export async function beGone(stage: Stage): Promise<void> {
  const { site, random } = stage;
  const endpoint = random.pick(ALWAYS_TOLD);
  const receiver = site.receivers[endpoint];
  receiver.mood = 'gone';
  const pushed = fileTask(stage);
  await seen(stage, async () => (await noticesOf(stage, { endpoint, state: 'dead' })).length > 0);
  await delay(random.integer(2000));
  receiver.mood = 'fine';
  await pushed;
  await sendDeadAgain(stage, endpoint);
}

/** A receiver that reads and never answers, for longer than several attempts last, while the API that waits for it is killed. */
export async function hangLong(stage: Stage): Promise<void> {
  const { site, random } = stage;
  const receiver = site.receivers[random.pick(ALWAYS_TOLD)];
  receiver.mood = 'hangs';
  const until = performance.now() + HUNG_ATTEMPTS * ATTEMPT_MS;
  const pushed = fileTask(stage);
  for (let kill = 0; kill < HUNG_KILLS; kill += 1) {
    await seen(stage, () => receiver.unanswered > 0);
    await delay(random.integer(ATTEMPT_MS));
    await site.roles.kill('api');
  }
  await delay(Math.max(0, until - performance.now()));
  receiver.mood = 'fine';
  await pushed;
}

async function seen({ over }: Stage, holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + SEEN_MS;
  while (!over.aborted && performance.now() < end && !(await holds())) await delay(LOOK_MS);
}
