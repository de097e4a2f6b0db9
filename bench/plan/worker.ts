import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Queue, Worker } from 'bullmq';
import { ConfigSchema } from '../../config/schema.ts';
import { LOCK_TIMES, QUEUE_PREFIX, workerOptions } from '../../queues/catalog.ts';
import { createConnection } from '../../queues/connection.ts';
import { createInstanceRegistry } from '../../src/adapters/linux/instances.ts';
import type { RedisTarget } from '../../src/adapters/redis/target.ts';
import { wirePipeline } from '../../src/bin/roles/wire-pipeline.ts';
import { createWorkerHealth } from '../../src/bin/roles/worker-health.ts';
import { TOOL_CALL } from '../../src/contracts/index.ts';
import { sequential } from '../../src/core/lifecycle.ts';
import { success } from '../../src/core/outcome.ts';
import type { Bindings, TaskExecutor } from '../../src/core/ports/index.ts';
import { dataDirPaths } from '../../src/data-dir/paths.ts';
import { createLogger } from '../../src/observability/logging.ts';
import { createMetrics } from '../../src/observability/metrics.ts';

/** One worker process of either side: it works until every plan has ended, and tells how long that took. */
export interface PlanSideSetup {
  readonly side: 'writ' | 'bullmq';
  readonly home: string;
  readonly plans: number;
  /** Steps of each plan. */
  readonly steps: number;
}

export interface PlanSideReport {
  readonly ms: number;
  readonly steps: number;
}

const CONCURRENCY = 64;
/** Nobody tells when a queue has run dry; a finer look would be work beside the work that is measured. */
const LOOK_MS = 5;
/** The provider of the tool that does nothing. */
export const PROVIDER = 'bench';
export const STEP_QUEUE = `tool-${PROVIDER}`;
export const BINDINGS: Bindings = () => ({ adapter: 'http', provider: PROVIDER });

if (process.argv[2] !== undefined && process.send !== undefined) await work(JSON.parse(process.argv[2]) as PlanSideSetup);

async function work(setup: PlanSideSetup): Promise<void> {
  const target = JSON.parse(readFileSync(path.join(setup.home, 'target.json'), 'utf8')) as RedisTarget;
  const counter = { steps: 0 };
  const side = setup.side === 'writ' ? await writSide(setup, target, counter) : bullmqSide(setup, target, counter);
  process.send?.('ready');
  process.once('message', () => {
    void (async () => {
      const start = performance.now();
      await side.start();
      await side.ended();
      process.send?.({ ms: performance.now() - start, steps: counter.steps } satisfies PlanSideReport);
      process.exit(0);
    })();
  });
}

interface Working {
  start(): Promise<void>;
  ended(): Promise<void>;
}

async function writSide({ home }: PlanSideSetup, target: RedisTarget, counter: { steps: number }): Promise<Working> {
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
    services: [{ queue: STEP_QUEUE, concurrency: CONCURRENCY, executors: [executor] }],
    memories: [],
    tracer: undefined,
    plans: { bindings: BINDINGS },
  });
  const role = sequential([instances, ...parts]);
  return { start: role.start, ended: () => drained('plan', target) };
}

/** The same by hand: a plan's job puts its first step on a queue, each step the next one, the last one tells. */
function bullmqSide({ plans, steps }: PlanSideSetup, target: RedisTarget, counter: { steps: number }): Working {
  const connection = createConnection(target, 'worker');
  const queue = new Queue(STEP_QUEUE, { connection, prefix: QUEUE_PREFIX });
  const options = { ...workerOptions(LOCK_TIMES, CONCURRENCY), connection, autorun: false };
  const planWorker = new Worker('plan', async ({ id }) => void (await queue.add('step', { plan: id, n: 0 })), options);
  const stepWorker = new Worker<{ plan: string; n: number }>(
    STEP_QUEUE,
    async ({ data: { plan, n } }) => {
      counter.steps += 1;
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
    async ended() {
      while (counter.steps < plans * steps) await delay(LOOK_MS);
      await drained(STEP_QUEUE, target);
    },
  };
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
