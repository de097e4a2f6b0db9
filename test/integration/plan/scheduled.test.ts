import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { packageRoot } from '../../../config/package.ts';
import { connected, createConnection } from '../../../queues/connection.ts';
import { inlineEd25519 } from '../../../src/adapters/crypto/inline.ts';
import { nodeEd25519 } from '../../../src/adapters/crypto/node-crypto.ts';
import { openKernelStore } from '../../../src/adapters/sqlite/kernel-store/kernel-store.ts';
import { openPlanSide } from '../../../src/bin/plan/plan-side.ts';
import { createPlanPreview } from '../../../src/bin/plan/preview.ts';
import { planSignatures } from '../../../src/bin/plan/signatures.ts';
import { systemClock } from '../../../src/core/clock.ts';
import type { Lifecycle } from '../../../src/core/lifecycle.ts';
import type { FiringLane, KernelClient } from '../../../src/core/ports/index.ts';
import { readPrivateKey } from '../../../src/data-dir/key-files.ts';
import { planLogic } from '../../../src/executors/plan/index.ts';
import { createKernel, createSchedules, kernelClient } from '../../../src/kernel/index.ts';
import { fixedKeyring } from '../../../src/lease/index.ts';
import { openApproval } from '../../../src/surfaces/shared/plans/approvals.ts';
import { planFirings } from '../../../src/surfaces/shared/plans/plan-firings.ts';
import { planRetryServices, retryPlan } from '../../../src/surfaces/shared/plans/retry.ts';
import { undoPlan } from '../../../src/surfaces/shared/plans/undo.ts';
import { testClock } from '../../fixtures/authority/world.ts';
import { envelopeOf, fileStep, type PlanRig, startPlanRig } from '../../support/plan-rig.ts';

const HOUR = 3_600_000;

/** A kernel whose clock the test moves, before real workers on a real Redis: they have their own clock, and it lies behind that. */
describe('a plan that a schedule makes', () => {
  let plans: PlanRig;
  let directory: string;
  let workers: Lifecycle[];
  let close: () => Promise<void>;
  let schedules: ReturnType<typeof createSchedules>;
  let clock: ReturnType<typeof testClock>;
  /** As an operator's surface asks it. */
  let kernel: () => Promise<Pick<KernelClient, 'issuePlan'>>;
  const at = (name: string): string => join(directory, name);
  const startWorker = async (): Promise<void> => void workers.push(await plans.rig.startWorker());
  const firings = () => schedules.registry.show('nightly').firings?.map(({ state, detail, pushes }) => `${state} ${detail ?? pushes}`);
  const planId = (): string => schedules.registry.show('nightly').firings?.[0]?.plan_id ?? '';
  const passAfter = async (ms: number): Promise<void> => {
    clock.advance(ms);
    await schedules.alarm.pass();
  };
  /** Redis is emptied while nobody works. */
  const flush = async (): Promise<void> => {
    await Promise.all(workers.splice(0).map((worker) => worker.stop()));
    await plans.rig.redis.flushAll();
  };

  beforeAll(async () => {
    plans = await startPlanRig();
  });
  afterAll(() => plans[Symbol.asyncDispose]());
  beforeEach(async () => {
    directory = mkdtempSync(join(plans.rig.base, 'scheduled-'));
    workers = [];
    const { places, config, target, results } = plans.rig;
    const dir = mkdtempSync(join(tmpdir(), 'writ-scheduled-'));
    const store = openKernelStore(dir);
    const [key, ed25519] = [await readPrivateKey(places.kernelKey), inlineEd25519(nodeEd25519())];
    // On the hour, a few hours ago: the leases hold now.
    clock = testClock(Math.floor(Date.now() / HOUR) * HOUR - 6 * HOUR);
    const signing = createKernel({
      store,
      schedules: store.schedules,
      key,
      kernelKeyring: fixedKeyring([key]),
      executorKeyring: fixedKeyring([]),
      ed25519,
      config: { issuer: config.lease.issuer, ttl: 24 * 3600, maxTtl: 30 * 24 * 3600, audienceOf: () => undefined },
      clock,
      plans: { logic: planLogic, bindings: () => ({ adapter: 'writ' }), ed25519, queue: 'plan' },
      randomId: () => crypto.randomUUID(),
    });
    kernel = async () => ({ issuePlan: (envelope, terms) => signing.issuePlan({ envelope, ...terms }, { by: 'ops' }) });
    const connection = await connected(createConnection(target, 'producer'));
    // The plan journal lies on another host: what Redis has forgotten the kernel learns by a push.
    const side = openPlanSide({
      config,
      places: { ...places, planJournal: at('nowhere') },
      connection,
      results,
      signals: () => Promise.reject(new Error('nobody waits')),
    });
    const lane = planFirings(side) as FiringLane;
    schedules = createSchedules({ store: store.schedules, kernel: signing, lane, clock, report: (problem) => expect.fail(problem) });
    close = async () => {
      await side[Symbol.asyncDispose]();
      connection.disconnect();
      store.close();
      rmSync(dir, { recursive: true, force: true });
    };
  });
  afterEach(async () => {
    await Promise.all(workers.map((worker) => worker.stop()));
    await close();
  });

  const add = (steps: readonly object[], terms?: { readonly ttl: number }): Promise<void> => addEnvelope(envelopeOf(steps), terms);

  async function addEnvelope(document: object, terms: { readonly ttl?: number } = {}): Promise<void> {
    const { envelope } = createPlanPreview(plans.rig.config, { bindingOf: () => undefined }).link(document);
    await schedules.registry.add({ envelope, id: 'nightly', cron: '0 * * * *', ...terms }, 'ops');
    await passAfter(HOUR);
  }

  it('is the example: it runs in a worker, knows its planned time, and is told as ended by its signed end', async () => {
    writeFileSync(at('ledger.csv'), 'a');
    const example = readFileSync(join(packageRoot(), 'examples/plans/nightly-copy.json'), 'utf8');
    await addEnvelope(JSON.parse(example.replaceAll('/srv/office/archive', directory).replaceAll('/srv/office', directory)) as object);
    expect(firings()).toEqual(['pushed 1']);
    await startWorker();
    expect((await plans.ended(planId())).view.state).toBe('success');
    expect(readFileSync(at(`ledger-${new Date(clock.now()).toISOString()}.csv`), 'utf8')).toBe('a');
    await passAfter(60_000);
    expect(firings()).toEqual(['ended SUCCESS']);
    // Taken back like any plan: its steps are those of the plan's journal.
    expect((await plans.plans.history(planId(), { limit: 10 }))?.steps).toMatchObject([{ path: '0', state: 'success' }]);
  });

  it('is put back when Redis is emptied before anybody took it', async () => {
    writeFileSync(at('a'), 'a');
    await add([fileStep('FILE_MOVE', at('a'), at('b'))]);
    const id = planId();
    await flush();
    await passAfter(60_000);
    expect(firings()).toEqual(['pushed 2']);
    await startWorker();
    expect((await plans.ended(id)).view.state).toBe('success');
  });

  it('that has failed is not run on when Redis is emptied before the kernel has seen it, and runs on when somebody retries it', async () => {
    await add([fileStep('FILE_MOVE', at('a'), at('b'))]);
    const id = planId();
    await startWorker();
    expect((await plans.ended(id)).view.error?.code).toBe('EXECUTION_FAILED');
    await flush();
    // Now it could be done.
    writeFileSync(at('a'), 'a');
    await startWorker();
    await passAfter(60_000);
    expect(firings()).toEqual(['pushed 2']);
    expect((await plans.ended(id)).view.error?.code).toBe('EXECUTION_FAILED');
    expect([existsSync(at('a')), (await plans.plans.history(id, { limit: 10 }))?.retries]).toEqual([true, 0]);
    await passAfter(60_000);
    expect(firings()).toEqual(['ended EXECUTION_FAILED']);
    await expect.poll(() => plans.plans.retry(id)).toBe('retried');
    expect((await plans.ended(id, ({ state }) => state === 'success')).view.state).toBe('success');
    expect(existsSync(at('b'))).toBe(true);
  });

  it('waits for an approval, goes on with it, and is taken back like any plan', async () => {
    for (const name of ['a', 'c']) writeFileSync(at(name), name);
    const approval = { type: 'tool', ref: 'writ.approval', operation: 'APPROVAL', params: { role: 'approve', question: 'Go on?', deadline_s: 3600 } };
    await add([fileStep('FILE_MOVE', at('a'), at('b')), approval, fileStep('FILE_MOVE', at('c'), at('d'))]);
    const id = planId();
    await startWorker();
    await plans.view(id, ({ current }) => current?.waits?.for === 'approval');
    expect([existsSync(at('b')), existsSync(at('d'))]).toEqual([true, false]);
    const desk = plans.kernel.approvals('alice');
    const { step } = await openApproval(id, desk);
    await desk.decide({ planSha256: id, taskId: step, answer: 'approve' }, ['approve']);
    await plans.plans.wake(id);
    expect((await plans.ended(id)).view).toMatchObject({ state: 'success', stepsDone: 3 });
    await passAfter(60_000);
    expect(firings()).toEqual(['ended SUCCESS']);

    const { enqueue, ledger, results, config } = plans.rig;
    const { undoId } = await undoPlan(id, {
      plans: plans.plans,
      tasks: { enqueue, ledger, results, journal: undefined, signals: { onRecorded: async () => async () => undefined } },
      kernel: async () => kernelClient(plans.kernel, 'alice'),
      preview: createPlanPreview(config, { bindingOf: () => undefined }),
      signatures: () => Promise.reject(new Error('nobody asks')),
      regrantByDefault: false,
      clock: systemClock,
    });
    expect((await plans.ended(undoId)).view.state).toBe('success');
    expect(['a', 'b', 'c', 'd'].filter((name) => existsSync(at(name)))).toEqual(['a', 'c']);
  });

  it('whose lease has run out is run on under a new one, though its envelope lies in no file', async () => {
    writeFileSync(at('a'), 'a');
    // The planned time is hours ago for the worker.
    await add([fileStep('FILE_MOVE', at('a'), at('b'))], { ttl: 3600 });
    const id = planId();
    await startWorker();
    expect((await plans.ended(id)).view.error?.code).toBe('LEASE_EXPIRED');
    const { config, places } = plans.rig;
    const signatures = planSignatures({ config, places, ed25519: inlineEd25519(nodeEd25519()) });
    const retry = (regrant?: boolean) =>
      retryPlan(
        id,
        regrant === undefined ? {} : { regrant },
        planRetryServices({ plans: plans.plans, signatures }, { kernel, regrantByDefault: true, clock: systemClock }),
      );
    await expect(retry(false)).rejects.toMatchObject({ code: 'LEASE_EXPIRED' });
    await expect.poll(() => retry().catch((error: unknown) => error)).toEqual({ regranted: true });
    expect((await plans.ended(id, ({ state }) => state === 'success')).view.stepsDone).toBe(1);
    expect([existsSync(at('a')), existsSync(at('b'))]).toEqual([false, true]);
    await passAfter(60_000);
    expect(firings()).toEqual(['ended SUCCESS']);
  });

  it('whose job somebody has replaced is pushed again, and runs', async () => {
    writeFileSync(at('a'), 'a');
    await add([fileStep('FILE_MOVE', at('a'), at('b'))]);
    const id = planId();
    const redis = await plans.rig.redis.client();
    await redis.hset(`{writ}:plan:p_${id}`, 'data', JSON.stringify({ v: 1, envelope: {}, lease: 'a.b.c' }));
    await startWorker();
    await expect.poll(() => redis.zcard('{writ}:plan:failed')).toBe(1);
    await passAfter(60_000);
    expect(firings()).toEqual(['pushed 2']);
    expect((await plans.ended(id)).view.state).toBe('success');
  });
});
