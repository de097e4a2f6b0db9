import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'bullmq';
import { ConfigSchema } from '../../config/schema.ts';
import { createWorkerHealth } from '../../processors/worker-health.ts';
import { LOCK_TIMES, QUEUE_PREFIX, workerOptions } from '../../queues/catalog.ts';
import { createConnection } from '../../queues/connection.ts';
import { createInstanceRegistry } from '../../src/adapters/linux/instances.ts';
import type { RedisTarget } from '../../src/adapters/redis/target.ts';
import { wirePipeline } from '../../src/bin/roles/wire-pipeline.ts';
import { type Lifecycle, lifecycle, sequential } from '../../src/core/lifecycle.ts';
import { failure, success } from '../../src/core/outcome.ts';
import { dataDirPaths } from '../../src/data-dir/paths.ts';
import { createLogger } from '../../src/observability/logging.ts';
import { createMetrics } from '../../src/observability/metrics.ts';
import { NOOP } from './site.ts';

/**
 * One worker process of either side. It gets ready, says so, starts to work on the word `go`, and tells how long the
 * preloaded queue took and which CPU it used.
 */
export interface SideSetup {
  readonly side: 'writ' | 'bullmq';
  readonly home: string;
  /** Where `target.json` lies, when not there. */
  readonly targetHome?: string;
  readonly queue: string;
  readonly concurrency: number;
  /** 0: works until it is ended. */
  readonly jobs: number;
  /** Whether its executor fails each task, without retries. */
  readonly fails?: boolean;
  /** Shards of the queue; 1 when absent. */
  readonly shards?: number;
}

export interface SideReport {
  readonly ms: number;
  readonly done: number;
  /** CPU seconds of the event loop's thread, and of all other threads. */
  readonly mainCpuS: number;
  readonly otherCpuS: number;
}

const setup = JSON.parse(process.argv[2] ?? '') as SideSetup;
const target = JSON.parse(readFileSync(path.join(setup.targetHome ?? setup.home, 'target.json'), 'utf8')) as RedisTarget;
let done = 0;

const { prepare, work } = setup.side === 'writ' ? await writSide() : bullmqSide();
await prepare.start();
process.send?.('ready');
process.once('message', () => void run());

async function run(): Promise<void> {
  const before = cpu();
  const start = performance.now();
  await work.start();
  if (setup.jobs === 0) return;
  await finished();
  const ms = performance.now() - start;
  const after = cpu();
  process.send?.({ ms, done, mainCpuS: after.main - before.main, otherCpuS: after.other - before.other } satisfies SideReport);
  await work.stop();
  await prepare.stop();
  process.exit(0);
}

async function writSide(): Promise<{ prepare: Lifecycle; work: Lifecycle }> {
  const config = ConfigSchema.parse({ queue: { shards: setup.shards ?? 1, earlier_shards: [] } });
  const places = dataDirPaths(path.join(setup.home, 'data'));
  const instances = createInstanceRegistry({ directory: places.workers });
  const executor = {
    capabilities: new Set([NOOP]),
    maxRunMs: 300_000,
    execute: async ({ manifest }: { manifest: { task_id: string } }) => {
      done += 1;
      if (setup.fails === true) return { kind: 'outcome' as const, outcome: failure('EXECUTION_FAILED', 'it shall fail') };
      return { kind: 'outcome' as const, outcome: success({ task_id: manifest.task_id, capability_id: NOOP, result_summary: {} }) };
    },
  };
  const log = createLogger('info', 'bench');
  const metrics = createMetrics('worker', 'bench');
  const health = createWorkerHealth({ deafMs: config.worker.deaf_ms, metrics, log });
  const services = [{ queue: setup.queue, concurrency: setup.concurrency, executors: [executor] as const }];
  const parts = await wirePipeline({ config, places, log, metrics, health, target, instances, services, memories: [], plans: undefined, tracer: undefined });
  const worker = parts.at(-1);
  if (!worker) throw new Error('the pipeline has no worker');
  return { prepare: sequential([instances, ...parts.slice(0, -1)]), work: worker };
}

function bullmqSide(): { prepare: Lifecycle; work: Lifecycle } {
  const connection = createConnection(target, 'worker');
  let worker: Worker | undefined;
  const handler = async (): Promise<object> => {
    done += 1;
    return { status: 'SUCCESS' };
  };
  return {
    prepare: lifecycle(
      () => undefined,
      () => connection.disconnect(),
    ),
    work: lifecycle(
      async () => {
        worker = new Worker(setup.queue, handler, { ...workerOptions(LOCK_TIMES, setup.concurrency), connection });
        await worker.waitUntilReady();
      },
      () => worker?.close(),
    ),
  };
}

/** Every job was handled and none is left with BullMQ. */
async function finished(): Promise<void> {
  const redis = createConnection(target, 'ledger');
  const key = (list: string): string => `${QUEUE_PREFIX}:${setup.queue}:${list}`;
  for (;;) {
    await delay(done < setup.jobs ? 20 : 2);
    if (done < setup.jobs) continue;
    const [waiting, active, failed] = await Promise.all([redis.llen(key('wait')), redis.llen(key('active')), redis.zcard(key('failed'))]);
    if (failed > 0 && setup.fails !== true) throw new Error(`${failed} jobs failed`);
    if (waiting + active === 0) break;
  }
  redis.disconnect();
}

/** CPU seconds by thread, from /proc: the main thread's id is the process id. */
function cpu(): { main: number; other: number } {
  const TICKS_PER_SECOND = 100;
  const seconds = (thread: string): number => {
    const fields = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  };
  const threads = readdirSync('/proc/self/task');
  const main = seconds(String(process.pid));
  return { main, other: threads.reduce((sum, thread) => sum + seconds(thread), 0) - main };
}
