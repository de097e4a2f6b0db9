import { connected, createConnection } from '../../queues/connection.ts';
import { createTaskIndex } from '../../src/adapters/sqlite/task-index/task-index.ts';
import { fastFeed } from './task-feed.ts';

/** A process that feeds an index until it is killed: `node --import tsx task-feed-child.ts <index file> <redis target as JSON>`. */
const [file = '', target = ''] = process.argv.slice(2);
const index = createTaskIndex({ file, maxTasks: 1_000_000 });
await index.start();
const connection = await connected(createConnection(JSON.parse(target), 'ledger'));
await fastFeed(connection, index).start();
process.stdout.write('feeding\n');
setInterval(() => process.stdout.write(`${index.health().tasks}\n`), 5);
