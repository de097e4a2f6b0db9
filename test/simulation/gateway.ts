import { createEnqueue } from '../../queues/enqueue.ts';
import type { ResultReader, TaskGateway } from '../../src/core/ports/index.ts';
import type { Parts } from './parts.ts';
import type { SimProcess } from './scheduler.ts';
import { fileJournalOf } from './twins/stores.ts';
import { remote } from './world.ts';

/** The one way in which a process of the host pushes tasks and looks them up. */
export function gatewayFor({ world, host, redis }: Pick<Parts, 'world' | 'host' | 'redis'>, process: SimProcess, results: ResultReader): TaskGateway {
  const ledger = remote(world, process, 'redis', 'ledger', redis.ledger);
  const enqueue = createEnqueue({
    connection: redis.connectionFor(process),
    open: (name) => redis.queueFor(process, name),
    ledger,
    results,
    clock: process.clock,
    pool: 'default',
    providers: ['sim'],
  });
  return { enqueue, ledger, results, signals: { onRecorded: async () => async () => undefined }, journal: fileJournalOf(host.stores.file, process) };
}
