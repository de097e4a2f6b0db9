import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { PlanStatus, PlanViewChange, PlanViews } from '../../src/core/ports/index.ts';

const NOW = 1_900_000_000_000;
const EXP = NOW / 1000 + 3600;

let plans = 0;
/** The hash of a plan that nobody has shown yet. */
const newPlan = (): string => (plans++).toString(16).padStart(64, '0');

function viewOf(state: PlanStatus, generation = 0, stepsDone = 0): PlanViewChange {
  const isEnd = state === 'success' || state === 'failure';
  const error = state === 'failure' ? { code: 'X', message: 'no' } : undefined;
  return { state, generation, stepsDone, current: undefined, error, result: isEnd ? `{"of":${generation}}` : undefined };
}

/** What plan views must do, wherever they live (docs/plan-protocol.md 2, Views). */
export function planViewsConformance(rig: () => PlanViews): void {
  it('shows how a plan stands, and tells each writer whether a cancel was asked', async () => {
    const [views, id] = [rig(), newPlan()];
    expect(await views.read(id)).toBeUndefined();
    expect(await views.requestCancel(id, NOW)).toBe(false);
    expect(await views.open(id, undefined, 0, NOW)).toBe(true);
    expect(await views.read(id)).toMatchObject({ id, state: 'waiting', stepsDone: 0, cancelRequested: false, updated: NOW });
    expect(await views.show(id, viewOf('running', 0, 3), EXP, NOW + 1)).toBe(false);
    expect(await views.requestCancel(id, NOW + 2)).toBe(true);
    expect(await views.show(id, viewOf('running', 0, 4), EXP, NOW + 3)).toBe(true);
    await views.clearCancel(id);
    expect(await views.show(id, viewOf('failure', 0, 4), EXP, NOW + 4)).toBe(false);
    expect(await views.read(id)).toMatchObject({ state: 'failure', stepsDone: 4, error: { code: 'X' }, result: '{"of":0}', updated: NOW + 4 });
  });

  it('shows of a plan that waits until when, and of no other', async () => {
    const [views, id] = [rig(), newPlan()];
    const begins = NOW / 1000 + 3600;
    expect(await views.open(id, undefined, begins, NOW)).toBe(true);
    expect((await views.read(id))?.notBefore).toBe(begins * 1000);
    await views.show(id, viewOf('running', 0), EXP, NOW + 1);
    expect((await views.read(id))?.notBefore).toBeUndefined();
    await views.clearCancel(id);
    for (const beginsAt of [0, NOW / 1000 - 60]) {
      expect(await views.open(id, await views.read(id), beginsAt, NOW + 2)).toBe(true);
      expect((await views.read(id))?.notBefore).toBeUndefined();
    }
  });

  it('keeps an end from a delivery that was paused before it, and from one of an earlier generation', async () => {
    const [views, id] = [rig(), newPlan()];
    await views.show(id, viewOf('success', 1), EXP, NOW);
    await views.requestCancel(id, NOW);
    for (const late of [viewOf('running', 1), viewOf('running', 0), viewOf('failure', 0)]) expect(await views.show(id, late, EXP, NOW + 1)).toBe(true);
    expect(await views.read(id)).toMatchObject({ state: 'success', result: '{"of":1}' });
    await views.show(id, viewOf('success', 1, 7), EXP, NOW + 2);
    expect(await views.read(id)).toMatchObject({ state: 'success', stepsDone: 7 });
    await views.show(id, viewOf('running', 2), EXP, NOW + 3);
    expect(await views.read(id)).toMatchObject({ state: 'running', result: undefined });
  });

  it('is opened by whoever pushes a plan, but not over an end that he has not seen', async () => {
    const [views, id] = [rig(), newPlan()];
    await views.show(id, viewOf('failure', 3, 5), EXP, NOW);
    const seen = await views.read(id);
    expect(await views.open(id, undefined, 0, NOW + 1)).toBe(false);
    await views.show(id, viewOf('success', 4), EXP, NOW + 1);
    expect(await views.open(id, seen, 0, NOW + 2)).toBe(false);
    expect(await views.read(id)).toMatchObject({ state: 'success' });
    await views.requestCancel(id, NOW + 3);
    expect(await views.open(id, await views.read(id), 0, NOW + 4)).toBe(true);
    expect(await views.read(id)).toMatchObject({ state: 'waiting', cancelRequested: false, result: undefined });
    // Nobody knows a generation then: a journal that begins anew is believed.
    await views.show(id, viewOf('success', 0), EXP, NOW + 5);
    expect(await views.read(id)).toMatchObject({ state: 'success', result: '{"of":0}' });
  });
}

type Call = (views: PlanViews, id: string, now: number, seen: Awaited<ReturnType<PlanViews['read']>>) => Promise<unknown>;

const state = fc.constantFrom<PlanStatus>('waiting', 'running', 'success', 'failure');
const CALLS: readonly fc.Arbitrary<Call>[] = [
  fc.tuple(state, fc.nat(2), fc.nat(3)).map(
    ([to, generation, steps]): Call =>
      (views, id, now) =>
        views.show(id, viewOf(to, generation, steps), EXP, now),
  ),
  fc.boolean().map(
    (sees): Call =>
      (views, id, now, seen) =>
        views.open(id, sees ? seen : undefined, 0, now),
  ),
  fc.constant<Call>((views, id, now) => views.requestCancel(id, now)),
  fc.constant<Call>((views, id) => views.clearCancel(id)),
];

/** Two implementations answer the same to any calls. */
export async function agree(one: PlanViews, other: PlanViews, numRuns: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(...CALLS), { minLength: 1, maxLength: 12 }), async (calls) => {
      const id = newPlan();
      for (const [at, make] of calls.entries()) {
        const seen = [await one.read(id), await other.read(id)] as const;
        expect(seen[0]).toEqual(seen[1]);
        const now = NOW + at;
        expect(await make(one, id, now, seen[0])).toEqual(await make(other, id, now, seen[1]));
      }
      expect(await one.read(id)).toEqual(await other.read(id));
    }),
    { numRuns },
  );
}
