import { sendAgain } from '../../../src/webhooks/io/send-again.ts';
import type { Parts } from '../parts.ts';
import type { SimWebhooks } from '../scenario.ts';
import { SimProcess } from '../scheduler.ts';
import { ENDPOINTS, type Served } from './api.ts';
import type { WebhookWatch } from './checker.ts';
import type { ReceiverTwin } from './receiver.ts';

const AGAIN_MS = 700;
const PATIENCE_MS = 4_000;
/** When everything has ended, the last ends are looked at within this time, milliseconds; outages are over by then. */
const HEARD_MS = 40_000;
/** Every wait of a sender, beside clocks that are wrong by two hours, milliseconds. */
const SETTLED_MS = 3 * 3_600_000;

/** No worker is needed any more: what is left is sent, given up and asked for again; then it is judged. */
export async function settle(
  { world, workers, redis }: Parts,
  { resends, forgets }: SimWebhooks,
  { receiver, watch, served }: { receiver: ReceiverTwin; watch: WebhookWatch; served: () => Served | undefined },
): Promise<void> {
  for (const { process } of workers) process.kill();
  const until = (isOver: () => boolean, forMs: number): Promise<boolean> =>
    world.scheduler.run(isOver, { untilMs: world.now + forMs, events: Number.POSITIVE_INFINITY });
  const heardAt = world.now + HEARD_MS;
  await until(() => world.now >= heardAt, 2 * HEARD_MS);
  if (!(await until(() => watch.pending === 0, SETTLED_MS))) watch.onStuck();
  await watch.judgeRows();
  receiver.isDown = false;
  receiver.isHonest = true;
  if (forgets) redis.lose();
  if (resends) {
    const operator = new SimProcess('operator', world.scheduler, { mortal: false });
    let isDone = false;
    const work = async (): Promise<void> => {
      while (!isDone) {
        const here = served();
        if (here !== undefined)
          await resendAll(here, watch, operator, world).then(
            () => (isDone = true),
            () => undefined,
          );
        await world.wait(operator, AGAIN_MS);
      }
    };
    world.scheduler.at(0, operator, () => void work());
    await until(() => isDone, SETTLED_MS);
    if (!(await until(() => watch.pending === 0, SETTLED_MS))) watch.onStuck();
    await watch.judgeResent(isDone);
  }
  await watch.judge((work) => ask(world, work));
}

async function resendAll({ outbox, outcome, senders }: Served, watch: WebhookWatch, operator: SimProcess, world: Parts['world']): Promise<void> {
  watch.onResend();
  for (const { id } of ENDPOINTS) {
    const done = sendAgain({ endpoint: id }, { outbox, outcome, clock: operator.clock });
    const late = world.wait(operator, PATIENCE_MS).then(() => {
      throw new Error('the API does not answer');
    });
    await Promise.race([done, late]);
  }
  for (const sender of senders.values()) sender.wake();
}

/** Somebody asks who cannot die, and the world goes on until he knows. */
async function ask<T>(world: Parts['world'], work: (process: SimProcess) => Promise<T>): Promise<T | undefined> {
  const process = new SimProcess('judge', world.scheduler, { mortal: false });
  const found: T[] = [];
  world.scheduler.at(0, process, () => void work(process).then((value) => found.push(value)));
  await world.scheduler.run(() => found.length > 0, { untilMs: world.now + SETTLED_MS, events: Number.POSITIVE_INFINITY });
  return found[0];
}
