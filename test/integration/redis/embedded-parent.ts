import { createEmbeddedRedis } from '../../../src/adapters/redis/embedded.ts';

/** A process that starts an embedded Redis and then waits to be killed; prints the server's pid. */
const embedded = createEmbeddedRedis({ directory: process.argv[2] ?? '', restart: false });
await embedded.start();
process.stdout.write(`${embedded.pid()}\n`);
setInterval(() => undefined, 60_000);
