import { describe, expect, it } from 'vitest';
import { settlePlan } from '../../../../processors/plan/plan-worker.ts';
import { WritError } from '../../../../src/core/errors.ts';
import { type PlanStep, stepOf } from '../../../../src/core/plan-step.ts';
import type { ApprovalDecision, ApprovalStore, Bindings, StoredApproval } from '../../../../src/core/ports/index.ts';
import { askedBy } from '../../../../src/kernel/approvals/questions.ts';
import { memoryApprovals } from '../../../fixtures/approvals/memory-store.ts';
import { type StepLike, tool } from '../../../support/plan-core.ts';
import { createPlanWorld } from './world.ts';

const BOUND: Bindings = (ref) => (ref === 'writ.approval' ? { adapter: 'writ' } : { adapter: 'http', provider: 'sim' });
const PARAMS = { role: 'approve', question: 'Shall it?', deadline_s: 600 };
const ASK: StepLike = { type: 'tool', ref: 'writ.approval', operation: 'APPROVAL', params: PARAMS };

/** A plan that asks at its first step; the kernel's register in memory, and how often it was asked. */
async function askingWorld(more: StepLike = {}) {
  const store = memoryApprovals();
  const world = await createPlanWorld([{ ...ASK, ...more }], BOUND, { tools: [tool('writ.approval', { APPROVAL: ['role', 'question', 'deadline_s'] })] });
  const { clock } = world.deps;
  let asked = 0;
  const stepAt = ({ voided }: { readonly voided: readonly unknown[] }): PlanStep => stepOf0(world.planSha256, voided.length);
  world.deps = {
    ...world.deps,
    jobs: { ...world.deps.jobs, parked: async () => 1 },
    questions: {
      async askApproval(request) {
        asked += 1;
        return askedBy(stepAt(request), world.planSha256, store, clock);
      },
    },
  };
  const decide = (state: ApprovalDecision['state'], taskId = stepAt({ voided: [] }).manifest.task_id): StoredApproval | undefined =>
    store.decide(taskId, { state, at: clock.now(), by: 'ada', note: undefined, data: undefined });
  return { world, store, decide, asked: () => asked, taskId: (generation = 0) => stepOf0(world.planSha256, generation).manifest.task_id };
}

function stepOf0(planSha256: string, generation: number): PlanStep {
  const called = { ref: 'writ.approval', provider: 'writ.approval', operation: 'APPROVAL' };
  const toolInput = { runId: 'r', stepId: '0', tool: called, params: PARAMS, context: { memory: {} } };
  return stepOf({ kind: 'call', path: '0', toolInput }, planSha256, generation, BOUND);
}

describe('a plan that waits for somebody', () => {
  it('is parked, shows for whom and till when, puts nothing on a queue, and goes on with the word that was given', async () => {
    const { world, decide, store, taskId } = await askingWorld();
    const end = await world.deliver();
    expect(end).toMatchObject({ kind: 'parked', ms: 30_000 });
    expect(world.pushed).toEqual([]);
    expect(world.view.current).toMatchObject({
      path: '0',
      taskId: taskId(),
      waits: { for: 'approval', role: 'approve', until: store.approval(taskId())?.until },
    });
    decide('approved');
    expect(await world.deliver()).toMatchObject({ kind: 'ended', end: { status: 'SUCCESS' } });
    const [entry] = await world.journal.entries(world.planSha256);
    expect(JSON.parse(entry?.executorResult ?? '')).toMatchObject({ status: 'SUCCESS', output: { approved: true, by: 'ada', role: 'approve' } });
  });

  it('does not begin its deadline anew when it comes back, and comes back at the deadline', async () => {
    const { world, store, taskId } = await askingWorld();
    await world.deliver();
    const until = store.approval(taskId())?.until ?? 0;
    world.clock.advance(599_000);
    expect(await world.deliver()).toMatchObject({ kind: 'parked', ms: 1_000 });
    world.clock.advance(1_000);
    expect(await world.deliver()).toMatchObject({ kind: 'ended', end: { status: 'FAILURE', code: 'APPROVAL_EXPIRED', endedBy: '0' } });
    expect(store.approval(taskId())).toMatchObject({ until, decision: { state: 'expired', by: undefined } });
  });

  it('looks once more when it is parked, for a word that came just before', async () => {
    const { world, decide } = await askingWorld();
    const end = await world.deliver();
    if (end.kind !== 'parked') throw new Error(end.kind);
    expect(await end.isAnswered()).toBe(false);
    decide('approved');
    expect(await end.isAnswered()).toBe(true);
  });

  it('fails with the word no, and a retry asks anew', async () => {
    const { world, decide, taskId } = await askingWorld();
    await world.deliver();
    decide('denied');
    expect(await world.deliver()).toMatchObject({ kind: 'ended', end: { code: 'APPROVAL_DENIED', endedBy: '0' } });
    world.retry();
    expect(await world.deliver()).toMatchObject({ kind: 'parked' });
    expect(world.view.current?.taskId).toBe(taskId(1));
    expect(taskId(1)).not.toBe(taskId());
  });

  it('does what its document says at a deadline that has passed', async () => {
    const { world, decide } = await askingWorld({ on_error: { mode: 'stop', by_code: { APPROVAL_EXPIRED: { mode: 'continue' } } } });
    await world.deliver();
    decide('expired');
    expect(await world.deliver()).toMatchObject({ kind: 'ended', end: { status: 'SUCCESS' } });
  });

  it('ends with a cancel, and the question is not asked again', async () => {
    const { world, asked, store, taskId } = await askingWorld();
    await world.deliver();
    world.view.cancelRequested = true;
    const before = asked();
    expect(await world.deliver()).toMatchObject({ kind: 'ended', end: { code: 'CANCELLED' } });
    expect(asked()).toBe(before);
    expect(store.approval(taskId())?.decision).toBeUndefined();
  });

  it('is answered TOOL_OUTCOME_UNKNOWN where another question stands under its id', async () => {
    const { world, store, taskId } = await askingWorld();
    await world.deliver();
    const row = store.approval(taskId());
    const others: ApprovalStore = { ...store, approval: () => row && { ...row, manifestSha256: 'f'.repeat(64) } };
    world.deps = { ...world.deps, questions: { askApproval: async () => askedBy(stepOf0(world.planSha256, 0), world.planSha256, others, world.clock) } };
    expect(await world.deliver()).toMatchObject({ kind: 'ended', end: { code: 'TOOL_OUTCOME_UNKNOWN' } });
  });

  it('waits for a kernel that is away, and ends where none keeps approvals', async () => {
    const { world } = await askingWorld();
    const { questions: _none, ...deps } = world.deps;
    const away = { askApproval: () => Promise.reject(new WritError('KERNEL_UNAVAILABLE', 'away')) };
    world.deps = { ...deps, questions: away };
    expect(settlePlan(await world.deliver())).toEqual({ kind: 'delay', ms: 1_000 });
    world.deps = deps;
    expect(await world.deliver()).toMatchObject({ kind: 'ended', end: { code: 'LEASE_REFUSED' } });
  });
});
