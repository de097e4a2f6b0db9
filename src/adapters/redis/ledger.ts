import { Redis } from 'ioredis';
import { WritError } from '../../core/errors.ts';
import { checkedResult, KEEP_MS, type LedgerSettings } from '../../core/ledger-life.ts';
import type { ClaimAnswer, ClaimRequest, FinishedTask, Ledger, RecordAnswer, RecordRequest, TaskRow, TaskState } from '../../core/ports/index.ts';
import { ALL_TAGS, CANCEL_CHANNEL, generationKey, recordedChannel, refusedKey, rowKey, tagOf } from './keys.ts';
import type { RedisConnection } from './redis-connection.ts';
import { redisCall } from './redis-error.ts';
import { type ClaimReply, withScripts } from './scripts.ts';

/**
 * The ledger in Redis: one Lua script per operation, semantics in `docs/protocol.md` sections 1 and 2.
 *
 * @param connection the ledger's own; never shared with BullMQ
 * @throws WritError REDIS_UNAVAILABLE, REDIS_FULL, from every operation
 */
export function createRedisLedger(connection: RedisConnection, { retentionMs, refusedMs = KEEP_MS }: LedgerSettings): Ledger {
  const redis = withScripts(connection);
  const together = writeTogether(connection);
  const call = <T>(command: () => Promise<T>): Promise<T> => {
    together();
    return redisCall(command);
  };
  return {
    claim: (request) => call(() => claim(redis, request, retentionMs)),
    record: (request) => call(() => record(redis, request, retentionMs)),
    release: (taskId, epoch) => call(async () => void (await redis.writRelease(rowKey(taskId), epoch))),
    refuse: (taskId, jobKey, result) =>
      call(async () => void (await redis.writRefuse(refusedKey(taskId, jobKey), checkedResult(result), refusedMs, recordedChannel(tagOf(taskId)), taskId))),
    refusal: (taskId, jobKey) => call(async () => (await unlessOtherType(redis.get(refusedKey(taskId, jobKey)))) || undefined),
    cancel: (taskId, now) =>
      call(async () => ((await redis.writCancel(rowKey(taskId), now, retentionMs, KEEP_MS, CANCEL_CHANNEL, taskId)) === 0 ? 'done' : 'requested')),
    clearCancel: (taskId, now) => call(async () => void (await redis.writClearCancel(rowKey(taskId), now))),
    row: (taskId) => call(async () => readRow(await unlessOtherType(redis.hgetall(rowKey(taskId))))),
    discard: (taskId, result) => call(async () => void (await redis.writDiscard(rowKey(taskId), result))),
    restore: (rows, now) => call(async () => void (await Promise.all(rows.map((row) => restore(redis, row, now, retentionMs))))),
    markGeneration: (generation) => call(async () => void (await Promise.all(ALL_TAGS.map((tag) => redis.set(generationKey(tag), generation, 'NX'))))),
  };
}

type Scripted = ReturnType<typeof withScripts>;

async function claim(redis: Scripted, request: ClaimRequest, retentionMs: number): Promise<ClaimAnswer> {
  const { taskId, manifestSha256, jobKey, instance, exp, now, deadInstance = '' } = request;
  const tag = tagOf(taskId);
  const reply = await redis.writClaim(rowKey(taskId, tag), generationKey(tag), manifestSha256, jobKey, instance, exp, now, deadInstance, retentionMs, KEEP_MS);
  const answer = CLAIM_ANSWERS[reply[0]];
  if (!answer) throw new WritError('INTERNAL', `claim-2.lua answered code ${reply[0]}`);
  return answer(reply);
}

/** Codes of `claim-2.lua`. */
const CLAIM_ANSWERS: Readonly<Record<number, (reply: ClaimReply) => ClaimAnswer>> = {
  0: () => ({ kind: 'lost' }),
  1: ([, epoch]) => ({ kind: 'new', epoch: Number(epoch) }),
  2: ([, epoch, takeovers]) => ({ kind: 'takeover', epoch: Number(epoch), takeovers: Number(takeovers) }),
  3: ([, result]) => ({ kind: 'finished', result: String(result ?? '') }),
  4: () => ({ kind: 'conflict' }),
  5: ([, owner]) => ({ kind: 'busy', owner: String(owner ?? '') }),
  6: ([, epoch]) => ({ kind: 'cancelled', epoch: Number(epoch) }),
};

async function record(redis: Scripted, request: RecordRequest, retentionMs: number): Promise<RecordAnswer> {
  const { taskId, epoch, status, errorCode = '', result, now } = request;
  const tag = tagOf(taskId);
  const code = await redis.writRecord(
    rowKey(taskId, tag),
    generationKey(tag),
    epoch,
    status === 'SUCCESS' ? 'success' : 'failure',
    errorCode,
    checkedResult(result),
    now,
    retentionMs,
    KEEP_MS,
    recordedChannel(tag),
    taskId,
  );
  const answer = RECORD_ANSWERS[code];
  if (!answer) throw new WritError('INTERNAL', `record-2.lua answered code ${code}`);
  return answer;
}

/** Codes of `record-2.lua`. */
const RECORD_ANSWERS: Readonly<Record<number, RecordAnswer>> = { 0: 'lost', 1: 'stale', 2: 'recorded' };

function restore(redis: Scripted, { taskId, manifestSha256, result, exp }: FinishedTask, now: number, retentionMs: number): Promise<number> {
  return redis.writRestore(rowKey(taskId), manifestSha256, checkedResult(result), exp, now, retentionMs, KEEP_MS);
}

/** `OTHER_TYPE`: the key holds something that is none of ours. Throws what Redis throws otherwise. */
async function unlessOtherType<T>(reply: Promise<T>): Promise<T | typeof OTHER_TYPE> {
  try {
    return await reply;
  } catch (error) {
    if (error instanceof Error && error.message.startsWith('WRONGTYPE')) return OTHER_TYPE;
    throw error;
  }
}

const OTHER_TYPE = '';

const STATES: ReadonlySet<string> = new Set<TaskState>(['waiting', 'running', 'success', 'failure']);

/** `undefined` for no row; `damaged` where no worker can have written it. */
function readRow(hash: Readonly<Record<string, string>> | typeof OTHER_TYPE): TaskRow | undefined {
  const fields = hash === OTHER_TYPE ? {} : hash;
  if (hash !== OTHER_TYPE && Object.keys(hash).length === 0) return undefined;
  const state = fields['state'] ?? '';
  return {
    state: isState(state) ? state : 'damaged',
    manifestSha256: fields['sha'] ?? '',
    epoch: whole(fields['epoch']),
    takeovers: whole(fields['takeovers']),
    owner: fields['owner'] ?? '',
    jobKey: fields['job'] ?? '',
    exp: whole(fields['exp']),
    cancelRequested: fields['cancel'] === '1',
    errorCode: fields['code'] || undefined,
    result: fields['result'],
    updated: whole(fields['updated']),
  };
}

/** A number that no worker has written counts as 0. */
function whole(text: string | undefined): number {
  const number = Number(text ?? 0);
  return Number.isSafeInteger(number) && number >= 0 ? number : 0;
}

function isState(text: string): text is TaskState {
  return STATES.has(text);
}

/**
 * Returns a function to call before each command: the commands of one tick then leave in one write. Concurrent jobs
 * resume together when a reply arrives, so their next calls share a system call on both sides. Measured against
 * ioredis' own auto-pipelining, which costs more bookkeeping and a turn of the event loop (see docs/decisions/queues.md). The
 * connections of a cluster are ioredis' own affair: nothing is held back there.
 */
function writeTogether(redis: RedisConnection): () => void {
  let holding = false;
  return () => {
    if (holding || !(redis instanceof Redis) || redis.status !== 'ready') return;
    const { stream } = redis;
    holding = true;
    stream.cork();
    process.nextTick(() => {
      holding = false;
      stream.uncork();
    });
  };
}
