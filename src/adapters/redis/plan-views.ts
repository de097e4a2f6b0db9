import type { ChainableCommander } from 'ioredis';
import { z } from 'zod';
import { ApproverRole } from '../../contracts/index.ts';
import { type LedgerSettings, rowExpiry } from '../../core/ledger-life.ts';
import type { PlanView, PlanViews } from '../../core/ports/index.ts';
import { CANCEL_CHANNEL, planKey, recordedChannel, tagOf } from './keys.ts';
import type { CommandAnswer, RedisConnection } from './redis-connection.ts';
import { isWrongType, orNothing, redisCall } from './redis-error.ts';
import { withScripts } from './scripts.ts';

const Millis = z
  .string()
  .regex(/^\d{1,15}$/)
  .transform(Number);

/** Redis is not trusted: a field that is not as we write it counts as missing. */
const Fields = z.object({
  state: z.enum(['waiting', 'running', 'success', 'failure']).catch('waiting'),
  steps: z.coerce.number().int().min(0).catch(0),
  current: z.string().optional(),
  cancel: z.string().optional(),
  error: z.string().optional(),
  result: z.string().optional(),
  begins: Millis.optional().catch(undefined),
  updated: Millis.catch(0),
});
/** The end of the year 9999: later times have no ISO form of the usual length. */
const LATEST = 253_402_300_799_999;
const Current = z.object({
  path: z.string(),
  tool: z.string(),
  operation: z.string(),
  taskId: z.string().optional(),
  waits: z
    .discriminatedUnion('for', [
      z.object({ for: z.literal('retry'), until: z.int().min(0).max(LATEST) }),
      z.object({ for: z.literal('approval'), until: z.int().min(0).max(LATEST), role: ApproverRole }),
    ])
    .optional()
    .catch(undefined),
});
const PlanError = z.object({ code: z.string(), message: z.string() });

export interface PlanViewsOptions extends Pick<LedgerSettings, 'retentionMs'> {
  readonly redis: RedisConnection;
  /** Listens on a connection of its own; absent where nobody waits. */
  readonly listen?: (planId: string, listener: () => void) => Promise<() => Promise<void>>;
}

/** The plan views in Redis (docs/plan-protocol.md): one hash a plan, in the slot of its id. */
export function createRedisPlanViews({ redis: connection, retentionMs, listen }: PlanViewsOptions): PlanViews {
  const redis = withScripts(connection);
  return {
    read: (id) =>
      redisCall(async () => {
        const found = (await orNothing(redis.hgetall(planKey(id)))) ?? {};
        return Object.keys(found).length === 0 ? undefined : viewOf(id, found);
      }),
    show: (id, { generation, state, stepsDone, current, error, result }, exp, now) =>
      redisCall(async () => {
        const fields = [state, stepsDone, text(current), text(error), result ?? ''] as const;
        return (await redis.writShowPlan(planKey(id), generation, ...fields, now, rowExpiry(exp, now, { retentionMs }), ...signalOf(id))) === 1;
      }),
    open: (id, seen, beginsAt, now) =>
      redisCall(async () => {
        const seenEnd = seen?.state === 'success' || seen?.state === 'failure' ? seen.updated : '';
        const until = rowExpiry(beginsAt, now, { retentionMs });
        const begins = beginsAt * 1000 > now ? beginsAt * 1000 : '';
        return (await redis.writOpenPlan(planKey(id), seenEnd, seen?.stepsDone ?? 0, now, until, begins, ...signalOf(id))) === 1;
      }),
    requestCancel: (id, now) =>
      redisCall(async () => {
        const key = planKey(id);
        if ((await redis.exists(key)) === 0) return false;
        await change(redis, key, (told) =>
          told
            .hset(key, { cancel: '1', updated: now })
            .publish(recordedChannel(tagOf(id)), id)
            .publish(CANCEL_CHANNEL, id),
        );
        return true;
      }),
    clearCancel: (id) => redisCall(async () => void (await orNothing(redis.hdel(planKey(id), 'cancel', 'generation')))),
    onChange: async (id, listener) => (listen === undefined ? async () => undefined : listen(id, listener)),
  };
}

/** Where listeners are told of a plan, and of which. */
function signalOf(id: string): [channel: string, id: string] {
  return [recordedChannel(tagOf(id)), id];
}

/** All or nothing. A key that somebody has overwritten with something of another type is removed first: a view decides nothing. */
async function change(redis: RedisConnection, key: string, commands: (told: ChainableCommander) => ChainableCommander): Promise<readonly CommandAnswer[]> {
  const answers = (await commands(redis.multi()).exec()) ?? [];
  const error = answers.find(([failed]) => failed !== null)?.[0];
  if (!error) return answers;
  if (!isWrongType(error)) throw error;
  return (await commands(redis.multi().del(key)).exec()) ?? [];
}

const SMALL = ['state', 'steps', 'current', 'cancel', 'error', 'updated', 'begins'] as const;

/** A plan's view without its result, which may be large; for those who look at many. */
export function readPlanView(redis: RedisConnection, id: string): Promise<PlanView | undefined> {
  return redisCall(async () => {
    const values = (await orNothing(redis.hmget(planKey(id), ...SMALL))) ?? [];
    const found = SMALL.flatMap((name, at) => (typeof values[at] === 'string' ? [[name, values[at]] as const] : []));
    return found.length === 0 ? undefined : viewOf(id, Object.fromEntries(found));
  });
}

function viewOf(id: string, found: Record<string, string>): PlanView {
  const { state, steps, current, cancel, error, result, updated, begins } = Fields.parse(found);
  const at = read(Current, current);
  return {
    id,
    state,
    stepsDone: steps,
    current: at && { ...at, taskId: at.taskId },
    cancelRequested: cancel === '1',
    error: read(PlanError, error),
    result: result || undefined,
    updated,
    ...(state === 'waiting' && begins !== undefined && begins <= LATEST ? { notBefore: begins } : {}),
  };
}

function text(value: object | undefined): string {
  return value === undefined ? '' : JSON.stringify(value);
}

function read<Schema extends z.ZodType>(schema: Schema, json: string | undefined): z.infer<Schema> | undefined {
  if (json === undefined || json === '') return undefined;
  try {
    return schema.safeParse(JSON.parse(json)).data;
  } catch {
    return undefined;
  }
}
