import { QUEUE_PREFIX } from '../../../queues/catalog.ts';
import type { ConnectionKind } from '../../../queues/connection.ts';
import { createEnqueue } from '../../../queues/enqueue.ts';
import { openQueue } from '../../../queues/open-queue.ts';
import { createRedisLedger } from '../../../src/adapters/redis/ledger.ts';
import type { RedisConnection } from '../../../src/adapters/redis/redis-connection.ts';
import { redisCall } from '../../../src/adapters/redis/redis-error.ts';
import { createRedisSignals } from '../../../src/adapters/redis/signals.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { isWritError } from '../../../src/core/errors.ts';
import { deferred } from '../../conformance/deferred.ts';
import { noResults } from '../../support/results.ts';
import { taskJob } from './fixture.ts';

/** What a connection of each kind is used for. */
export const USES: Readonly<Record<ConnectionKind, (connection: RedisConnection) => { call(): Promise<unknown>; close?(): Promise<void> }>> = {
  producer(connection) {
    const ledger = createRedisLedger(connection, { retentionMs: 60_000 });
    const enqueue = createEnqueue({ connection, ledger, results: noResults, clock: systemClock, pool: 'default' });
    return { call: () => enqueue.push(taskJob(nextTask())), close: () => enqueue.close() };
  },
  ledger(connection) {
    const ledger = createRedisLedger(connection, { retentionMs: 60_000 });
    // INFO is written before the connection is ready, as its own look is; a lost one is not sent again.
    return { call: () => Promise.all([ledger.cancel(nextTask(), 1), redisCall(() => connection.info('server'))]) };
  },
  worker(connection) {
    const queue = openQueue('file@default', QUEUE_PREFIX, connection);
    return { call: () => redisCall(() => queue.add('FILE_MOVE', {})), close: () => queue.close() };
  },
  subscriber(connection) {
    const signals = createRedisSignals(connection);
    return { call: () => signals.onCancel(() => undefined) };
  },
};

let tasks = 0;
function nextTask(): string {
  tasks += 1;
  return `t${tasks}`;
}

/** Not `once` of node:events: the errors that come before are expected. */
export function endOf(connection: RedisConnection): Promise<void> {
  return new Promise((settle) => void connection.on('end', settle));
}

export function lost(connection: RedisConnection, times: number): Promise<void> {
  const { promise, resolve } = deferred();
  let count = 0;
  connection.on('reconnecting', () => {
    count += 1;
    if (count === times) resolve();
  });
  return promise;
}

export function unavailable(error: unknown): 'unavailable' {
  if (isWritError(error) && error.code === 'REDIS_UNAVAILABLE') return 'unavailable';
  throw error;
}
