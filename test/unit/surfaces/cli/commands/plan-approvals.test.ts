import { describe, expect, it } from 'vitest';
import { createWorld } from '../world.ts';

const PLAN = 'a'.repeat(64);

/** A plan that has asked one thing, and another one later; `s-1` and `s-2`. */
async function askingWorld() {
  const world = await createWorld();
  const ask = (taskId: string, question: string): void => {
    const now = world.clock.now();
    const of = { planSha256: PLAN, path: '0', manifestSha256: 'b'.repeat(64), role: 'approve', askedAt: now, until: now + 60_000 } as const;
    world.approvals.ask({ taskId, question, ...of });
  };
  world.plans.show(PLAN, { state: 'running' });
  ask('s-1', 'Move\u001b[2J it?');
  return { world, ask };
}

describe('writ plan approvals', () => {
  it('shows who is waited for, and of one plan what became of it', async () => {
    const { world } = await askingWorld();
    const shown = (await world.cli(['plan', 'approvals'])).out;
    expect(shown).toMatch(/^a+ +open +approve .*Move.*it\?/m);
    // What is shown is what the commands take.
    const [id = ''] = shown.split('\n')[1]?.split(' ') ?? [];
    expect(await world.cli(['plan', 'deny', id])).toMatchObject({ code: 0 });
    expect((await world.cli(['plan', 'approvals'])).out).toBe('no plan waits for anybody\n');
    expect((await world.cli(['plan', 'approvals', PLAN])).out).toContain('denied by tester');
  });

  it('shows a question of a plan that has ended as withdrawn, and not among those that wait, until a retry stands there again', async () => {
    const { world } = await askingWorld();
    world.plans.show(PLAN, { state: 'failure' });
    expect((await world.cli(['plan', 'approvals'])).out).toBe('no plan waits for anybody\n');
    expect((await world.cli(['plan', 'approvals', PLAN])).out).toMatch(/^a+ +withdrawn +approve /m);
    expect(world.approvals.approval('s-1')?.decision).toBeUndefined();
    world.plans.show(PLAN, { state: 'running' });
    expect((await world.cli(['plan', 'approvals'])).out).toMatch(/^a+ +open +approve /m);
  });
});

describe('writ plan approve and deny', () => {
  it('answer what the plan asks now, wake it, and stand in the audit log', async () => {
    const { world } = await askingWorld();
    const said = await world.cli(['plan', 'approve', PLAN, '--note', 'read it', '--data', '{"limit":3}', '--json']);
    expect(said).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse(said.out)).toMatchObject({ step: 's-1', state: 'approved', decided_by: 'tester', note: 'read it', data: { limit: 3 } });
    expect(world.plans.woken).toEqual([PLAN]);
    expect(world.audit).toMatchObject(['asked', 'done'].map((outcome) => ({ action: 'plan.approve', subject: PLAN, detail: { step: 's-1' }, outcome })));
    expect(await world.cli(['plan', 'approve', PLAN])).toMatchObject({ code: 1, err: expect.stringContaining("waits for nobody's word now") });
  });

  it('print nothing of a question that a terminal would obey', async () => {
    const { world } = await askingWorld();
    const { out } = await world.cli(['plan', 'deny', PLAN, '--note', 'no']);
    expect(out).toMatch(/^denied by tester: Move/);
    expect(out).not.toContain('\u001b');
  });

  it('with --step answer that question and no other, as often as they are asked', async () => {
    const { world, ask } = await askingWorld();
    expect(await world.cli(['plan', 'approve', PLAN, '--step', 's-1'])).toMatchObject({ code: 0 });
    ask('s-2', 'And this?');
    expect(await world.cli(['plan', 'approve', PLAN, '--step', 's-1'])).toMatchObject({ code: 0 });
    expect(world.approvals.approval('s-2')?.decision).toBeUndefined();
    expect(await world.cli(['plan', 'deny', PLAN, '--step', 's-1'])).toMatchObject({ code: 1, err: expect.stringContaining('it was approved by tester') });
  });

  it('come too late for a plan that has ended, and may repeat what was said before', async () => {
    const { world, ask } = await askingWorld();
    await world.cli(['plan', 'approve', PLAN]);
    ask('s-2', 'And this?');
    world.plans.show(PLAN, { state: 'failure' });
    expect(await world.cli(['plan', 'approve', PLAN])).toMatchObject({ code: 1, err: expect.stringContaining('has ended: it waits for nobody') });
    expect(await world.cli(['plan', 'approve', PLAN, '--step', 's-1'])).toMatchObject({ code: 0 });
  });

  it.each([[['--data', '[1]']], [['--data', '{']], [['--step', 'no step']]])('refuse %j', async (more) => {
    const { world } = await askingWorld();
    expect((await world.cli(['plan', 'approve', PLAN, ...more])).code).toBe(2);
    expect(world.approvals.approval('s-1')?.decision).toBeUndefined();
  });
});
