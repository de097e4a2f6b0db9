import { isWritError } from '../../../src/core/errors.ts';
import { lifecycle, sequential } from '../../../src/core/lifecycle.ts';
import type { NewNotice, WebhookOutbox } from '../../../src/core/ports/index.ts';
import { createResultReader, fixedKeyring } from '../../../src/lease/index.ts';
import { outcomeForNotice } from '../../../src/surfaces/shared/webhooks.ts';
import { attempt } from '../../../src/webhooks/io/attempt.ts';
import { type FollowDeps, followOutcomes } from '../../../src/webhooks/io/follow-outcomes.ts';
import { followPlans } from '../../../src/webhooks/io/follow-plans.ts';
import { createSender, type Sender } from '../../../src/webhooks/io/sender.ts';
import { tellEnded } from '../../../src/webhooks/io/tell-ended.ts';
import type { WebhookEndpoint } from '../../../src/webhooks/notice/endpoint.ts';
import { gatewayFor } from '../gateway.ts';
import type { Parts } from '../parts.ts';
import { EPOCH_MS, type SimProcess } from '../scheduler.ts';
import { EXECUTOR_KEY } from '../tasks.ts';
import { cheapEd25519, simKey } from '../twins/crypto.ts';
import type { WebhookWatch } from './checker.ts';
import { type OutboxFile, outboxFor } from './outbox.ts';
import { NO_PLANS, type PlanEndsTwin } from './plan-ends.ts';
import type { ReceiverTwin } from './receiver.ts';
import type { TaskIndexTwin } from './task-index.ts';

const TEND_MS = 10_000;
const TIMEOUT_MS = 15_000;
/** Notices that were delivered or died are kept for the shortest time that may be set. */
const KEEP_MS = 86_400_000;

export const NOTICE_KEY = simKey('webhook-1', 'result');
export const ENDPOINTS: readonly WebhookEndpoint[] = [
  { id: 'all', url: 'https://all.example/', capabilities: ['*'], plans: true, keys: [], allow: [] },
  { id: 'wish', url: 'https://wish.example/', capabilities: [], keys: [], allow: [] },
];

/** What one process of the API has of webhooks. */
export interface Served {
  readonly outbox: WebhookOutbox;
  readonly outcome: FollowDeps['outcome'];
  readonly senders: ReadonlyMap<string, Sender>;
  /** Tells of what was done before it was pushed. */
  readonly tellEnded: (ended: Parameters<typeof tellEnded>[0]) => Promise<void>;
}

/** The product's follower and senders in one process of the API. Rejects where the outbox cannot be written. */
export async function serve(
  parts: Parts,
  process: SimProcess,
  {
    file,
    index,
    plans,
    receiver,
    watch,
  }: { file: OutboxFile; index: TaskIndexTwin; plans: PlanEndsTwin | undefined; receiver: ReceiverTwin; watch: WebhookWatch },
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
  const known: FollowDeps['outcome'] = (task) => outcomeForNotice(task, { tasks: gateway, plans: plans?.plansFor(process) ?? NO_PLANS });
  const outcome = host.seams.outcome === undefined ? known : host.seams.outcome(known);
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
  const following = {
    outbox,
    endpoints: ENDPOINTS,
    outcome,
    clock,
    redisTime: () => world.call(process, { to: 'redis', what: 'redis.time', effect: () => Math.floor(EPOCH_MS + world.now) }),
    onNotices: (notices: readonly NewNotice[]) => {
      for (const { endpoint } of notices) senders.get(endpoint)?.wake();
    },
    onDropped: () => undefined,
    onTrouble,
  };
  const ends = plans?.portFor(process);
  const seen = ends === undefined || host.seams.planEnds === undefined ? ends : host.seams.planEnds(ends, context);
  const followers = [
    followOutcomes({ ...following, index: index.portFor(process) }),
    ...(seen === undefined ? [] : [followPlans({ ...following, ends: seen })]),
  ];
  const tender = lifecycle(
    () => void setInterval(() => void outbox.trim(clock.now() - KEEP_MS, clock.now(), 1_000).catch(onTrouble), TEND_MS),
    () => undefined,
  );
  await sequential([...senders.values(), ...followers, tender]).start();
  return { outbox, outcome, senders, tellEnded: (ended) => tellEnded(ended, following) };
}
