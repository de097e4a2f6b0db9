import { readFileSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Queue, Worker } from 'bullmq';
import { ConfigSchema } from '../../config/schema.ts';
import { createWorkerHealth } from '../../processors/worker-health.ts';
import { LOCK_TIMES, QUEUE_PREFIX, workerOptions } from '../../queues/catalog.ts';
import { createConnection } from '../../queues/connection.ts';
import { createConfinedFileSystem } from '../../src/adapters/linux/confined-fs/index.ts';
import { createInstanceRegistry } from '../../src/adapters/linux/instances.ts';
import type { RedisTarget } from '../../src/adapters/redis/target.ts';
import { createFileJournal } from '../../src/adapters/sqlite/journal/journal.ts';
import { wirePipeline } from '../../src/bin/roles/wire-pipeline.ts';
import { TOOL_CALL } from '../../src/contracts/index.ts';
import { systemClock } from '../../src/core/clock.ts';
import { sequential } from '../../src/core/lifecycle.ts';
import { success } from '../../src/core/outcome.ts';
import type { InstanceRegistry, TaskExecutor } from '../../src/core/ports/index.ts';
import { type DataDirPaths, dataDirPaths } from '../../src/data-dir/paths.ts';
import { createFileExecutor } from '../../src/executors/file/index.ts';
import { createLogger } from '../../src/observability/logging.ts';
import { createMetrics } from '../../src/observability/metrics.ts';
import { BINDINGS, STEP_QUEUE } from './bindings.ts';
import type { StepWork } from './envelopes.ts';

/** One worker process of either side: it works until every plan has ended, and tells how long that took. */
export interface PlanSideSetup {
  readonly side: 'writ' | 'bullmq';
  readonly home: string;
  readonly plans: number;
  /** Steps of each plan. */
  readonly steps: number;
  readonly work: StepWork;
  /** The plans stay where they are: it works until it is ended. */
  readonly idle?: boolean;
}

export interface PlanSideReport {
  readonly ms: number;
  readonly steps: number;
  /** CPU of all threads, milliseconds. */
  readonly cpuMs: number;
}

const CONCURRENCY = 64;
/** Nobody tells when a queue has run dry; a finer look would be work beside the work that is measured. */
const LOOK_MS = 5;

if (process.argv[2] !== undefined && process.send !== undefined) await work(JSON.parse(process.argv[2]) as PlanSideSetup);

async function work(setup: PlanSideSetup): Promise<void> {
  const target = JSON.parse(readFileSync(path.join(setup.home, 'target.json'), 'utf8')) as RedisTarget;
  const counter = { steps: 0 };
  const side = setup.side === 'writ' ? await writSide(setup, target, counter) : bullmqSide(setup, target, counter);
  process.send?.('ready');
  process.once('message', () => {
    void (async () => {
      const before = process.cpuUsage();
      const start = performance.now();
      await side.start();
      if (setup.idle) return;
      await side.ended();
      const { user, system } = process.cpuUsage(before);
      process.send?.({ ms: performance.now() - start, steps: counter.steps, cpuMs: (user + system) / 1000 } satisfies PlanSideReport);
      process.exit(0);
    })();
  });
}

interface Working {
  start(): Promise<void>;
  ended(): Promise<void>;
}

async function writSide({ home, plans, steps, work, idle = false }: PlanSideSetup, target: RedisTarget, counter: { steps: number }): Promise<Working> {
  const config = ConfigSchema.parse({});
  const places = dataDirPaths(path.join(home, 'data'));
  const instances = createInstanceRegistry({ directory: places.workers });
  const executor: TaskExecutor = {
    capabilities: new Set([TOOL_CALL]),
    maxRunMs: 300_000,
    async execute({ manifest }) {
      counter.steps += 1;
      const { params } = manifest.inputs as { params: { n: number } };
      return { kind: 'outcome', outcome: success({ data: { n: params.n } }) };
    },
  };
  const copies = work === 'noop' ? undefined : copyService(path.dirname(work.from), places, instances, counter);
  const log = createLogger('info', 'bench');
  const metrics = createMetrics('worker', 'bench');
  const parts = await wirePipeline({
    config,
    places,
    log,
    metrics,
    health: createWorkerHealth({ deafMs: config.worker.deaf_ms, metrics, log }),
    target,
    instances,
    services: idle ? [] : [{ queue: STEP_QUEUE, concurrency: CONCURRENCY, executors: [executor] }, ...(copies === undefined ? [] : [copies.service])],
    memories: copies === undefined ? [] : [copies.service.executors[0].memory],
    tracer: undefined,
    plans: { bindings: BINDINGS },
  });
  const served = parts.at(-1);
  if (served === undefined) throw new Error('the pipeline has no worker');
  const before = sequential([...(copies?.parts ?? []), instances, ...(copies === undefined ? [] : [copies.service.executors[0]]), ...parts.slice(0, -1)]);
  // The other side is connected, too, when it says that it is ready.
  await before.start();
  return { start: served.start, ended: () => ended('plan', target, () => counter.steps >= plans * steps) };
}

/** The file executor with its real journal. */
function copyService(base: string, places: DataDirPaths, instances: InstanceRegistry, counter: { steps: number }) {
  const { file } = ConfigSchema.parse({});
  const journal = createFileJournal({ file: places.journal });
  const executor = createFileExecutor({
    bases: [{ id: 'main', path: base }],
    fileSystem: createConfinedFileSystem({ level: 'auto', allowedFilesystems: [...file.filesystems] }),
    journal,
    instances,
    limits: { maxRunMs: 300_000, maxBytes: file.max_bytes, hashMaxBytes: file.hash_max_bytes, vaultQuotaBytes: file.vault_quota_bytes },
    clock: systemClock,
  });
  const counted: typeof executor = {
    ...executor,
    execute(task, run) {
      counter.steps += 1;
      return executor.execute(task, run);
    },
  };
  return { parts: [journal], service: { queue: 'file', concurrency: CONCURRENCY, executors: [counted] as const } };
}

/** The same by hand: a plan's job puts its first step on a queue, each step the next one, the last one tells. */
function bullmqSide({ plans, steps, work }: PlanSideSetup, target: RedisTarget, counter: { steps: number }): Working {
  const connection = createConnection(target, 'worker');
  const queue = new Queue(STEP_QUEUE, { connection, prefix: QUEUE_PREFIX });
  const options = { ...workerOptions(LOCK_TIMES, CONCURRENCY), connection, autorun: false };
  const planWorker = new Worker('plan', async ({ id }) => void (await queue.add('step', { plan: id, n: 0 })), options);
  const stepWorker = new Worker<{ plan: string; n: number }>(
    STEP_QUEUE,
    async ({ data: { plan, n } }) => {
      counter.steps += 1;
      if (work !== 'noop') await copyFile(`${work.from}/${n}`, `${work.to}/${n}`);
      if (n + 1 < steps) await queue.add('step', { plan, n: n + 1 });
      return { n };
    },
    options,
  );
  return {
    async start() {
      void planWorker.run();
      void stepWorker.run();
    },
    ended: () => ended(STEP_QUEUE, target, () => counter.steps >= plans * steps),
  };
}

/** All steps were done, and nothing of the queue is left. Until then nobody asks Redis: that would be work beside the work that is measured. */
async function ended(queue: string, target: RedisTarget, isDone: () => boolean): Promise<void> {
  while (!isDone()) await delay(LOOK_MS);
  await drained(queue, target);
}

/** Nothing of the queue waits, runs or is parked any more. */
async function drained(queue: string, target: RedisTarget): Promise<void> {
  const redis = createConnection(target, 'ledger');
  const key = (list: string): string => `${QUEUE_PREFIX}:${queue}:${list}`;
  for (;;) {
    const [waiting, active, parked, failed] = await Promise.all([
      redis.llen(key('wait')),
      redis.llen(key('active')),
      redis.zcard(key('delayed')),
      redis.zcard(key('failed')),
    ]);
    if (failed > 0) throw new Error(`${failed} jobs of ${queue} failed`);
    if (waiting + active + parked === 0) break;
    await delay(LOOK_MS);
  }
  redis.disconnect();
}
