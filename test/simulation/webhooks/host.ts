import { isWritError } from '../../../src/core/errors.ts';
import { lifecycle, sequential } from '../../../src/core/lifecycle.ts';
import type { WebhookOutbox } from '../../../src/core/ports/index.ts';
import { createResultReader, fixedKeyring } from '../../../src/lease/index.ts';
import { outcomeForNotice } from '../../../src/surfaces/shared/webhooks.ts';
import { attempt } from '../../../src/webhooks/io/attempt.ts';
import { type FollowDeps, followOutcomes } from '../../../src/webhooks/io/follow-outcomes.ts';
import { sendAgain } from '../../../src/webhooks/io/send-again.ts';
import { createSender, type Sender } from '../../../src/webhooks/io/sender.ts';
import type { WebhookEndpoint } from '../../../src/webhooks/notice/endpoint.ts';
import { gatewayFor } from '../gateway.ts';
import { type Parts, put, taskIdOf } from '../parts.ts';
import type { SimWebhooks } from '../scenario.ts';
import { SimProcess } from '../scheduler.ts';
import { EXECUTOR_KEY } from '../tasks.ts';
import { cheapEd25519, simKey } from '../twins/crypto.ts';
import { WebhookWatch } from './checker.ts';
import { emptyOutbox, outboxFor } from './outbox.ts';
import { ReceiverTwin } from './receiver.ts';
import { TaskIndexTwin } from './task-index.ts';

const RESTART_MS = 800;
const TEND_MS = 10_000;
const TIMEOUT_MS = 15_000;
const PATIENCE_MS = 4_000;
const WISH_MS = 62 * 86_400_000;
/** Notices that were delivered or died are kept for the shortest time that may be set. */
const KEEP_MS = 86_400_000;
/** When everything has ended, the last ends are looked at within this time, milliseconds; outages are over by then. */
const HEARD_MS = 40_000;
/** Every wait of a sender, beside clocks that are wrong by two hours, milliseconds. */
const SETTLED_MS = 3 * 3_600_000;

const DAY_MS = 90_000_000;
const A_WHILE_MS = 120_000;
const AN_HOUR_MS = 3_600_000;

const NOTICE_KEY = simKey('webhook-1', 'result');
export const ENDPOINTS: readonly WebhookEndpoint[] = [
  { id: 'all', url: 'https://all.example/', capabilities: ['*'], keys: [], allow: [] },
  { id: 'wish', url: 'https://wish.example/', capabilities: [], keys: [], allow: [] },
];

/** What one process of the API has of webhooks. */
interface Served {
  readonly outbox: WebhookOutbox;
  readonly outcome: FollowDeps['outcome'];
  readonly senders: ReadonlyMap<string, Sender>;
}

/** The API of the host with its outbox; answers who lets it settle and judges it in the end. */
export function startWebhooks(parts: Parts, webhooks: SimWebhooks): () => Promise<void> {
  const { world, redis, open, wishes, apiProcess } = parts;
  const file = emptyOutbox(webhooks.room);
  const index = new TaskIndexTwin(world, () => redis.losses);
  const receiver = new ReceiverTwin(world, webhooks);
  const watch = new WebhookWatch(parts, { file, receiver, room: webhooks.room, index, key: NOTICE_KEY });
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
        served = await serve(parts, process, { file, index, receiver, watch });
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

  wishes.want = async (taskId, process) => {
    const here = served;
    if (here === undefined) throw new Error('the API is away');
    const late = world.wait(process, PATIENCE_MS).then(() => {
      throw new Error('the API does not answer');
    });
    await Promise.race([here.outbox.want([taskId], ['wish'], (apiProcess.current?.clock.now() ?? 0) + WISH_MS), late]);
    watch.onWish(taskId);
  };
  if (webhooks.retried) retryFirst(parts);
  return async () => {
    // A day of attempts is one of the clock, and ten of them take three quarters of an hour.
    // The next notice of a task begins when the one before was given up.
    if (webhooks.isDown) for (const at of [A_WHILE_MS, AN_HOUR_MS]) world.scheduler.at(at, undefined, () => setClock(DAY_MS));
    await settle(parts, webhooks, { receiver, watch, served: () => served });
  };
}

async function serve(
  parts: Parts,
  process: SimProcess,
  { file, index, receiver, watch }: { file: ReturnType<typeof emptyOutbox>; index: TaskIndexTwin; receiver: ReceiverTwin; watch: WebhookWatch },
): Promise<Served> {
  const { world, host } = parts;
  const { clock } = process;
  const context = { world, process };
  const plain = watch.outbox(outboxFor(file, world, process));
  const outbox = host.seams.outbox === undefined ? plain : host.seams.outbox(plain, context);
  const gateway = gatewayFor(parts, process, createResultReader({ keyring: fixedKeyring([EXECUTOR_KEY]), ed25519: cheapEd25519 }));
  const onTrouble = (error: unknown): void => {
    world.trace.say(world.now, process.name, `trouble: ${String(error)}`);
    if (!isWritError(error) && !String(error).includes('are missing')) parts.checker.violate('nothing crashes by itself', `webhooks: ${String(error)}`);
  };
  const outcome: FollowDeps['outcome'] = (task) => outcomeForNotice(task, gateway);
  const senders = new Map(
    ENDPOINTS.map(({ id }) => {
      const post = receiver.postFor(process, id);
      const once: Parameters<typeof createSender>[0]['attempt'] = async (notice, signal) => {
        const over = watch.onAttempt(id, notice, process);
        const end = await attempt(notice, { post, key: NOTICE_KEY, ed25519: cheapEd25519, clock, timeoutMs: TIMEOUT_MS }, signal);
        over();
        return end;
      };
      const tried = host.seams.attempt === undefined ? once : host.seams.attempt(once, context);
      const sender = createSender({ outbox, endpoint: id, attempt: tried, clock, random: () => world.random.number(), report: () => undefined, onTrouble });
      return [id, sender] as const;
    }),
  );
  const follower = followOutcomes({
    index: index.portFor(process),
    outbox,
    endpoints: ENDPOINTS,
    outcome,
    clock,
    onNotices: (notices) => {
      for (const { endpoint } of notices) senders.get(endpoint)?.wake();
    },
    onDropped: () => undefined,
    onTrouble,
  });
  const tender = lifecycle(
    () => void setInterval(() => void outbox.trim(clock.now() - KEEP_MS, clock.now(), 1_000).catch(onTrouble), TEND_MS),
    () => undefined,
  );
  await sequential([...senders.values(), follower, tender]).start();
  return { outbox, outcome, senders };
}

/** The index hears of ends in the queue and in the ledger. */
function hearEnds({ redis, tickets }: Parts, index: TaskIndexTwin): void {
  const capabilityOf = (taskId: string): string => tickets.find(({ id }) => id === taskId)?.manifest.capability_id ?? 'FILE_MOVE';
  const hear = (taskId: string, state: 'success' | 'failure'): void => {
    if (taskId !== '') index.hear(taskId, capabilityOf(taskId), state);
  };
  const { record } = redis.ledger;
  const heard: typeof record = async (request) => {
    const answer = await record(request);
    if (answer === 'recorded' || answer === 'awaited') hear(request.taskId, request.status === 'SUCCESS' ? 'success' : 'failure');
    return answer;
  };
  Object.assign(redis.ledger, { record: heard });
  for (const queue of redis.queues.values()) {
    const complete = queue.complete.bind(queue);
    const fail = queue.fail.bind(queue);
    Object.assign(queue, {
      complete(...args: Parameters<typeof complete>) {
        complete(...args);
        hear(taskIdOf(queue.jobs.get(args[0])?.data), 'success');
      },
      fail(...args: Parameters<typeof fail>) {
        const end = fail(...args);
        if (queue.jobs.get(args[0])?.state === 'failed') hear(taskIdOf(queue.jobs.get(args[0])?.data), 'failure');
        return end;
      },
    });
  }
}

const AGAIN_MS = 700;
const MAX_LOOKS = 20;

/** Somebody puts the missing file there when the first task has failed for it, and pushes the task once more. */
function retryFirst(parts: Parts): void {
  const { world, open, tickets, pushAgain, redis } = parts;
  const [ticket] = tickets;
  if (ticket?.task.trap !== 'source-missing' || ticket.source === undefined) return;
  const { source } = ticket;
  const process = new SimProcess('retrier', world.scheduler, { mortal: false });
  open.producers += 1;
  const work = async (): Promise<void> => {
    const hasFailed = (): boolean =>
      pushAgain.has(ticket.id) && [...redis.queue(ticket.queue).jobs.values()].some(({ state, data }) => state === 'failed' && taskIdOf(data) === ticket.id);
    for (let looks = 0; looks < MAX_LOOKS && !hasFailed(); looks += 1) await world.wait(process, AGAIN_MS);
    // The failure is noted meanwhile, and perhaps on its way.
    await world.wait(process, AGAIN_MS);
    put(parts, source, ticket.content);
    pushAgain.get(ticket.id)?.();
    open.producers -= 1;
  };
  world.scheduler.at(0, process, () => void work());
}

/** No worker is needed any more: what is left is sent, given up and asked for again; then it is judged. */
async function settle(
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
