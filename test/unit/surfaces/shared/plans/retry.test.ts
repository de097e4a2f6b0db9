import { describe, expect, it } from 'vitest';
import { WritError } from '../../../../../src/core/errors.ts';
import { type PlanRetryTerms, planRetryServices, retryPlan, retryPlans } from '../../../../../src/surfaces/shared/plans/retry.ts';
import { createWorld, type World } from '../../cli/world.ts';
import { planIdOfEnvelope } from '../../cli/world-plans.ts';

type Standing = 'failure' | 'running' | 'success';

/** A world with a plan that was pushed under a lease that lives or has expired, and stands so now. */
async function opened(over: { readonly regrantByDefault?: boolean; readonly kernel?: World['kernel'] } = {}) {
  const world = await createWorld();
  const { plans, kernel, clock } = world;
  const services = planRetryServices(plans.door, { kernel: async () => over.kernel ?? kernel, clock, regrantByDefault: over.regrantByDefault ?? true });
  const pushed = async (name: string, lease: 'live' | 'expired', state: Standing = 'failure'): Promise<string> => {
    const envelope = { payload: { name } };
    const id = planIdOfEnvelope(envelope);
    await plans.door.plans.push({ envelope, lease: `${lease}-${id}` });
    plans.show(id, { state });
    return id;
  };
  const retry = (id: string, terms: PlanRetryTerms = {}) => retryPlan(id, terms, services);
  return { world, plans, services, pushed, retry };
}

const code = (done: Promise<unknown>): Promise<unknown> =>
  done.then(
    () => undefined,
    (error: unknown) => (error as WritError).code,
  );

describe('a retry of a plan', () => {
  it('is under its own lease while that lives, and asks no kernel', async () => {
    const { world, plans, pushed, retry } = await opened();
    expect(await retry(await pushed('a', 'live'))).toEqual({ regranted: false });
    expect([plans.retried, plans.pushed.length, world.asked.plans]).toEqual([[undefined], 1, []]);
  });

  it('is under a new lease for the same envelope when the old one has expired, or when that is asked for', async () => {
    const { world, plans, pushed, retry } = await opened();
    const [late, live] = [await pushed('a', 'expired'), await pushed('b', 'live')];
    expect(await retry(late)).toEqual({ regranted: true });
    expect(await retry(live, { regrant: true })).toEqual({ regranted: true });
    expect(world.asked.plans).toEqual([{ renews: `expired-${late}` }, { renews: `live-${live}` }]);
    expect(plans.pushed.slice(2)).toEqual([
      { envelope: { payload: { name: 'a' } }, lease: `lease-of-${late}` },
      { envelope: { payload: { name: 'b' } }, lease: `lease-of-${live}` },
    ]);
    expect(plans.retried).toEqual([]);
  });

  it('says LEASE_EXPIRED when the old one has expired and nobody allows a new one', async () => {
    const { world, pushed, retry } = await opened();
    const id = await pushed('a', 'expired');
    expect(await code(retry(id, { regrant: false }))).toBe('LEASE_EXPIRED');
    const strict = await opened({ regrantByDefault: false });
    const there = await strict.pushed('a', 'expired');
    expect(await code(strict.retry(there))).toBe('LEASE_EXPIRED');
    expect(await strict.retry(there, { regrant: true })).toEqual({ regranted: true });
    expect(world.asked.plans).toEqual([]);
  });

  it.each([{}, { regrant: true }])('asks no kernel for a plan that nobody knows, that runs, or that has succeeded: %o', async (terms) => {
    const { world, plans, pushed, retry } = await opened();
    expect(await code(retry('0'.repeat(64), terms))).toBe('NOT_FOUND');
    expect(await code(retry(await pushed('a', 'expired', 'running'), terms))).toBe('WRONG_STATE');
    expect(await code(retry(await pushed('b', 'expired', 'success'), terms))).toBe('WRONG_STATE');
    expect([world.asked.plans, plans.pushed.length, plans.retried]).toEqual([[], 2, []]);
  });

  it('pushes what is kept when its job is gone, and says so when nothing is', async () => {
    const { plans, pushed, retry } = await opened();
    const id = await pushed('a', 'live');
    plans.lost.add(id);
    expect(await retry(id)).toEqual({ regranted: false });
    expect(plans.pushed[1]).toEqual(plans.pushed[0]);
    expect(await retry(id, { lease: `brought-${id}` })).toEqual({ regranted: false });
    expect(plans.pushed[2]).toEqual({ ...plans.pushed[0], lease: `brought-${id}` });
    const unkept = '1'.repeat(64);
    plans.show(unkept, { state: 'failure' });
    plans.lost.add(unkept);
    for (const terms of [{}, { regrant: true }]) expect(await code(retry(unkept, terms))).toBe('NOT_FOUND');
    expect(plans.pushed).toHaveLength(3);
  });

  it('takes a lease that is brought, expired or not, and not together with a regrant', async () => {
    const { world, plans, pushed, retry } = await opened();
    const id = await pushed('a', 'expired');
    expect(await retry(id, { lease: 'brought', regrant: false })).toEqual({ regranted: false });
    expect([plans.retried, world.asked.plans]).toEqual([['brought'], []]);
    await expect(retry(id, { lease: 'brought', regrant: true })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', field: 'regrant' });
  });

  it('changes nothing while the kernel is away, or when it refuses', async () => {
    for (const refusal of ['KERNEL_UNAVAILABLE', 'LEASE_REFUSED'] as const) {
      const world = await createWorld();
      const kernel = { ...world.kernel, issuePlan: () => Promise.reject(new WritError(refusal, 'no')) };
      const { plans, pushed, retry } = await opened({ kernel });
      expect(await code(retry(await pushed('a', 'expired')))).toBe(refusal);
      expect([plans.pushed.length, plans.retried]).toEqual([1, []]);
    }
  });

  it('says WRONG_STATE when somebody else has put the plan on its way meanwhile', async () => {
    const { world, plans, services, pushed } = await opened();
    const id = await pushed('a', 'expired');
    const kernel: World['kernel'] = {
      ...world.kernel,
      async issuePlan(envelope, terms) {
        plans.show(id, { state: 'waiting' });
        return world.kernel.issuePlan(envelope, terms);
      },
    };
    expect(await code(retryPlan(id, {}, { ...services, kernel: async () => kernel }))).toBe('WRONG_STATE');
  });
});

describe('retries of many plans', () => {
  it.each([{}, { regrant: true }, { regrant: false }])('end as they do one by one, in order: %o', async (terms) => {
    const [alone, together] = [await opened(), await opened()];
    const names = async ({ pushed }: typeof alone): Promise<readonly string[]> => {
      const ids: string[] = [];
      for (let at = 0; at < 45; at += 1) ids.push(await pushed(`p${at}`, at % 3 === 0 ? 'expired' : 'live', at % 7 === 0 ? 'running' : 'failure'));
      return ids;
    };
    const ids = await names(alone);
    const expected: unknown[] = [];
    for (const id of ids) expected.push(await alone.retry(id, terms).catch((error: WritError) => error.code));
    const ends = await retryPlans(await names(together), terms, together.services);
    expect(ends.map((end) => (end.kind === 'retried' ? { regranted: end.regranted } : (end.error as WritError).code))).toEqual(expected);
    expect(new Set(expected.map(String))).toContain('WRONG_STATE');
  });
});
