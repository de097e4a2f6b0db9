import type { Redis } from 'ioredis';
import { generationKey, rowKey } from '../src/adapters/redis/keys.ts';
import { masters, type RedisConnection, replies } from '../src/adapters/redis/redis-connection.ts';
import { type ExecutionResult, TASK_ID_PATTERN } from '../src/contracts/index.ts';
import { MAX_RESULT_BYTES } from '../src/core/ledger-life.ts';
import type { IndexedTask, ResultReader } from '../src/core/ports/index.ts';
import { queueOf } from './catalog.ts';
import { MAX_LENGTHS, objectOf, shown, timeOf } from './task-feed-text.ts';

/** What the ledger proves about a task that has ended; `open`: it has a row, but no outcome that a trusted executor has signed. */
export type LedgerLook = { readonly kind: 'none' } | { readonly kind: 'open' } | ({ readonly kind: 'ended' } & LedgerOutcome);

export interface LedgerOutcome {
  readonly state: 'success' | 'failure';
  readonly errorCode: string | undefined;
  /** The one that was signed: a FAILURE does not name it. */
  readonly capabilityId: string;
  /** The recorded result; its signature was verified. */
  readonly result: ExecutionResult;
  readonly updatedAt: number | undefined;
  readonly leaseExpiresAt: number | undefined;
}

/** Bytes of results that may be on their way at once. */
const MAX_BYTES = 8 * 1024 * 1024;

/** The rows of these tasks, in their order. Their results are weighed first: one that no ledger of ours would keep is not fetched. */
export async function readLedger(redis: RedisConnection, results: ResultReader, taskIds: readonly string[]): Promise<readonly LedgerLook[]> {
  const lengths = await replies(
    redis,
    taskIds.map((taskId) => ['hstrlen', rowKey(taskId), 'result']),
  );
  const looks: LedgerLook[] = [];
  for (const portion of portionsOf(lengths.map(Number))) {
    const rows = await replies(
      redis,
      portion.map((at) => ['hmget', rowKey(taskIds[at] ?? ''), 'state', 'sha', Number(lengths[at]) > MAX_RESULT_BYTES ? '' : 'result', 'exp', 'updated']),
    );
    // All at once, so that the crypto threads get one batch.
    looks.push(...(await Promise.all(rows.map((row, at) => lookOf(row, taskIds[portion[at] ?? -1] ?? '', results)))));
  }
  return looks;
}

/** Places in order, cut where a portion would have too many bytes. */
function* portionsOf(lengths: readonly number[]): Generator<readonly number[]> {
  let portion: number[] = [];
  let bytes = 0;
  for (const [at, length] of lengths.entries()) {
    const weight = length > MAX_RESULT_BYTES ? 0 : length || 0;
    if (portion.length > 0 && bytes + weight > MAX_BYTES) {
      yield portion;
      [portion, bytes] = [[], 0];
    }
    portion.push(at);
    bytes += weight;
  }
  if (portion.length > 0) yield portion;
}

async function lookOf(reply: unknown, taskId: string, results: ResultReader): Promise<LedgerLook> {
  const [state, sha, result, exp, updated] = Array.isArray(reply) ? reply.map((value) => (typeof value === 'string' ? value : undefined)) : [];
  if (state === undefined) return { kind: 'none' };
  const genuine = result === undefined || sha === undefined ? undefined : await results.read(result, { taskId, manifestSha256s: [sha] });
  if (genuine === undefined) return { kind: 'open' };
  const { outcome, capabilityId } = genuine;
  // A row that waits or runs again still holds the FAILURE before.
  if (outcome.status === 'FAILURE' && (state === 'waiting' || state === 'running')) return { kind: 'open' };
  return {
    kind: 'ended',
    state: outcome.status === 'SUCCESS' ? 'success' : 'failure',
    errorCode: shown(outcome.error?.error_code, MAX_LENGTHS.code),
    result: outcome,
    capabilityId,
    updatedAt: timeOf(updated),
    leaseExpiresAt: exp === undefined || exp === '0' ? undefined : timeOf(`${exp}000`),
  };
}

/**
 * The row of a task that only the ledger remembers. Its capability is the one that was signed; paths come from the output of its result, so a
 * FAILURE has none, unless the index knew the job before.
 */
export function taskOfLedger(
  taskId: string,
  outcome: LedgerOutcome,
  known: IndexedTask | undefined,
  { pool, seenAt }: { pool: string; seenAt: number },
): IndexedTask {
  const { output: told, error } = outcome.result;
  const output = objectOf(told);
  const summary = objectOf(output['result_summary']);
  const { capabilityId } = outcome;
  const updatedAt = outcome.updatedAt ?? known?.updatedAt ?? seenAt;
  return {
    queue: known?.queue ?? queueOf(capabilityId, pool),
    jobId: known?.jobId ?? `t_${taskId}`,
    taskId,
    capabilityId,
    state: outcome.state,
    errorCode: outcome.errorCode,
    message: shown(error?.message, MAX_LENGTHS.message),
    sourcePath: known?.sourcePath ?? shown(summary['source'], MAX_LENGTHS.path),
    destinationPath: known?.destinationPath ?? shown(summary['destination'], MAX_LENGTHS.path),
    plan: known?.plan,
    attempts: known?.attempts ?? 1,
    submittedAt: known?.submittedAt ?? updatedAt,
    updatedAt,
    leaseExpiresAt: known?.leaseExpiresAt ?? outcome.leaseExpiresAt,
    seenAt,
  };
}

const SCAN_COUNT = 1000;

/** The task ids of all rows of the ledger, page by page; some may come twice. */
export async function* scanLedger(redis: RedisConnection): AsyncGenerator<readonly string[]> {
  for (const server of masters(redis)) yield* scanServer(server);
}

async function* scanServer(redis: Redis): AsyncGenerator<readonly string[]> {
  let cursor = '0';
  do {
    const [next, keys] = await redis.scan(cursor, 'MATCH', '{wl-*}:task:*', 'COUNT', SCAN_COUNT);
    cursor = next;
    const taskIds = keys.map((key) => key.slice(key.indexOf(':task:') + ':task:'.length)).filter((taskId) => TASK_ID_PATTERN.test(taskId));
    if (taskIds.length > 0) yield taskIds;
  } while (cursor !== '0');
}

/** Name of the ledger's present content; it changes after a loss, before the first row is written back. */
export async function ledgerGeneration(redis: RedisConnection): Promise<string | undefined> {
  return (await redis.get(generationKey('00'))) ?? undefined;
}
