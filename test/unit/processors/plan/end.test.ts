import { expect, it } from 'vitest';
import type { PlanDeps } from '../../../../processors/plan/context.ts';
import { endAt } from '../../../../processors/plan/end.ts';
import { createWalk } from '../../../../processors/plan/walk.ts';
import { BOUNDS } from '../../../../src/contracts/bounds.ts';
import type { Bindings } from '../../../../src/core/ports/index.ts';
import { deferred } from '../../../conformance/deferred.ts';
import { testClock } from '../../../fixtures/authority/world.ts';
import { say } from '../../../support/plan-core.ts';
import { wishAt } from '../../../support/wishes.ts';
import { createPlanWorld } from './world.ts';

const HTTP: Bindings = () => ({ adapter: 'http', provider: 'echo' });

it('the end of a plan is the last that is shown of it, whatever the walk still had to show', async () => {
  const world = await createPlanWorld([say(), say()], HTTP);
  await world.deliver();
  const shown: string[] = [];
  const arrives = deferred();
  const walk = createWalk({
    delivery: { signal: new AbortController().signal, lockIsFresh: () => true },
    monotonic: testClock().monotonic,
    async write({ stepsDone }) {
      await arrives.promise;
      shown.push(`running ${stepsDone}`);
      return false;
    },
  });
  const at = (stepsDone: number) => ({ state: 'running', stepsDone, current: undefined, error: undefined, result: undefined }) as const;
  const first = walk.show(at(0));
  await walk.show(at(1));
  const deps: PlanDeps = {
    ...world.deps,
    views: {
      ...world.deps.views,
      async show(_id, { state }) {
        shown.push(state);
        return false;
      },
    },
    // The journal has the end, and the first view is still on its way.
    onPoint: (point) => void (point === 'ended' && setImmediate(arrives.resolve)),
  };
  const { planSha256 } = world;
  const record = await world.journal.record(planSha256);
  const { end } = deps.startPlan(JSON.parse(record?.envelope ?? '{}'));
  const ended = endAt(
    { planSha256, generation: 0, exp: 4_000_000_000, replay: { stepsDone: 2 }, walk },
    end({ code: 'CANCELLED', message: 'cancelled' }),
    deps,
  );
  await Promise.all([first, ended]);
  expect(shown).toEqual(['running 0', 'failure']);
});

it('the end of a plan is signed once, and one that cannot be signed is replaced by one that says so', async () => {
  const world = await createPlanWorld([say(), say()], HTTP);
  await world.deliver();
  const { planSha256 } = world;
  const record = await world.journal.record(planSha256);
  const { end } = world.deps.startPlan(JSON.parse(record?.envelope ?? '{}'));
  let signed = 0;
  const { endSigner } = world.deps;
  const deps: PlanDeps = {
    ...world.deps,
    endSigner: {
      signEnd(id, envelope) {
        signed += 1;
        return endSigner.signEnd(id, envelope);
      },
    },
  };
  const plan = { planSha256, generation: 0, exp: 4_000_000_000, replay: { stepsDone: 2 } };
  const cancelled = end({ code: 'CANCELLED', message: 'cancelled' });
  const huge = { ...cancelled, envelope: { ...cancelled.envelope, output: { results: ['x'.repeat(BOUNDS.planEnd)] } } };
  expect(await endAt(plan, huge, deps)).toMatchObject({
    end: { code: 'RESOURCE_EXHAUSTED', message: expect.stringMatching(/^the plan's end cannot be signed: the end has \d+ bytes/) },
  });
  expect(signed).toBe(2);
  expect(await world.journal.begin({ planSha256, envelope: '{}', lease: 'a lease', wish: wishAt(1) }, 1)).toMatchObject({ generation: 1 });
  expect(await endAt({ ...plan, generation: 1 }, cancelled, deps)).toMatchObject({ kind: 'ended', end: { code: 'CANCELLED' } });
  expect(signed).toBe(3);
});
