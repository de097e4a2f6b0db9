import { describe, expect, it } from 'vitest';
import type { PlanDeps } from '../../../../processors/plan/context.ts';
import { settlePlan } from '../../../../processors/plan/plan-worker.ts';
import { createParkedPlans } from '../../../../processors/plan/replay.ts';
import { MAX_SAME_FAULTS } from '../../../../processors/repeated-faults.ts';
import { WritError } from '../../../../src/core/errors.ts';
import { failure, success } from '../../../../src/core/outcome.ts';
import type { Bindings, JobView, TaskRow } from '../../../../src/core/ports/index.ts';
import { say } from '../../../support/plan-core.ts';
import { wishAt } from '../../../support/wishes.ts';
import { createPlanWorld } from './world.ts';

const HTTP: Bindings = () => ({ adapter: 'http', provider: 'echo' });
const NONE: Bindings = () => undefined;

const TWO_STEPS = [say(), say()];

describe('deliveries of a plan that crash', () => {
  it('are delayed by how many of them crashed in a row, however many steps the plan has behind it', async () => {
    const world = await createPlanWorld(
      Array.from({ length: 12 }, () => say()),
      HTTP,
    );
    for (let step = 0; step < 11; step += 1) {
      world.standAt(`${step}`);
      expect(await world.deliver()).toMatchObject({ kind: 'parked' });
      await world.answer(world.manifestAt(`${step}`), success({ data: {} }));
    }
    world.standAt('11');
    const outage = new WritError('KERNEL_UNAVAILABLE', 'the kernel is away');
    const { kernel } = world.deps;
    world.deps = { ...world.deps, kernel: { derive: () => Promise.reject(outage) } };
    const delays: unknown[] = [];
    for (let n = 0; n < 8; n += 1) delays.push(settlePlan(await world.deliver()));
    expect(delays).toEqual([1, 2, 4, 8, 15, 15, 15, 15].map((seconds) => ({ kind: 'delay', ms: seconds * 1000 })));
    world.deps = { ...world.deps, kernel };
    expect(await world.deliver()).toMatchObject({ kind: 'parked' });
    world.deps = { ...world.deps, kernel: { derive: () => Promise.reject(outage) }, faults: world.deps.faults };
    expect(settlePlan(await world.deliver())).toEqual({ kind: 'delay', ms: 1000 });
  });

  it('for a fault that comes back unchanged end the plan, which a retry runs on from where it stood', async () => {
    const world = await createPlanWorld(TWO_STEPS, HTTP);
    await world.deliver();
    await world.answer(world.manifestAt('0'), success({ data: { n: 1 } }));
    world.standAt('1');
    const { enqueue } = world.deps;
    world.deps = { ...world.deps, enqueue: { ...enqueue, push: () => Promise.reject(new TypeError('at 17 of /srv/secret')) } };
    for (let n = 1; n < MAX_SAME_FAULTS; n += 1) expect(await world.deliver()).toMatchObject({ kind: 'crashed', inRow: n });
    const message = 'the same fault came back 6 times (TypeError)';
    expect(await world.deliver()).toMatchObject({ kind: 'ended', end: { status: 'FAILURE', code: 'EXECUTION_FAILED', message, endedBy: undefined } });
    expect(world.view.shown).toBe('failure');
    expect(JSON.parse((await world.journal.record(world.planSha256))?.end?.result ?? '')).toMatchObject({
      envelope: { output: { results: [{ ok: true, data: { n: 1 } }] }, error: { code: 'EXECUTION_FAILED', message } },
    });
    world.retry();
    world.deps = { ...world.deps, enqueue };
    expect(await world.deliver()).toMatchObject({ kind: 'parked' });
    expect(world.pushed.at(-1)).toEqual(world.manifestAt('1'));
  });

  it('because the journal is not of this plan end it as well, without results', async () => {
    const world = await createPlanWorld(TWO_STEPS, HTTP);
    await world.deliver();
    await world.journal.append(world.planSha256, { path: '7', generation: 0, taskId: 'of another', executorResult: '{}', capabilityId: undefined }, 1);
    for (let n = 1; n < MAX_SAME_FAULTS; n += 1) expect(await world.deliver()).toMatchObject({ kind: 'crashed' });
    expect(await world.deliver()).toMatchObject({ kind: 'ended', end: { code: 'EXECUTION_FAILED', message: expect.stringContaining('REPLAY_MISMATCH') } });
  });

  it('can be cancelled meanwhile', async () => {
    const world = await createPlanWorld(TWO_STEPS, HTTP);
    world.deps = { ...world.deps, ledger: { ...world.deps.ledger, row: () => Promise.reject(new RangeError('again')) } };
    expect(await world.deliver()).toMatchObject({ kind: 'crashed', inRow: 1 });
    world.view.cancelRequested = true;
    expect(await world.deliver()).toMatchObject({ kind: 'ended', end: { code: 'CANCELLED' } });
  });

  it('for an outage are tried again, however often', async () => {
    const world = await createPlanWorld(TWO_STEPS, HTTP);
    world.deps = { ...world.deps, kernel: { derive: () => Promise.reject(new WritError('KERNEL_UNAVAILABLE', 'away')) } };
    for (let n = 1; n < 4 * MAX_SAME_FAULTS; n += 1) expect(await world.deliver()).toMatchObject({ kind: 'crashed', inRow: n });
  });
});

describe('a plan whose step waits on its queue', () => {
  it('waits for it in its slot once, and then comes back at once', async () => {
    const world = await createPlanWorld(TWO_STEPS, HTTP);
    let heard = 0;
    const residents = { hear: async () => ++heard < 0, stopping: false } as unknown as PlanDeps['residents'];
    const job = { state: 'waiting' } as JobView;
    world.deps = { ...world.deps, ...(residents && { residents }), enqueue: { ...world.deps.enqueue, jobState: async () => (heard > 0 ? job : undefined) } };
    const parked = createParkedPlans(world.deps);
    const delays: unknown[] = [];
    for (let n = 0; n < 3; n += 1) delays.push(settlePlan(await world.deliver(parked)));
    expect([heard, delays]).toEqual([1, [2, 4, 8].map((seconds) => ({ kind: 'delay', ms: seconds * 1000 }))]);
  });

  it.each([
    { plans: 40, job: true, exp: 3600, least: 30_000, most: 30_000 },
    { plans: 1000, job: true, exp: 3600, least: 250_000, most: 500_000 },
    { plans: 1_000_000, job: true, exp: 3600, least: 300_000, most: 600_000 },
    // The end of its lease ends the plan.
    { plans: 1000, job: true, exp: 100, least: 100_000, most: 100_000 },
    // A step without a job has nobody else to look after it.
    { plans: 1000, job: false, exp: 3600, least: 30_000, most: 30_000 },
  ])('comes back by itself after $least to $most ms where $plans wait, its step has a job: $job, and its lease lives for $exp s', async (one) => {
    const world = await createPlanWorld(TWO_STEPS, HTTP);
    const { authorities, enqueue, jobs, ledger } = world.deps;
    const authenticatePlan = async () => ({ ok: true, lease: { exp: world.deps.clock.now() / 1000 + one.exp } }) as never;
    const held = { state: 'running', owner: 'w', cancelRequested: false } as TaskRow;
    world.deps = {
      ...world.deps,
      authorities: { ...authorities, authenticatePlan },
      jobs: { ...jobs, parked: async () => one.plans },
      enqueue: { ...enqueue, jobState: async () => (one.job ? ({ state: 'waiting' } as JobView) : undefined) },
      ledger: { ...ledger, row: async () => (one.job ? undefined : held) },
      local: { mayRun: async () => true, isHeld: async () => true, take: () => undefined, leave: async () => undefined },
    };
    const parked = createParkedPlans(world.deps);
    for (let n = 0; n < 6; n += 1) await world.deliver(parked);
    const end = await world.deliver(parked);
    if (end.kind !== 'parked') throw new Error(end.kind);
    expect(end.ms).toBeGreaterThanOrEqual(one.least);
    expect(end.ms).toBeLessThanOrEqual(one.most);
  });
});

describe('a plan whose lease counts only later', () => {
  async function early() {
    const world = await createPlanWorld(TWO_STEPS, HTTP);
    world.deps = { ...world.deps, authorities: { ...world.deps.authorities, earlyBy: () => 90_000 } };
    return world;
  }

  it('goes back until then, and nothing of it is written', async () => {
    const world = await early();
    expect(await world.deliver()).toMatchObject({ kind: 'parked', ms: 90_000 });
    expect(await world.deliver(undefined, 'raw-1')).toMatchObject({ kind: 'parked', ms: 90_000 });
    expect([await world.journal.record(world.planSha256), world.view.shown]).toEqual([undefined, undefined]);
  });

  it('is refused and not put off where it is time by the clock of Redis: that of this host is behind', async () => {
    const world = await early();
    const { authorities } = world.deps;
    const authorizePlan = () => ({ code: 'INVALID_LEASE', message: 'the lease was issued in the future' }) as const;
    world.deps = { ...world.deps, redisTime: async () => Number.MAX_SAFE_INTEGER, authorities: { ...authorities, authorizePlan } };
    expect(await world.deliver()).toMatchObject({ kind: 'ended', end: { code: 'INVALID_LEASE' } });
  });

  it('ends at once when somebody cancels it, before or after it went back', async () => {
    const world = await early();
    const end = await world.deliver();
    if (end.kind !== 'parked') throw new Error(end.kind);
    expect(await end.isAnswered()).toBe(false);
    world.view.cancelRequested = true;
    expect(await end.isAnswered()).toBe(true);
    expect(await world.deliver()).toMatchObject({ kind: 'ended', end: { code: 'CANCELLED' } });
    expect(world.pushed).toEqual([]);
  });
});

describe('a delivery that slept while the plan was ended and retried', () => {
  /** Another delivery ends the plan for its first step, and an operator retries it. */
  async function retried() {
    const world = await createPlanWorld(TWO_STEPS, HTTP);
    await world.deliver();
    const { planSha256, journal } = world;
    const meanwhile = async (): Promise<void> => {
      await world.answer(world.manifestAt('0'), failure('TOOL_FAILED', 'no'));
      expect(await world.deliver(createParkedPlans(world.deps))).toMatchObject({ kind: 'ended', end: { code: 'TOOL_FAILED', endedBy: '0' } });
      await journal.begin({ planSha256, envelope: '{}', lease: 'a lease', wish: wishAt(1) }, 1);
    };
    return { world, meanwhile };
  }
  const stale = { kind: 'interrupted', reason: 'stale' };
  const other = <T extends object>(parts: T): T => ({ ...parts });

  it('does not end it', async () => {
    const { world, meanwhile } = await retried();
    const deps = world.deps;
    const read = deps.views.read;
    // It has read that the plan is to be cancelled, and falls asleep before it says so.
    world.view.cancelRequested = true;
    const endSigner: typeof deps.endSigner = {
      async signEnd(planSha256, envelope) {
        world.view.cancelRequested = false;
        world.deps = { ...deps, inFlight: other(deps.inFlight), endSigner: deps.endSigner };
        world.deps.inFlight.claimTask = () => true;
        if ((await world.journal.record(planSha256))?.generation === 0) await meanwhile();
        return deps.endSigner.signEnd(planSha256, envelope);
      },
    };
    world.deps = { ...deps, endSigner, views: { ...deps.views, read } };
    expect(await world.deliver()).toEqual(stale);
    expect(await world.journal.record(world.planSha256)).toMatchObject({ generation: 1, end: undefined });
  });

  it('does not retry it once more when it was ended again', async () => {
    const { world } = await retried();
    const { planSha256, journal } = world;
    await world.answer(world.manifestAt('0'), failure('TOOL_FAILED', 'no'));
    await world.deliver();
    world.retry();
    const begin: typeof journal.begin = async (...args) => {
      const end = (await journal.record(planSha256))?.end;
      if (end === undefined) throw new Error('the plan has ended');
      // It sleeps, and its job is delivered again meanwhile.
      await journal.begin(...args);
      await journal.end({ planSha256, generation: 1 }, end, 2);
      return journal.begin(...args);
    };
    world.deps = { ...world.deps, journal: { ...journal, begin } };
    expect(await world.deliver()).toMatchObject({ kind: 'ended', plan: { generation: 1 }, end: { code: 'TOOL_FAILED' } });
    expect(await journal.record(planSha256)).toMatchObject({ generation: 1 });
  });

  it("does not put the step's first task on its queue again", async () => {
    const { world, meanwhile } = await retried();
    const deps = world.deps;
    const before = world.pushed.length;
    world.deps = {
      ...deps,
      kernel: {
        async derive(request) {
          world.deps = { ...deps, inFlight: { ...deps.inFlight, claimTask: () => true } };
          await meanwhile();
          return deps.kernel.derive(request);
        },
      },
    };
    expect(await world.deliver()).toEqual(stale);
    expect(world.pushed.length).toBe(before);
  });
});

describe('a step whose tool was bound in another way', () => {
  it('when it was answered counts as it was signed', async () => {
    const world = await createPlanWorld([say({}, { on_error: { mode: 'continue' }, save: { to: { n: '$.data.n' } } }), say()], HTTP);
    const asCapability = world.manifestAt('0', 0, () => ({ adapter: 'writ' }));
    await world.answer(asCapability, success({ n: 7 }));
    world.standAt('1');
    expect(await world.deliver()).toMatchObject({ kind: 'parked' });
    expect(await world.journal.entries(world.planSha256)).toMatchObject([{ path: '0', capabilityId: 'say' }]);
    await world.answer(world.manifestAt('1'), success({ data: {} }));
    // In a process that has only the journal.
    const end = await world.deliver(createParkedPlans(world.deps));
    expect(end).toMatchObject({ kind: 'ended', end: { status: 'SUCCESS' } });
    expect(JSON.parse(end.kind === 'ended' ? end.end.result : '')).toMatchObject({ envelope: { output: { memory: { state: { n: 7 } } } } });
  });

  it.each([
    ['the kernel says so', () => ({ kernel: { derive: () => Promise.reject(new WritError('TASK_ID_CONFLICT', 'another manifest')) } })],
    ['the queue says so', (deps: object) => ({ enqueue: { ...Reflect.get(deps, 'enqueue'), push: async () => ({ kind: 'conflict', taskId: 't' }) } })],
  ])('when it was put on a queue, and has no answer, has an unknown outcome, which a retry leaves behind: %s', async (_what, change) => {
    const world = await createPlanWorld(TWO_STEPS, HTTP);
    const { deps } = world;
    world.deps = { ...deps, ...change(deps) };
    expect(await world.deliver()).toMatchObject({ kind: 'ended', end: { code: 'TOOL_OUTCOME_UNKNOWN', endedBy: '0' } });
    world.retry();
    world.deps = deps;
    await world.deliver();
    expect(await world.journal.entries(world.planSha256)).toMatchObject([{ path: '0', generation: 0, voided: true }]);
  });

  it('or not at all is TOOL_UNAVAILABLE', async () => {
    const world = await createPlanWorld(TWO_STEPS, NONE);
    expect(await world.deliver()).toMatchObject({ kind: 'ended', end: { code: 'TOOL_UNAVAILABLE', endedBy: '0' } });
  });
});
