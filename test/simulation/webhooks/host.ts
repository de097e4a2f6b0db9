import type { Parts } from '../parts.ts';
import type { SimWebhooks } from '../scenario.ts';
import { SimProcess } from '../scheduler.ts';
import { NOTICE_KEY, type Served, serve } from './api.ts';
import { WebhookWatch } from './checker.ts';
import { RESTART_MS } from './draw.ts';
import { hearEnds, retryFirst } from './ends.ts';
import { emptyOutbox } from './outbox.ts';
import { PlanEndsTwin } from './plan-ends.ts';
import { ReceiverTwin } from './receiver.ts';
import { settle } from './settle.ts';
import { TaskIndexTwin } from './task-index.ts';

const PATIENCE_MS = 4_000;
const WISH_MS = 62 * 86_400_000;

const DAY_MS = 90_000_000;
const A_WHILE_MS = 120_000;
const AN_HOUR_MS = 3_600_000;

/** The API of the host with its outbox; answers who lets it settle and judges it in the end. */
export function startWebhooks(parts: Parts, webhooks: SimWebhooks): () => Promise<void> {
  const { world, redis, open, wishes, apiProcess } = parts;
  const file = emptyOutbox(webhooks.room);
  const index = new TaskIndexTwin(world, () => redis.losses);
  const receiver = new ReceiverTwin(world, webhooks);
  const plans = webhooks.plans === true ? new PlanEndsTwin(parts) : undefined;
  const watch = new WebhookWatch(parts, { file, receiver, room: webhooks.room, index, plans, key: NOTICE_KEY });
  hearEnds(parts, index);
  let served: Served | undefined;
  let skewMs = 0;
  let started = 0;

  const setClock = (byMs: number): void => {
    skewMs += byMs;
    if (apiProcess.current !== undefined) apiProcess.current.skewMs = skewMs;
  };
  const boot = (): void => {
    started += 1;
    const process = new SimProcess(`api-${started}`, world.scheduler);
    process.skewMs = skewMs;
    apiProcess.current = process;
    const start = async (): Promise<void> => {
      try {
        served = await serve(parts, process, { file, index, plans, receiver, watch });
        watch.onServed();
        world.trace.say(world.now, process.name, 'serves webhooks');
      } catch (error) {
        world.trace.say(world.now, process.name, `cannot start: ${String(error)}`);
        world.kill(process);
      }
    };
    world.scheduler.at(0, process, () => void start());
  };
  const { onDeath } = world;
  world.onDeath = (process) => {
    onDeath(process);
    if (process !== apiProcess.current) return;
    served = undefined;
    world.scheduler.at(RESTART_MS, undefined, boot);
  };
  boot();

  const planned = (at: number, strike: () => void): void => {
    open.faults += 1;
    world.scheduler.at(at, undefined, () => {
      open.faults -= 1;
      strike();
    });
  };
  for (const at of webhooks.kills) {
    planned(at, () => {
      world.strike('kill-api', '');
      if (apiProcess.current !== undefined) world.kill(apiProcess.current);
    });
  }
  const { jump, indexLost } = webhooks;
  if (indexLost !== undefined) {
    planned(indexLost, () => {
      world.strike('index-lost', '');
      index.lose();
    });
  }
  if (jump !== undefined) {
    planned(jump.at, () => {
      world.strike('clock', JSON.stringify(jump));
      setClock(jump.byMs);
    });
  }

  const asked = async (process: SimProcess, work: (here: Served) => Promise<void>): Promise<void> => {
    if (served === undefined) throw new Error('the API is away');
    const late = world.wait(process, PATIENCE_MS).then(() => {
      throw new Error('the API does not answer');
    });
    await Promise.race([work(served), late]);
  };
  const now = (): number => apiProcess.current?.clock.now() ?? 0;
  wishes.push = async ({ taskId, capabilityId, manifestSha256 }, process, push) => {
    await asked(process, ({ outbox }) => outbox.want([{ subject: taskId, manifestSha256 }], ['wish'], now() + WISH_MS));
    const wasWished = watch.isWished(taskId);
    watch.onWish(taskId);
    const receipt = await push();
    if (receipt?.kind === 'conflict') watch.onRefused(taskId, wasWished);
    if (receipt?.kind === 'finished') await asked(process, ({ tellEnded }) => tellEnded([{ taskId, capabilityId, at: now() }]));
  };
  if (webhooks.retried) retryFirst(parts);
  return async () => {
    // A day of attempts is one of the clock, and ten of them take three quarters of an hour.
    // The next notice of a task begins when the one before was given up.
    if (webhooks.isDown) for (const at of [A_WHILE_MS, AN_HOUR_MS]) world.scheduler.at(at, undefined, () => setClock(DAY_MS));
    await settle(parts, webhooks, { receiver, watch, served: () => served });
  };
}
