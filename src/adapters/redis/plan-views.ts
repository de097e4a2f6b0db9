import { z } from 'zod';
import { type LedgerSettings, rowExpiry } from '../../core/ledger-life.ts';
import type { PlanView, PlanViews } from '../../core/ports/index.ts';
import { planKey, recordedChannel, tagOf } from './keys.ts';
import type { RedisConnection } from './redis-connection.ts';
import { redisCall } from './redis-error.ts';

/** Years that RFC 3339 can write. */
const LAST_MS = Date.UTC(9999, 11, 31, 23, 59, 59);

/** Redis is not trusted: a field that is not as we write it counts as missing. */
const Fields = z.object({
  state: z.enum(['waiting', 'running', 'success', 'failure']).catch('waiting'),
  steps: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).catch(0),
  current: z.string().optional(),
  cancel: z.string().optional(),
  error: z.string().optional(),
  result: z.string().optional(),
  updated: z.coerce.number().int().min(0).max(LAST_MS).catch(0),
});
const Current = z.object({ path: z.string(), tool: z.string(), operation: z.string(), taskId: z.string().optional() });
const PlanError = z.object({ code: z.string(), message: z.string() });

export interface PlanViewsOptions extends Pick<LedgerSettings, 'retentionMs'> {
  readonly redis: RedisConnection;
  /** Listens on a connection of its own; absent where nobody waits. */
  readonly listen?: (planId: string, listener: () => void) => Promise<() => Promise<void>>;
}

/** The plan views in Redis (docs/plan-protocol.md): one hash a plan, in the slot of its id. */
export function createRedisPlanViews({ redis, retentionMs, listen }: PlanViewsOptions): PlanViews {
  return {
    read: (id) =>
      redisCall(async () => {
        const found = await unlessOtherType(redis.hgetall(planKey(id)), {});
        return Object.keys(found).length === 0 ? undefined : viewOf(id, found);
      }),
    show: (id, { state, stepsDone, current, error, result }, exp, now) =>
      redisCall(async () => {
        const key = planKey(id);
        const fields = { state, steps: stepsDone, current: text(current), error: text(error), result: result ?? '', updated: now };
        const told = redis
          .multi()
          .hset(key, fields)
          .pexpireat(key, rowExpiry(exp, now, { retentionMs }))
          .publish(recordedChannel(tagOf(id)), id);
        const [written] = (await told.exec()) ?? [];
        if (!isOtherType(written?.[0])) return;
        // Somebody else wrote a key of another type; it is as good as none.
        await redis
          .multi()
          .del(key)
          .hset(key, fields)
          .pexpireat(key, rowExpiry(exp, now, { retentionMs }))
          .exec();
      }),
    requestCancel: (id, now) =>
      redisCall(async () => {
        const key = planKey(id);
        if ((await redis.type(key)) !== 'hash') return false;
        await redis
          .multi()
          .hset(key, { cancel: '1', updated: now })
          .publish(recordedChannel(tagOf(id)), id)
          .exec();
        return true;
      }),
    clearCancel: (id) => redisCall(async () => void (await unlessOtherType(redis.hdel(planKey(id), 'cancel'), 0))),
    onChange: async (id, listener) => (listen === undefined ? async () => undefined : listen(id, listener)),
  };
}

const SMALL = ['state', 'steps', 'current', 'cancel', 'error', 'updated'] as const;

/** A plan's view without its result, which may be large; for those who look at many. */
export function readPlanView(redis: RedisConnection, id: string): Promise<PlanView | undefined> {
  return redisCall(async () => {
    const values = await unlessOtherType(redis.hmget(planKey(id), ...SMALL), []);
    const found = SMALL.flatMap((name, at) => (typeof values[at] === 'string' ? [[name, values[at]] as const] : []));
    return found.length === 0 ? undefined : viewOf(id, Object.fromEntries(found));
  });
}

/** What a key of another type holds is none of ours. */
async function unlessOtherType<T>(reply: Promise<T>, none: T): Promise<T> {
  try {
    return await reply;
  } catch (error) {
    if (isOtherType(error)) return none;
    throw error;
  }
}

function isOtherType(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('WRONGTYPE');
}

function viewOf(id: string, found: Record<string, string>): PlanView {
  const { state, steps, current, cancel, error, result, updated } = Fields.parse(found);
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
