import { describe, expect, it } from 'vitest';
import { createWorld } from '../world.ts';
import { planIdOfEnvelope } from '../world-plans.ts';

const idOf = (n: number): string => n.toString(16).padStart(64, '0');

async function worldWithPlans() {
  const world = await createWorld();
  world.plans.show(idOf(1), { state: 'failure', error: { code: 'TOOL_FAILED', message: '\u001b[2Jno' }, stepsDone: 2 });
  world.plans.show(idOf(2), { state: 'running', stepsDone: 1 });
  world.plans.show(idOf(3), { state: 'waiting' });
  return { world, writ: (...args: string[]) => world.cli(['plans', ...args]) };
}

describe('writ plans', () => {
  it('lists them as a table, and a line a plan for programs', async () => {
    const { writ } = await worldWithPlans();
    expect((await writ('list')).out).toMatch(/0001 +failure +0 ms +2 +TOOL_FAILED: \\u001b\[2Jno\n/);
    expect((await writ('list', '--state', 'running', '--json')).lines).toMatchObject([{ plan_id: idOf(2), state: 'running' }]);
    expect(await writ('list', '--state', 'delayed')).toMatchObject({ code: 2, err: expect.stringContaining('--state') });
  });

  it('shows each step with its time, also after a retry', async () => {
    const { world, writ } = await worldWithPlans();
    const step = { generation: 0, capability_id: 'FILE_COPY', voided: false } as const;
    const at = (s: number): string => new Date(s * 1000).toISOString();
    world.plans.histories.set(idOf(2), {
      ...{ plan_id: idOf(2), state: 'running', retries: 1, updated_at: at(70) },
      steps: [
        { ...step, path: '0', task_id: 's-1', state: 'success', since: at(0), ended_at: at(65) },
        { ...step, path: '1', task_id: 's-2', state: 'failure', error_code: 'TOOL_FAILED', voided: true },
      ],
    });
    const { code, out } = await writ('show', idOf(2));
    expect(code).toBe(3);
    expect(out).toMatch(/retries +1/);
    expect(out).toMatch(/\n0 +FILE_COPY +success +1 min 5 s +s-1\n1 +FILE_COPY +TOOL_FAILED \(voided by a retry\) +- +s-2\n$/);
    expect(await writ('show', idOf(1))).toMatchObject({ code: 1, out: expect.stringContaining('no step has ended') });
    expect((await writ('show', idOf(9))).code).toBe(1);
  });

  it('retries and cancels many after a yes, and is audited', async () => {
    const { world, writ } = await worldWithPlans();
    expect(await writ('cancel')).toMatchObject({ code: 2, err: expect.stringContaining('this would cancel 2 plans') });
    expect(await writ('cancel', '--yes')).toMatchObject({ code: 0, out: '2 plans asked to cancel\n' });
    expect((await world.plans.door.plans.view(idOf(3)))?.cancelRequested).toBe(true);
    expect(await writ('retry', '--yes', '--json')).toMatchObject({ code: 0, lines: [{ id: idOf(1), outcome: 'done' }, { summary: { plans: 1, done: 1 } }] });
    expect(world.plans.retried).toHaveLength(1);
    expect(await writ('retry', idOf(2))).toMatchObject({ code: 1, out: '0 plans retried, 1 refused (WRONG_STATE 1)\n' });
    expect(new Set(world.audit.map(({ action }) => action))).toEqual(new Set(['plan.cancel_all', 'plan.retry_all']));
  });

  it('renews the leases of many that have expired, counted first, or refuses these plans', async () => {
    const { world, writ } = await worldWithPlans();
    const envelope = { payload: { steps: [] } };
    const late = planIdOfEnvelope(envelope);
    await world.plans.door.plans.push({ envelope, lease: `expired-${late}` });
    world.plans.show(late, { state: 'failure' });
    expect(await writ('retry', '--regrant')).toMatchObject({ code: 2, err: expect.stringContaining('this would retry 2 plans') });
    expect(await writ('retry', late, '--no-regrant')).toMatchObject({ code: 1, out: '0 plans retried, 1 refused (LEASE_EXPIRED 1)\n' });
    expect(world.asked.plans).toEqual([]);
    expect(await writ('retry', '--yes')).toMatchObject({ code: 0, out: '2 plans retried\n' });
    expect(world.asked.plans).toEqual([{ renews: `expired-${late}` }]);
    // Of the other one nothing is kept, from which a lease could be asked for.
    expect(await writ('retry', '--regrant', '--yes')).toMatchObject({ code: 1, out: '1 plan retried, 1 refused (NOT_FOUND 1)\n' });
  });
});
