import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { AuthenticatedDelivery, ClaimedDelivery, DeliveryContext, PipelineDeps } from '../../../processors/context.ts';
import { type Delivery, jobKey, wishOfDelivery } from '../../../processors/delivery.ts';
import { createInFlight, type Running } from '../../../processors/in-flight.ts';
import { runDelivery } from '../../../processors/pipeline.ts';
import { createRepeatedFaults } from '../../../processors/repeated-faults.ts';
import type { DeliveryEnd } from '../../../processors/settle.ts';
import { openTokenFile } from '../../../src/adapters/files/token-file.ts';
import { createMemoryLedger } from '../../../src/adapters/memory/ledger.ts';
import { createMemoryPresence } from '../../../src/adapters/memory/presence.ts';
import { createMemoryRevocations } from '../../../src/adapters/memory/revocations.ts';
import { createMemoryChannels } from '../../../src/adapters/memory/signals.ts';
import type { LeasePayload, TaskJob, TaskManifest } from '../../../src/contracts/index.ts';
import { manifestSha256 } from '../../../src/core/hash.ts';
import { type Execution, success } from '../../../src/core/outcome.ts';
import type { HostMemory, Recall, TaskExecutor } from '../../../src/core/ports/index.ts';
import {
  createAuthorities,
  createResultReader,
  createResultSigner,
  createRevocationMirror,
  fixedKeyring,
  signLease,
  signRevocation,
} from '../../../src/lease/index.ts';
import type { DeliveryReport } from '../../../src/observability/deliveries.ts';
import { ed25519, LEASE, MANIFEST, NOW, testClock, vectorKey } from '../../fixtures/authority/world.ts';

export const kernelKey = vectorKey(0, 'lease', 'kernel-1');
export const executorKey = vectorKey(1, 'result', 'executor-1');
/** A stranger who calls himself what the kernel is called. */
export const strangerKey = vectorKey(2, 'lease', 'kernel-1');

/** What the executor of these tests answers unless a test says otherwise. */
export const DONE: Execution = { kind: 'outcome', outcome: success({ task_id: MANIFEST.task_id, done: true }) };

export type World = Awaited<ReturnType<typeof createWorld>>;

interface FetchOptions {
  /** Failures that the job notes: whoever runs it again adds one. */
  readonly failures?: number;
  readonly jobId?: string;
  /** How often the queue has started the job. */
  readonly started?: number;
  readonly lockIsFresh?: () => boolean;
}

/**
 * One worker process without queue, Redis or files: the ledger's twin, real signatures, a clock that stands, and an
 * executor whose journal and answers belong to the test. `steps` tells in which order things happened to the task.
 */
export async function createWorld() {
  const clock = testClock();
  const channels = createMemoryChannels();
  const ledger = createMemoryLedger({ retentionMs: 86_400_000, clock, channels });
  await ledger.markGeneration('first');
  const presence = createMemoryPresence(clock);
  const feed = createMemoryRevocations(channels);
  const leaseKeys = fixedKeyring([kernelKey]);
  const revocations = createRevocationMirror({
    path: join(await temporaryDirectory(), 'revocations.ndjson'),
    open: openTokenFile,
    keyring: leaseKeys,
    ed25519,
  });
  await revocations.start();
  onTestFinished(() => revocations.stop());
  const resultKeys = fixedKeyring([executorKey]);
  const authorities = createAuthorities({ leaseKeys, ed25519, revocations, feed, clock, issuer: LEASE.iss, maxTtl: 86_400 });
  const signer = createResultSigner(executorKey, ed25519);

  const steps: string[] = [];
  const reports: DeliveryReport[] = [];
  const host = createHost(steps);
  const inFlight = createInFlight();
  const notDelayed = new Set<string>();
  const given: PipelineDeps = {
    instance: 'worker-1',
    clock,
    executorOf: () => host.executor,
    authorities,
    ledger: {
      ...ledger,
      record(request) {
        steps.push(`ledger:${request.status}`);
        return ledger.record(request);
      },
    },
    results: createResultReader({ keyring: resultKeys, ed25519 }),
    presence,
    signer,
    inFlight,
    faults: createRepeatedFaults(),
    async recoverLedger() {
      steps.push('recoverLedger');
      await ledger.markGeneration('second');
    },
    report: (report) => void reports.push(report),
    async promote(jobKeys) {
      for (const key of jobKeys) steps.push(`promote:${key}`);
      return jobKeys.filter((key) => !notDelayed.has(key)).length;
    },
    async wakePlan(planSha256) {
      steps.push(`wake:${planSha256}`);
    },
  };

  const world = {
    clock,
    ledger,
    presence,
    authorities,
    signer,
    steps,
    reports,
    host,
    inFlight,
    /** Job keys of jobs that are in no delayed set. */
    notDelayed,
    /** A test may replace parts of them. */
    deps: given,
    /** A job whose lease the kernel has signed for exactly this manifest. */
    async job(manifest: Partial<TaskManifest> = {}, lease: Partial<LeasePayload> = {}, key = kernelKey): Promise<TaskJob> {
      const whole = { ...MANIFEST, ...manifest };
      const payload = { ...LEASE, task_id: whole.task_id, capability_id: whole.capability_id, manifest_sha256: manifestSha256(whole), ...lease };
      return { v: 1, manifest: whole, lease: await signLease(payload, key, ed25519) };
    },
    /** One job as the queue hands it over; `running` is already among the deliveries in flight. */
    fetched(
      data: unknown,
      { jobId = 'job-1', started = 1, failures = 0, lockIsFresh = () => true }: FetchOptions = {},
    ): { delivery: Delivery; running: Running } {
      const running = inFlight.begin(jobId);
      const attempt = { addedAt: clock.now(), fetchedAt: clock.now(), started, failed: 0, failures };
      const stop: Delivery['stop'] = (reason) => running.controller.abort(reason);
      const delivery = { data, queue: 'file', jobId, prefix: '{writ}', attempt, signal: running.controller.signal, stop, lockIsFresh };
      return { delivery, running };
    },
    /** From the queue to the end, through all steps. */
    async deliver(data: unknown, options?: FetchOptions): Promise<DeliveryEnd> {
      const { delivery, running } = world.fetched(data, options);
      try {
        return await runDelivery(delivery, running, world.deps);
      } finally {
        inFlight.end(running);
      }
    },
    /** A job that has passed steps 1 and 2. */
    async authenticated(job: TaskJob, options?: FetchOptions): Promise<AuthenticatedDelivery> {
      const { delivery, running } = world.fetched(job, options);
      const { manifest } = job;
      const sha256 = manifestSha256(manifest);
      const found = await authorities.authenticate(manifest, sha256, job.lease, delivery.queue);
      if (!found.ok) throw new Error(found.message);
      const context: DeliveryContext = { delivery, running, deps: given, startedAt: clock.monotonic() };
      return { ...context, job, manifest, manifestSha256: sha256, lease: found.lease, authority: found.authority };
    },
    /** A job that has passed steps 1 to 3: the ledger has it as running. */
    async claimed(job: TaskJob, options?: FetchOptions): Promise<ClaimedDelivery> {
      const context = await world.authenticated(job, options);
      const { delivery, manifest, manifestSha256: sha256, authority, lease } = context;
      const answer = await ledger.claim({
        taskId: manifest.task_id,
        manifestSha256: sha256,
        jobKey: jobKey(delivery),
        instance: given.instance,
        exp: lease.exp,
        now: clock.now(),
      });
      if (!('epoch' in answer)) throw new Error(`the claim was answered ${answer.kind}`);
      return {
        ...context,
        task: { manifest, manifestSha256: sha256, authority, epoch: answer.epoch },
        wish: wishOfDelivery(delivery),
        executor: host.executor,
        takeovers: 0,
        crashes: 0,
        cancelled: false,
        revocations: { askedAt: clock.monotonic(), known: Promise.resolve() },
      };
    },
    /** The signed text of an outcome of this manifest. */
    signed: (execution: Execution, manifest: TaskManifest = MANIFEST): Promise<string> => signer.sign(manifest, manifestSha256(manifest), outcomeOf(execution)),
    /** The claim of another worker's job on the task. */
    claimElsewhere: (instance: string, job = 'elsewhere') =>
      ledger.claim({ taskId: MANIFEST.task_id, manifestSha256: LEASE.manifest_sha256, jobKey: job, instance, exp: LEASE.exp, now: clock.now() }),
    /** Publishes the kernel's revocation of a lease. */
    async revoke(jti: string): Promise<void> {
      const n = (await feed.head()) + 1;
      await feed.publish([{ n, token: await signRevocation({ v: 1, n, jti, exp: LEASE.exp, at: NOW }, kernelKey, ed25519) }]);
    },
    /** The answer that is kept for a job which never reached the task's row. */
    refusal: (jobId = 'job-1') => ledger.refusal(MANIFEST.task_id, `file:${jobId}`),
  };
  return world;
}

function outcomeOf(execution: Execution) {
  if (execution.kind !== 'outcome') throw new Error('only outcomes are signed');
  return execution.outcome;
}

/** The executor of the tests, and its journal. */
interface Host {
  /** What the journal remembers, by task_id. */
  readonly recalls: Map<string, Recall>;
  run: TaskExecutor['execute'];
  recover: HostMemory['recover'];
  executor: TaskExecutor;
}

function createHost(steps: string[]): Host {
  const host: Host = {
    recalls: new Map(),
    run: async () => DONE,
    recover: async () => DONE,
    executor: {
      capabilities: new Set(['FILE_MOVE']),
      maxRunMs: 60_000,
      execute(task, run) {
        steps.push('execute');
        return host.run(task, run);
      },
      memory: {
        async recall(taskId) {
          steps.push('recall');
          return host.recalls.get(taskId) ?? { kind: 'unknown' };
        },
        recover(task, run, options) {
          steps.push(options.mayRedo ? 'recover' : 'classify');
          return host.recover(task, run, options);
        },
        async conclude(_task, status) {
          steps.push(`journal:${status}`);
        },
        successes: async () => [],
      },
    },
  };
  return host;
}

async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'writ-pipeline-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}
