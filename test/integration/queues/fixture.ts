import { type Job, Queue, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { QUEUE_PREFIX, workerOptions } from '../../../queues/catalog.ts';
import { createEnqueue } from '../../../queues/enqueue.ts';
import { inlineEd25519 } from '../../../src/adapters/crypto/inline.ts';
import { nodeEd25519 } from '../../../src/adapters/crypto/node-crypto.ts';
import { createRedisLedger } from '../../../src/adapters/redis/ledger.ts';
import type { TaskJob, TaskManifest } from '../../../src/contracts/index.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { manifestSha256 } from '../../../src/core/hash.ts';
import { failure, type Outcome, success } from '../../../src/core/outcome.ts';
import type { Enqueue, Ledger, ResultReader } from '../../../src/core/ports/index.ts';
import { createResultSigner, generateKey, type PublicJwk, publicJwk, signingKey } from '../../../src/lease/index.ts';
import { startTestRedis, type TestRedis } from '../../support/redis.ts';
import { resultsBy } from '../../support/results.ts';

/** A pool of its own on a test server: its queue, and a hand that plays the worker. */
export interface QueueRig extends AsyncDisposable {
  /** The producer's, which `enqueue` and `queue` share. */
  readonly connection: Redis;
  readonly enqueue: Enqueue;
  readonly ledger: Ledger;
  readonly queue: Queue;
  readonly queueName: string;
  /** Takes the next job; it is active from then on. */
  fetch(): Promise<Job>;
  complete(job: Job): Promise<void>;
  fail(job: Job, reason?: string): Promise<void>;
  /** What a worker records for a task; answers the result, which is signed. */
  record(job: TaskJob, status: 'SUCCESS' | 'FAILURE'): Promise<string>;
  /** An outcome of the task as the executor of the queue signs it. */
  sign(job: TaskJob, outcome: Outcome): Promise<string>;
  /** Of that executor. */
  readonly results: ResultReader;
  /** Its public key, as `GET /v1/keys` has it. */
  readonly keys: { readonly keys: readonly PublicJwk[] };
}

const TOKEN = 'test-token';
let pools = 0;

export async function queueRig(server: TestRedis): Promise<QueueRig> {
  pools += 1;
  const pool = `p${pools}`;
  const queueName = `file@${pool}`;
  const connection = await server.client('producer');
  const ledger = createRedisLedger(await server.client('ledger'), { retentionMs: 60_000 });
  await ledger.markGeneration('g');
  const executor = generateKey({ use: 'result', capabilities: ['*'] });
  const [key, ed25519] = [signingKey(executor), inlineEd25519(nodeEd25519())];
  const results = resultsBy(key);
  const sign: QueueRig['sign'] = ({ manifest }, outcome) => createResultSigner(key, ed25519).sign(manifest, manifestSha256(manifest), outcome);
  const enqueue = createEnqueue({ connection, ledger, results, clock: systemClock, pool });
  const queue = new Queue(queueName, { connection, prefix: QUEUE_PREFIX });
  const worker = new Worker(queueName, null, {
    ...workerOptions({ lockMs: 30_000, renewMs: 10_000, stalledMs: 30_000 }, 1),
    connection: await server.client('worker'),
    autorun: false,
  });
  queue.on('error', () => undefined);
  worker.on('error', () => undefined);
  return {
    connection,
    enqueue,
    ledger,
    queue,
    queueName,
    async fetch() {
      const job = await worker.getNextJob(TOKEN, { block: false });
      if (!job) throw new Error('no job waits');
      return job;
    },
    complete: async (job) => void (await job.moveToCompleted('done', TOKEN, false)),
    fail: async (job, reason = 'EXECUTION_FAILED: no') => void (await job.moveToFailed(new Error(reason), TOKEN, false)),
    sign,
    results,
    keys: { keys: [publicJwk(executor)] },
    async record(job, status) {
      const { manifest } = job;
      const output = { task_id: manifest.task_id, capability_id: manifest.capability_id, result_summary: { note: 'ü' } };
      const result = await sign(job, status === 'SUCCESS' ? success(output) : failure('EXECUTION_FAILED', 'no'));
      const sha = manifestSha256(manifest);
      const now = Date.now();
      const claim = await ledger.claim({ taskId: manifest.task_id, manifestSha256: sha, jobKey: 'k', instance: 'i', exp: Math.floor(now / 1000) + 60, now });
      if (!('epoch' in claim)) throw new Error(claim.kind);
      await ledger.record({
        taskId: manifest.task_id,
        epoch: claim.epoch,
        status,
        errorCode: status === 'FAILURE' ? 'EXECUTION_FAILED' : undefined,
        result,
        now,
      });
      return result;
    },
    async [Symbol.asyncDispose]() {
      await worker.close(true);
      await queue.close();
      await enqueue.close();
    },
  };
}

export function taskJob(taskId: string, changes: Partial<TaskManifest> = {}, lease = 'lease-1'): TaskJob {
  return {
    v: 1,
    manifest: { task_id: taskId, capability_id: 'FILE_MOVE', inputs: { source_path: '/a/b', destination_path: '/a/c' }, constraints: {}, ...changes },
    lease,
  };
}

/** What the tests of one `describe` share: a server, and on it a fresh pool for each test. */
export interface QueueGround {
  readonly server: TestRedis;
  readonly rig: QueueRig;
}

export function useQueueRig(): QueueGround {
  let server: TestRedis | undefined;
  let rig: QueueRig | undefined;
  beforeAll(async () => {
    server = await startTestRedis();
  });
  afterAll(() => server?.stop());
  const ground: QueueGround = {
    get server() {
      return there(server);
    },
    get rig() {
      return there(rig);
    },
  };
  beforeEach(async () => {
    await ground.server.flushAll();
    rig = await queueRig(ground.server);
  });
  afterEach(() => rig?.[Symbol.asyncDispose]());
  return ground;
}

function there<T>(made: T | undefined): T {
  if (made === undefined) throw new Error('it is made before the first test');
  return made;
}
