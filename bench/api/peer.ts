import { readFileSync } from 'node:fs';
import { Queue } from 'bullmq';
import { jobOptions } from '../../queues/catalog.ts';
import { createConnection } from '../../queues/connection.ts';
import type { RedisTarget } from '../../src/adapters/redis/target.ts';
import type { TaskJob } from '../../src/contracts/index.ts';

/** Bare BullMQ: the same tasks, parsed already, by `addBulk` into a queue that no task index follows. */
export interface PeerSetup {
  readonly target: RedisTarget;
  readonly file: string;
  readonly prefix: string;
  readonly queue: string;
}
export interface PeerWish {
  readonly tasks: number;
}
export interface PeerReport {
  readonly ms: number;
}

/** Jobs of one `addBulk`: the same as Writ's own largest. */
const CHUNK = 500;

const { target, file, prefix, queue: name } = JSON.parse(process.argv[2] ?? '') as PeerSetup;
const jobs = readFileSync(file, 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as TaskJob)
  .map((data) => ({ name: data.manifest.capability_id, data, opts: jobOptions(`t_${data.manifest.task_id}`, 1) }));
const queue = new Queue<TaskJob>(name, { connection: createConnection(target, 'producer'), prefix });

process.on('message', (wish: PeerWish) => void serve(wish));

process.on('SIGTERM', () => process.exit(0));
process.once('disconnect', () => process.exit(0));
await queue.waitUntilReady();
process.send?.('ready');

async function serve({ tasks }: PeerWish): Promise<void> {
  const start = performance.now();
  for (let at = 0; at < tasks; at += CHUNK) await queue.addBulk(jobs.slice(at, Math.min(at + CHUNK, tasks)));
  process.send?.({ ms: performance.now() - start } satisfies PeerReport);
}
