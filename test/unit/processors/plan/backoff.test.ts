import { describe, expect, it } from 'vitest';
import { createParkedPlans } from '../../../../processors/plan/replay.ts';
import type { Clock } from '../../../../src/core/clock.ts';
import { failure, withRetryAfter } from '../../../../src/core/outcome.ts';
import type { Bindings } from '../../../../src/core/ports/index.ts';
import { testClock } from '../../../fixtures/authority/world.ts';
import { say } from '../../../support/plan-core.ts';
import { createPlanWorld } from './world.ts';

const HTTP: Bindings = () => ({ adapter: 'http', provider: 'echo' });
const STEPS = [say({}, { retry: { max: 2, backoff_ms: 60_000 } }), say()];

/** A plan whose first attempt has failed, under a clock that can be set. */
async function failedOnce(message = 'no') {
  const world = await createPlanWorld(STEPS, HTTP);
  const steady = testClock();
  let off = 0;
  const clock: Clock = { now: () => steady.now() + off, monotonic: steady.monotonic };
  world.deps = { ...world.deps, clock };
  await world.deliver();
  const first = world.manifestAt('0');
  await world.answer(first, failure('TOOL_FAILED', message));
  const set = (ms: number): void => {
    off = ms;
  };
  return { world, first, advance: steady.advance, set };
}

describe('a declared retry in the plan role', () => {
  it('is parked for its backoff, and is a task of its own which knows the first attempt', async () => {
    const { world, first, advance } = await failedOnce();
    expect(await world.deliver()).toMatchObject({ kind: 'parked', ms: 60_000 });
    expect(world.pushed).toHaveLength(1);
    advance(60_000);
    const second = world.manifestAt('0~2', 0, HTTP, first.task_id);
    world.standAt(second);
    expect(await world.deliver()).toMatchObject({ kind: 'parked', ms: 2_000 });
    expect(world.pushed).toEqual([first, second]);
    expect(second).toMatchObject({ inputs: { retry_of: first.task_id }, provenance: { step: '0~2' } });
    expect(second.task_id).not.toBe(first.task_id);
  });

  it('is waited for by the next worker as long as is left, when one is killed meanwhile', async () => {
    const { world, advance } = await failedOnce();
    await world.deliver();
    advance(45_000);
    expect(await world.deliver()).toMatchObject({ kind: 'parked', ms: 15_000 });
    advance(15_000);
    world.standAt(world.manifestAt('0~2', 0, HTTP, world.manifestAt('0').task_id));
    expect(await world.deliver()).toMatchObject({ kind: 'parked', ms: 2_000 });
  });

  it('waits as long as the tool has asked, when that is longer', async () => {
    expect(await (await failedOnce(withRetryAfter('the tool answered 429', 300))).world.deliver()).toMatchObject({ kind: 'parked', ms: 300_000 });
    expect(await (await failedOnce(withRetryAfter('the tool answered 429', 5))).world.deliver()).toMatchObject({ kind: 'parked', ms: 60_000 });
  });

  it('is waited for once, not for hours, by a worker whose clock was set back', async () => {
    const { world, advance, set, first } = await failedOnce();
    const parked = createParkedPlans(world.deps);
    expect(await world.deliver(parked)).toMatchObject({ kind: 'parked', ms: 60_000 });
    set(-7_200_000);
    advance(20_000);
    expect(await world.deliver(parked)).toMatchObject({ kind: 'parked', ms: 40_000 });
    advance(40_000);
    world.standAt(world.manifestAt('0~2', 0, HTTP, first.task_id));
    expect(await world.deliver(parked)).toMatchObject({ kind: 'parked', ms: 2_000 });
  });

  it('shows until when it waits, and ends with the plan when somebody cancels it meanwhile', async () => {
    const { world } = await failedOnce();
    await world.deliver();
    world.view.cancelRequested = true;
    expect(await world.deliver()).toMatchObject({ kind: 'ended', end: { code: 'CANCELLED' } });
    expect(world.pushed).toHaveLength(1);
  });
});
