import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Delivery } from '../../../../processors/delivery.ts';
import { createInFlight } from '../../../../processors/in-flight.ts';
import type { PlanDeliveryEnd, PlanDeps } from '../../../../processors/plan/context.ts';
import { deliverPlan } from '../../../../processors/plan/deliver.ts';
import { createParkedPlans } from '../../../../processors/plan/replay.ts';
import { createRepeatedFaults } from '../../../../processors/repeated-faults.ts';
import { QUEUE_PREFIX } from '../../../../queues/catalog.ts';
import { createMemoryLedger } from '../../../../src/adapters/memory/ledger.ts';
import { createMemoryChannels } from '../../../../src/adapters/memory/signals.ts';
import { createPlanJournal } from '../../../../src/adapters/sqlite/plan-journal/plan-journal.ts';
import type { TaskManifest } from '../../../../src/contracts/index.ts';
import { manifestSha256 } from '../../../../src/core/hash.ts';
import type { Outcome } from '../../../../src/core/outcome.ts';
import { stepOf } from '../../../../src/core/plan-step.ts';
import type { Bindings, PlanView } from '../../../../src/core/ports/index.ts';
import { linkPlan, startPlan } from '../../../../src/executors/plan/index.ts';
import { createPlanEndSigner, createResultReader, createResultSigner, fixedKeyring } from '../../../../src/lease/index.ts';
import { ed25519, NOW, testClock } from '../../../fixtures/authority/world.ts';
import { execution, type PlanParts, type StepLike } from '../../../support/plan-core.ts';
import { executorKey } from '../world.ts';

const LEASE = 'the lease of the plan';

/**
 * The plan role without queue, Redis and kernel: a real journal and real signatures; a kernel that signs for whatever comes next, and a
 * queue that keeps what was pushed. A test may replace parts of `deps`.
 */
export async function createPlanWorld(steps: readonly StepLike[], bound: Bindings, catalog?: PlanParts['catalog']) {
  const directory = mkdtempSync(join(tmpdir(), 'writ-plan-world-'));
  const journal = createPlanJournal({ directory });
  await journal.start();
  onTestFinished(async () => {
    await journal.stop();
    rmSync(directory, { recursive: true, force: true });
  });
  const clock = testClock();
  const ledger = createMemoryLedger({ retentionMs: 86_400_000, clock, channels: createMemoryChannels() });
  await ledger.markGeneration('first');
  const signer = createResultSigner(executorKey, ed25519);
  const linked = linkPlan(execution(steps, catalog && { catalog }), () => undefined);
  if (!linked.ok) throw new Error(linked.message);
  const { envelope, planSha256 } = linked;
  const pushed: TaskManifest[] = [];
  const view = { cancelRequested: false, shown: undefined as PlanView['state'] | undefined, current: undefined as PlanView['current'] };
  const given = {
    pool: 'default',
    clock,
    redisTime: async () => 0,
    startPlan,
    bindings: (ref: string) => bound(ref),
    authorities: {
      authenticatePlan: async () => ({ ok: true, lease: { iat: NOW, exp: NOW + 3600 } }),
      authorizePlan: () => undefined,
      earlyBy: () => 0,
      refresh: async () => undefined,
    },
    results: createResultReader({ keyring: fixedKeyring([executorKey]), ed25519 }),
    kernel: { derive: async () => ({ manifest: nextManifest(), lease: 'a lease', taskId: '', manifestSha256: '', jti: 'j', exp: NOW + 60 }) },
    journal,
    views: {
      read: async () => ({ cancelRequested: view.cancelRequested }),
      async show(_id: string, { state, current }: Pick<PlanView, 'state' | 'current'>) {
        view.shown = state;
        view.current = current;
      },
    },
    jobs: { promote: async () => undefined },
    enqueue: {
      jobState: async () => undefined,
      async push({ manifest }: { manifest: TaskManifest }) {
        pushed.push(manifest);
        return { kind: 'accepted', taskId: manifest.task_id };
      },
    },
    ledger,
    signer,
    endSigner: createPlanEndSigner(executorKey, ed25519),
    inFlight: createInFlight(),
    faults: createRepeatedFaults(),
    promote: async () => undefined,
    parkMs: 1000,
    report: () => undefined,
  };
  let at: string | TaskManifest = '0';
  let job = { addedAt: 0, ends: 0, failures: 0 };
  const nextManifest = (): TaskManifest => (typeof at === 'string' ? manifestAt(at) : at);

  function manifestAt(path: string, generation = 0, bindings = bound, retryOf?: string): TaskManifest {
    const tool = { ref: 'echo', provider: 'echo', operation: 'say' };
    const toolInput = { runId: 'r', stepId: path, tool, params: {}, context: { memory: {} } };
    const retry = retryOf === undefined ? {} : { retry: { attempt: 2, waitMs: 0 } };
    return stepOf({ kind: 'call', path, toolInput, ...retry }, planSha256, generation, bindings, retryOf).manifest;
  }

  const world = {
    envelope,
    planSha256,
    clock,
    journal,
    ledger,
    view,
    pushed,
    manifestAt,
    // The parts of the ports that a delivery uses.
    deps: given as unknown as PlanDeps,
    /** The step that the kernel signs for next. */
    standAt(path: string | TaskManifest) {
      at = path;
    },
    /** Somebody runs the plan's job again, which has ended. */
    retry() {
      job = { ...job, ends: job.ends + 1, failures: job.failures + 1 };
    },
    /** The job has other figures: Redis was changed, or came back as it was. */
    comesBackAs(figures: Partial<typeof job>) {
      job = { ...job, ...figures };
    },
    /** Records an executor's answer to the step, as its worker does. */
    async answer(manifest: TaskManifest, outcome: Outcome): Promise<void> {
      const sha = manifestSha256(manifest);
      const claim = await ledger.claim({
        taskId: manifest.task_id,
        manifestSha256: sha,
        jobKey: 'q:1',
        instance: 'w',
        exp: NOW + 60,
        now: clock.now(),
      });
      if (!('epoch' in claim)) throw new Error(claim.kind);
      const result = await signer.sign(manifest, sha, outcome);
      const errorCode = outcome.error?.error_code;
      await ledger.record({ taskId: manifest.task_id, epoch: claim.epoch, status: outcome.status, errorCode, result, now: clock.now() });
    },
    async deliver(parked = createParkedPlans(world.deps), jobId = `p_${planSha256}`): Promise<PlanDeliveryEnd> {
      const { inFlight } = world.deps;
      const running = inFlight.begin(jobId);
      const attempt = { addedAt: job.addedAt, fetchedAt: 0, started: 1, failed: job.ends, failures: job.failures };
      const delivery = {
        ...{ data: { v: 1, envelope, lease: LEASE }, queue: 'plan', prefix: QUEUE_PREFIX },
        ...{ jobId, attempt, signal: running.controller.signal },
      } as unknown as Delivery;
      try {
        return await deliverPlan(delivery, running, parked, world.deps);
      } finally {
        inFlight.end(running);
      }
    },
  };
  return world;
}
