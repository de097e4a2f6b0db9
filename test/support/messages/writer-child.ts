import { messageWriter } from '../../../processors/message-writer.ts';
import type { LockTimes } from '../../../queues/catalog.ts';
import { connected, createConnection } from '../../../queues/connection.ts';
import { createMessageLane } from '../../../queues/message-lane.ts';
import type { ServerTarget } from '../../../src/adapters/redis/target.ts';
import { createMessageStore } from '../../../src/messages/store/store.ts';

/** The writer of messages in a process that a test may kill; each commit is a line. */
const { target, pool, file, locks } = JSON.parse(process.argv[2] ?? '') as { target: ServerTarget; pool: string; file: string; locks: LockTimes };
const [connection, worker] = await Promise.all([connected(createConnection(target, 'producer')), connected(createConnection(target, 'worker'))]);
const lane = createMessageLane({ pool, connection, worker, newId: () => 'unused', now: Date.now, locks });
const store = createMessageStore({ file, batchOps: 100, onCommit: ({ documents }) => process.stdout.write(`${documents}\n`) });
await messageWriter({ lane, store, onDone: () => undefined, onStandBy: (error) => process.stderr.write(`${error}\n`) }).start();
