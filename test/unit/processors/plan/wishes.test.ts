import { beforeEach, describe, expect, it } from 'vitest';
import { createParkedPlans } from '../../../../processors/plan/replay.ts';
import { failure } from '../../../../src/core/outcome.ts';
import type { Bindings } from '../../../../src/core/ports/index.ts';
import { say } from '../../../support/plan-core.ts';
import { wishAt } from '../../../support/wishes.ts';
import { createPlanWorld } from './world.ts';

const HTTP: Bindings = () => ({ adapter: 'http', provider: 'echo' });

type World = Awaited<ReturnType<typeof createPlanWorld>>;

/** A plan whose first step has failed. */
async function failedWorld(): Promise<World> {
  const world = await createPlanWorld([say()], HTTP);
  await world.deliver();
  await failAgain(world, 0);
  return world;
}

async function failAgain(world: World, generation: number): Promise<void> {
  await world.answer(world.manifestAt('0', generation), failure('TOOL_OUTCOME_UNKNOWN', 'nobody can tell'));
  expect(await world.deliver(createParkedPlans(world.deps))).toMatchObject({ kind: 'ended', replayed: false, plan: { generation } });
}

describe('the job of a plan that has failed', () => {
  let world: World;
  beforeEach(async () => {
    world = await failedWorld();
  });
  const generation = async (): Promise<number | undefined> => world.journal.generation(world.planSha256);

  it('tells the same end when it is delivered again, as by a Redis that came back as it was before, and does nothing', async () => {
    const pushed = world.pushed.length;
    for (const _time of [1, 2, 3]) expect(await world.deliver()).toMatchObject({ kind: 'ended', replayed: true, end: { code: 'TOOL_OUTCOME_UNKNOWN' } });
    expect([world.pushed.length, await generation()]).toEqual([pushed, 0]);
  });

  it('runs on at the first retry, and is the same retry however often it is delivered', async () => {
    world.retry();
    world.standAt(world.manifestAt('0', 1));
    for (const _time of [1, 2]) expect(await world.deliver(createParkedPlans(world.deps))).toMatchObject({ kind: 'parked' });
    expect([world.pushed.at(-1), await generation()]).toEqual([world.manifestAt('0', 1), 1]);
  });

  it('tells how its retry has ended when it comes back as it was before that, and when it is retried from there; then it runs on', async () => {
    world.retry();
    await failAgain(world, 1);
    world.comesBackAs({ ends: 0, failures: 0 });
    const told = { kind: 'ended', replayed: true, plan: { generation: 1 } };
    expect(await world.deliver()).toMatchObject(told);
    world.retry();
    expect(await world.deliver()).toMatchObject(told);
    world.retry();
    expect(await world.deliver()).toMatchObject({ kind: 'parked' });
    expect(await generation()).toBe(2);
  });

  it('runs on for a retry that has set its count of ends back', async () => {
    world.retry();
    world.comesBackAs({ ends: 0 });
    expect(await world.deliver()).toMatchObject({ kind: 'parked' });
    expect(await generation()).toBe(1);
  });

  it('is an ask of its own when somebody has pushed the plan anew', async () => {
    world.comesBackAs({ ends: 0, failures: 0, addedAt: 77 });
    expect(await world.deliver()).toMatchObject({ kind: 'parked' });
    expect(await generation()).toBe(1);
  });

  it.each([[{ ends: Number.NaN }], [{ ends: Number.MAX_VALUE }], [{ addedAt: -1e300 }]])(
    'with figures that somebody has made up buys one retry: %o',
    async (figures) => {
      world.comesBackAs(figures);
      await world.deliver();
      await failAgain(world, 1);
      for (const _time of [1, 2]) expect(await world.deliver()).toMatchObject({ kind: 'ended', replayed: true, plan: { generation: 1 } });
    },
  );
});

describe('a job of a plan under another id', () => {
  /** What it has put back, by the wish that this job then had. */
  async function following(world: World) {
    const ran: string[] = [];
    let next = 100;
    const jobs = {
      ...world.deps.jobs,
      async run(_id: string, _data: unknown, mayRun: (wish: string) => Promise<boolean>) {
        next += 1;
        if (await mayRun(wishAt(next))) ran.push(wishAt(next));
      },
    };
    const cleared: string[] = [];
    const views = { ...world.deps.views, clearCancel: async (id: string) => void cleared.push(id) };
    world.deps = { ...world.deps, jobs, views };
    return { ran, cleared };
  }

  it('begins the plan, puts its job on the queue, and tells the end when its note that it waited is lost', async () => {
    const world = await createPlanWorld([say()], HTTP);
    const { ran } = await following(world);
    expect(await world.deliver(undefined, 'raw-1')).toMatchObject({ kind: 'parked' });
    expect(await world.journal.record(world.planSha256)).toMatchObject({ end: undefined, generation: 0 });
    expect(await world.journal.served(world.planSha256, ran[0] ?? '')).toBe(true);
    await world.deliver();
    await failAgain(world, 0);
    expect(await world.deliver(undefined, 'raw-1')).toMatchObject({ kind: 'ended', replayed: true, plan: { generation: 0 } });
    expect(ran.length).toBe(1);
  });

  it('after the plan has failed is a retry, once, and forgets a cancel of before', async () => {
    const world = await failedWorld();
    const { ran, cleared } = await following(world);
    expect(await world.deliver(undefined, 'raw-2')).toMatchObject({ kind: 'parked' });
    expect([cleared.length, ran.length, await world.journal.generation(world.planSha256)]).toEqual([1, 1, 1]);
    // It was killed before it could put the job on the queue.
    expect(await world.deliver(undefined, 'raw-2')).toMatchObject({ kind: 'parked' });
    expect([cleared.length, ran.length, await world.journal.generation(world.planSha256)]).toEqual([1, 2, 1]);
    world.comesBackAs({ ends: 0, failures: 0 });
    await failAgain(world, 1);
    for (const id of ['raw-2', 'raw-2']) expect(await world.deliver(undefined, id)).toMatchObject({ kind: 'ended', plan: { generation: 1 } });
  });

  it('puts no job back when the plan has ended meanwhile', async () => {
    const world = await failedWorld();
    const { ran } = await following(world);
    const { begin } = world.journal;
    const failed = (await world.journal.record(world.planSha256))?.end;
    const ending: typeof begin = async (plan, now) => {
      const record = await begin(plan, now);
      if (failed !== undefined) await world.journal.end({ planSha256: world.planSha256, generation: 1 }, failed, now);
      return record;
    };
    world.deps = { ...world.deps, journal: { ...world.journal, begin: ending } };
    const end = await world.deliver(undefined, 'raw-3');
    expect(end).toMatchObject({ kind: 'parked' });
    expect([ran, end.kind === 'parked' && (await end.isAnswered())]).toEqual([[], true]);
  });
});
