import { inlineEd25519 } from '../../adapters/crypto/inline.ts';
import { nodeEd25519 } from '../../adapters/crypto/node-crypto.ts';
import { createPost, type Post } from '../../adapters/http-tool/post.ts';
import { createWebhookOutbox } from '../../adapters/sqlite/webhook-outbox/webhook-outbox.ts';
import type { Clock } from '../../core/clock.ts';
import { WritError } from '../../core/errors.ts';
import { type Lifecycle, lifecycle, sequential } from '../../core/lifecycle.ts';
import type { Dropped, NewNotice, NoticeCounts, PlanEnds, TaskIndex, WebhookOutbox, Webhooks } from '../../core/ports/index.ts';
import type { AttemptEnd } from '../notice/attempts.ts';
import { mayName, type WebhookEndpoint } from '../notice/endpoint.ts';
import { noticeId, testBody } from '../notice/notice.ts';
import { type NoticeKey, publicKeyText } from '../notice/sign-notice.ts';
import { attempt } from './attempt.ts';
import { endpointView } from './endpoint-view.ts';
import { type FollowDeps, followOutcomes } from './follow-outcomes.ts';
import { followPlans } from './follow-plans.ts';
import { sendAgain } from './send-again.ts';
import { type AttemptReport, createSender, type Sender } from './sender.ts';
import { tellEnded } from './tell-ended.ts';

/** The section `webhooks` of the settings. */
export interface WebhookOptions {
  readonly endpoints: Readonly<Record<string, Omit<WebhookEndpoint, 'id'>>>;
  /** For one attempt. */
  readonly timeout_ms: number;
  /** How long the outbox keeps what was delivered or died. */
  readonly keep_s: number;
  /** Bytes of texts that the outbox keeps, in equal parts for each endpoint. */
  readonly max_bytes: number;
  /** Notices that the outbox keeps in all. */
  readonly max_notices: number;
}

export interface WebhookDeps {
  /** Where the outbox lies. */
  readonly directory: string;
  readonly index: TaskIndex;
  /** Which plans have ended; absent: no plan is told. */
  readonly plans?: PlanEnds & Lifecycle;
  /** Of tasks and plans. */
  readonly outcome: FollowDeps['outcome'];
  /** Read when the part starts. */
  readonly key: () => Promise<NoticeKey>;
  readonly clock: Clock;
  readonly redisTime: FollowDeps['redisTime'];
  readonly report: (report: AttemptReport) => void;
  /** Told how many notices stand in which state, from time to time. */
  readonly counted: (counts: readonly NoticeCounts[]) => void;
  /** Told of what had to go because there was no room. */
  readonly dropped: (what: Dropped, count: number) => void;
  readonly onTrouble: (error: unknown) => void;
}

/** A wish to be told of a task or a plan is kept as long as a lease may live and its row after it. */
const WANTED_MS = 62 * 86_400_000;
const TEND_MS = 10_000;
const TRIM = 1_000;
const NOTHING = { resent: 0, left: 0 };

/**
 * Webhooks of a host: ends of tasks and plans become notices in the outbox, and notices are sent, an endpoint apart from every other
 * (docs/webhooks.md).
 *
 * @throws WritError INVALID_CONFIG for an endpoint whose address is not legal
 */
export function createWebhooks(options: WebhookOptions, deps: WebhookDeps): Webhooks & Lifecycle {
  const { clock } = deps;
  const endpoints = Object.entries(options.endpoints).map(([id, endpoint]) => ({ id, ...endpoint }));
  const isUsed = endpoints.length > 0;
  const endpointBytes = Math.floor(options.max_bytes / Math.max(1, endpoints.length));
  const outbox = createWebhookOutbox({ directory: deps.directory, limits: { endpointBytes, maxNotices: options.max_notices } });
  const ed25519 = inlineEd25519(nodeEd25519());
  const posts = new Map(endpoints.map(({ id, url, allow }) => [id, createPost({ url, allow, field: `webhooks.endpoints.${id}` })]));
  let key: NoticeKey | undefined;

  function tryOnce(post: Post, notice: Pick<NewNotice, 'id' | 'body'>, signal: AbortSignal): Promise<AttemptEnd> {
    if (key === undefined) throw new WritError('STORAGE_UNAVAILABLE', 'webhooks are not running');
    return attempt(notice, { post, key, ed25519, clock, timeoutMs: options.timeout_ms }, signal);
  }

  const senders = new Map<string, Sender>(
    [...posts].map(([endpoint, post]) => [
      endpoint,
      createSender({
        outbox,
        endpoint,
        attempt: (notice, signal) => tryOnce(post, notice, signal),
        clock,
        random: Math.random,
        report: deps.report,
        onTrouble: deps.onTrouble,
      }),
    ]),
  );
  const wake = (ids: Iterable<string>): void => {
    for (const id of new Set(ids)) senders.get(id)?.wake();
  };
  const following = {
    ...deps,
    outbox,
    endpoints,
    onNotices: (notices: readonly NewNotice[]) => wake(notices.map(({ endpoint }) => endpoint)),
    onDropped: (texts: number) => deps.dropped('text', texts),
  };
  const followers = [followOutcomes(following), ...(deps.plans === undefined ? [] : [deps.plans, followPlans({ ...following, ends: deps.plans })])];
  const readKey = lifecycle(
    async () => {
      key = await deps.key();
    },
    () => undefined,
  );

  function known(id: string): WebhookEndpoint {
    const found = endpoints.find((endpoint) => endpoint.id === id);
    if (found === undefined) throw new WritError('NOT_FOUND', `there is no endpoint ${id}; there are: ${endpoints.map((one) => one.id).join(', ') || 'none'}`);
    return found;
  }

  return {
    // Without an endpoint nothing is opened, and no key is made.
    ...sequential(isUsed ? [outbox, readKey, ...senders.values(), ...followers, tending(outbox, deps, options.keep_s * 1000)] : []),

    async list() {
      const counts = isUsed ? await outbox.counts() : [];
      const of = (id: string) => counts.filter((one) => one.endpoint === id);
      const views = endpoints.map((endpoint) => ({ ...endpointView(endpoint, of(endpoint.id)), room_bytes: endpointBytes }));
      return { public_key: key === undefined ? '' : publicKeyText(key), endpoints: views };
    },

    notices: async (filter, { cursor, limit }) => (isUsed ? outbox.list(filter, cursor === undefined ? undefined : Number(cursor), limit) : { notices: [] }),

    async read(id) {
      const found = isUsed ? await outbox.read(id) : undefined;
      if (found === undefined) throw new WritError('NOT_FOUND', `there is no notice ${id}`);
      return found;
    },

    async resend(which) {
      if ('endpoint' in which) known(which.endpoint);
      if (!isUsed) return 'id' in which ? this.read(which.id).then(() => NOTHING) : NOTHING;
      const done = await sendAgain(which, { ...deps, outbox });
      wake(senders.keys());
      return done;
    },

    async test(endpoint) {
      known(endpoint);
      const at = clock.now();
      const notice = { id: noticeId(endpoint, { taskId: '', result: `${at} ${Math.random()}` }), body: testBody(endpoint, at) };
      const end = await tryOnce(posts.get(endpoint) as Post, notice, new AbortController().signal);
      if (end.kind === 'taken') return { endpoint, delivered: true };
      return { endpoint, delivered: false, problem: end.kind === 'gone' ? 'the receiver answered 410' : end.problem };
    },

    async want(wished, name, named) {
      if (named !== undefined && !mayName(known(named), name)) throw new WritError('FORBIDDEN', `the endpoint ${named} is not for this key`);
      const own = endpoints.filter(({ id, keys }) => keys.includes(name) || id === named).map(({ id }) => id);
      if (own.length > 0) await outbox.want(wished, own, clock.now() + WANTED_MS);
    },

    async ended(pushed) {
      if (isUsed && pushed.length > 0)
        await tellEnded(
          pushed.map((one) => ({ ...one, at: clock.now() })),
          following,
        );
    },
  };
}

/** Counts the notices and forgets old ones, from time to time. */
function tending(outbox: WebhookOutbox, { clock, counted, dropped, onTrouble }: WebhookDeps, keepMs: number): Lifecycle {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  async function tend(): Promise<void> {
    counted(await outbox.counts());
    let step = TRIM;
    // Small transactions, so that nobody waits for them for long.
    while (step >= TRIM) {
      const { trimmed, forgotten } = await outbox.trim(clock.now() - keepMs, clock.now(), TRIM);
      if (forgotten > 0) dropped('notice', forgotten);
      step = trimmed;
    }
  }
  return lifecycle(
    () => {
      timer = setInterval(() => {
        running = tend().catch(onTrouble);
      }, TEND_MS);
    },
    async () => {
      clearInterval(timer);
      await running;
    },
  );
}
