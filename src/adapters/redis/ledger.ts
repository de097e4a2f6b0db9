import { Redis } from 'ioredis';
import { isWritError, WritError } from '../../core/errors.ts';
import { checkedResult, KEEP_MS, type LedgerSettings } from '../../core/ledger-life.ts';
import type { ClaimAnswer, ClaimRequest, FinishedTask, Ledger, RecordAnswer, RecordRequest, TaskRow, TaskState } from '../../core/ports/index.ts';
import { ALL_TAGS, CANCEL_CHANNEL, generationKey, parkedKey, recordedChannel, refusedKey, rowKey, tagOf } from './keys.ts';
import { isAnyThere, type RedisConnection } from './redis-connection.ts';
import { orNothing, redisCall } from './redis-error.ts';
import { type ClaimReply, withScripts } from './scripts.ts';
import { callTogether } from './together.ts';

/**
 * The ledger in Redis: one Lua script per operation, semantics in `docs/protocol.md` sections 1 and 2.
 *
 * @param connection the ledger's own; never shared with BullMQ
 * @throws WritError REDIS_UNAVAILABLE, REDIS_FULL, from every operation
 */
export function createRedisLedger(connection: RedisConnection, { retentionMs, refusedMs = KEEP_MS }: LedgerSettings): Ledger {
  const redis = withScripts(connection);
  // The rows of several tasks lie in several slots of a cluster.
  const bounds = { max: connection instanceof Redis ? MAX_TOGETHER : 1, maxWeight: MAX_TOGETHER_CHARS, mayBeOnes: isRefused };
  const claim = callTogether<ClaimRequest, ClaimAnswer>({ ...bounds, weight: () => 0 }, (requests) => redisCall(() => claimAll(redis, requests, retentionMs)));
  const record = callTogether<RecordRequest, RecordAnswer>({ ...bounds, weight: ({ result }) => result.length }, (requests) =>
    redisCall(() => recordAll(redis, requests, retentionMs)),
  );
  return {
    claim,
    record: async (request) => {
      checkedResult(request.result);
      return record(request);
    },
    release: (taskId, epoch, why, owner = '') => redisCall(async () => void (await redis.writRelease(rowKey(taskId), epoch, flag(why === 'crashed'), owner))),
    refuse: (taskId, jobKey, result) =>
      redisCall(
        async () => void (await redis.writRefuse(refusedKey(taskId, jobKey), checkedResult(result), refusedMs, recordedChannel(tagOf(taskId)), taskId)),
      ),
    refusal: (taskId, jobKey) => redisCall(async () => (await orNothing(redis.get(refusedKey(taskId, jobKey)))) || undefined),
    cancel: (taskId, now) =>
      redisCall(async () => ((await redis.writCancel(rowKey(taskId), now, retentionMs, KEEP_MS, CANCEL_CHANNEL, taskId)) === 0 ? 'done' : 'requested')),
    clearCancel: (taskId, now) => redisCall(async () => void (await redis.writClearCancel(rowKey(taskId), now))),
    row: (taskId) => redisCall(async () => readRow(await orNothing(redis.hgetall(rowKey(taskId))))),
    knowsAny: (taskIds) =>
      redisCall(() =>
        isAnyThere(
          connection,
          taskIds.map((taskId) => rowKey(taskId)),
        ),
      ),
    discard: (taskId, result) => redisCall(async () => void (await redis.writDiscard(rowKey(taskId), result))),
    restore: (rows, now) => redisCall(async () => void (await Promise.all(rows.map((row) => restore(redis, row, now, retentionMs))))),
    park: (id, jobKey, started, now) => redisCall(() => redis.writPark(parkedKey(id), jobKey, started, now + KEEP_MS)),
    unpark: (id, jobKey, started) => redisCall(async () => (await redis.writUnpark(parkedKey(id), jobKey, started)) === 1),
    parked: (id) => parkedJobs(connection, parkedKey(id)),
    markGeneration: (generation) => redisCall(async () => void (await Promise.all(ALL_TAGS.map((tag) => redis.set(generationKey(tag), generation, 'NX'))))),
  };
}

type Scripted = ReturnType<typeof withScripts>;

function flag(set: boolean | undefined): '0' | '1' {
  return set === true ? '1' : '0';
}

const PARKED_PAGE = 500;

async function* parkedJobs(redis: RedisConnection, key: string): AsyncGenerator<readonly string[]> {
  let cursor = '0';
  do {
    const [next, pairs] = (await redisCall(() => orNothing(redis.hscan(key, cursor, 'COUNT', PARKED_PAGE)))) ?? ['0', []];
    cursor = next;
    const jobKeys = pairs.filter((_, at) => at % 2 === 0);
    if (jobKeys.length > 0) yield jobKeys;
  } while (cursor !== '0');
}

/** Tasks that one call claims or records, during which Redis serves nobody else: some 10 µs each. */
const MAX_TOGETHER = 64;
/** Results of one call, UTF-16 units. */
const MAX_TOGETHER_CHARS = 256 * 1024;

/** The server has answered, and refused what was asked: it may be the fault of one task. */
function isRefused(error: unknown): boolean {
  return isWritError(error) && error.code === 'INTERNAL';
}

async function claimAll(redis: Scripted, requests: readonly ClaimRequest[], retentionMs: number): Promise<readonly ClaimAnswer[]> {
  const keys: string[] = [];
  const args: (string | number)[] = [retentionMs, KEEP_MS];
  for (const { taskId, manifestSha256, jobKey, instance, exp, now, deadInstance = '', look, waited, isStep, wish = '' } of requests) {
    const tag = tagOf(taskId);
    keys.push(rowKey(taskId, tag), generationKey(tag));
    args.push(manifestSha256, jobKey, instance, exp, now, deadInstance, flag(look), isStep ? '2' : flag(waited), wish);
  }
  return (await redis.writClaims(keys.length, ...keys, ...args)).map(claimAnswer);
}

function claimAnswer(reply: ClaimReply): ClaimAnswer {
  const answer = CLAIM_ANSWERS[reply[0]];
  if (!answer) throw new WritError('INTERNAL', `claims-n.lua answered code ${reply[0]}`);
  return answer(reply);
}

/** Codes of `claims-n.lua`. */
const CLAIM_ANSWERS: Readonly<Record<number, (reply: ClaimReply) => ClaimAnswer>> = {
  0: () => ({ kind: 'lost' }),
  1: ([, epoch, crashes]) => ({ kind: 'new', epoch: Number(epoch), ...counted(crashes) }),
  2: ([, epoch, crashes, takeovers]) => ({ kind: 'takeover', epoch: Number(epoch), takeovers: Number(takeovers), ...counted(crashes) }),
  3: ([, result]) => ({ kind: 'finished', result: String(result ?? '') }),
  4: () => ({ kind: 'conflict' }),
  5: ([, owner]) => ({ kind: 'busy', owner: String(owner ?? '') }),
  6: ([, epoch]) => ({ kind: 'cancelled', epoch: Number(epoch) }),
  7: ([, result]) => ({ kind: 'failed', result: String(result ?? '') }),
};

function counted(crashes: number | undefined): { readonly crashes?: number } {
  return crashes === undefined || crashes === 0 ? {} : { crashes };
}

async function recordAll(redis: Scripted, requests: readonly RecordRequest[], retentionMs: number): Promise<readonly RecordAnswer[]> {
  const keys: string[] = [];
  const args: (string | number)[] = [retentionMs, KEEP_MS];
  for (const { taskId, epoch, owner = '', status, errorCode = '', result, now, wish = '', goesOn } of requests) {
    const tag = tagOf(taskId);
    keys.push(rowKey(taskId, tag), generationKey(tag), parkedKey(taskId, tag));
    args.push(epoch, status === 'SUCCESS' ? 'success' : 'failure', errorCode, result, now, recordedChannel(tag), taskId, owner, wish, flag(goesOn));
  }
  return (await redis.writRecords(keys.length, ...keys, ...args)).map(recordAnswer);
}

function recordAnswer(code: number): RecordAnswer {
  const answer = RECORD_ANSWERS[code];
  if (!answer) throw new WritError('INTERNAL', `records-n.lua answered code ${code}`);
  return answer;
}

/** Codes of `records-n.lua`. */
const RECORD_ANSWERS: Readonly<Record<number, RecordAnswer>> = { 0: 'lost', 1: 'stale', 2: 'recorded', 3: 'awaited' };

function restore(redis: Scripted, { taskId, manifestSha256, result, exp }: FinishedTask, now: number, retentionMs: number): Promise<number> {
  return redis.writRestore(rowKey(taskId), manifestSha256, checkedResult(result), exp, now, retentionMs, KEEP_MS);
}

const STATES: ReadonlySet<string> = new Set<TaskState>(['waiting', 'running', 'success', 'failure']);

const SHA256 = /^[0-9a-f]{64}$/i;
const COUNTS = ['epoch', 'takeovers', 'exp', 'crashes'] as const;

/**
 * `undefined` for no row; `damaged` for one that we never write, by the rule of `row.lua`. A result in it counts for who reads, when
 * it is signed; to a claim it is no row.
 *
 * @param hash undefined: a key of another type
 */
function readRow(hash: Readonly<Record<string, string>> | undefined): TaskRow | undefined {
  if (hash !== undefined && Object.keys(hash).length === 0) return undefined;
  const { state = '', sha = '', owner = '', job = '', ...rest } = hash ?? {};
  const isOurs = isState(state) && (state === 'waiting' ? /^$/ : SHA256).test(sha) && COUNTS.every((name) => /^\d+$/.test(hash?.[name] ?? '0'));
  return {
    state: isOurs ? state : 'damaged',
    manifestSha256: sha,
    epoch: whole(rest['epoch']),
    takeovers: whole(rest['takeovers']),
    crashes: whole(rest['crashes']),
    owner,
    jobKey: job,
    exp: whole(rest['exp']),
    cancelRequested: rest['cancel'] === '1',
    errorCode: rest['code'] || undefined,
    result: rest['result'],
    updated: whole(rest['updated']),
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
