import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openKernelStore } from '../../../src/adapters/sqlite/kernel-store/kernel-store.ts';
import type { Role } from '../../../src/contracts/index.ts';
import { approvalOutcome } from '../../../src/core/approval-outcome.ts';
import type { JsonObject } from '../../../src/core/json.ts';
import { failure, type Outcome, success } from '../../../src/core/outcome.ts';
import { type PlanStep, stepOf } from '../../../src/core/plan-step.ts';
import type { ApprovalDesk, Bindings, DeriveRequest, GrantedPlanLease, StepEvidence } from '../../../src/core/ports/index.ts';
import { linkPlan, planLogic } from '../../../src/executors/plan/index.ts';
import {
  createApprovalRegister,
  createKernel,
  createKernelConnection,
  createKernelServer,
  createPlanKernelClient,
  deriveRoutes,
  type Kernel,
  type KernelConnection,
  kernelRoutes,
  type PlanKernelClient,
} from '../../../src/kernel/index.ts';
import { fixedKeyring } from '../../../src/lease/index.ts';
import { executorKey, kernelKey, signedResult } from '../../fixtures/authority/kernel-rig.ts';
import { ed25519, memoryFeed, testClock } from '../../fixtures/authority/world.ts';
import { tool } from '../../support/plan-core.ts';

const BINDINGS: Bindings = (ref) => (ref === 'files' || ref === 'writ.approval' ? { adapter: 'writ' } : undefined);
const TOOLS: Readonly<Record<string, JsonObject>> = {
  files: tool('files', { FILE_COPY: ['source_path', 'destination_path', 'constraints'] }),
  'writ.approval': tool('writ.approval', { APPROVAL: ['role', 'question', 'deadline_s'] }),
};
const PARAMS = { role: 'approve', question: 'Copy it?', deadline_s: 600 };
const STEPS = [
  { type: 'tool', ref: 'writ.approval', operation: 'APPROVAL', params: PARAMS, on_error: { mode: 'continue' } },
  { type: 'tool', ref: 'files', operation: 'FILE_COPY', params: { source_path: '/data/in/a', destination_path: '/data/out/a' } },
];

/** The plan role is the attacker here: it holds a genuine plan lease and the executor's key. */
describe('an approval and the kernel', () => {
  const clock = testClock();
  let directory: string;
  let store: ReturnType<typeof openKernelStore>;
  let kernel: Kernel;
  const servers: ReturnType<typeof createKernelServer>[] = [];
  let client: PlanKernelClient;
  let connection: KernelConnection;
  let envelope: JsonObject;
  let plan: GrantedPlanLease;
  let step: PlanStep;

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'writ-approvals-'));
    store = openKernelStore(join(directory, 'kernel'));
    const config = { issuer: 'writ-kernel', ttl: 3600, maxTtl: 7200, audienceOf: () => 'file' };
    const keys = { key: kernelKey, kernelKeyring: fixedKeyring([kernelKey]), executorKeyring: fixedKeyring([executorKey]) };
    const plans = { logic: planLogic, bindings: BINDINGS, ed25519, queue: 'plan' };
    let ids = 0;
    const randomId = (): string => {
      ids += 1;
      return `jti-${ids}`;
    };
    kernel = createKernel({ store, approvals: store.approvals, ...keys, ed25519, config, plans, clock, randomId, feed: memoryFeed() });
    const approvals = createApprovalRegister(store.approvals, clock);
    const [own, derive] = [join(directory, 'kernel.sock'), join(directory, 'derive.sock')];
    servers.push(createKernelServer({ routes: (app, bytes) => kernelRoutes(app, kernel, bytes, { approvals }), socketPath: own }));
    servers.push(createKernelServer({ routes: (app, bytes) => deriveRoutes(app, kernel, bytes), socketPath: derive }));
    await kernel.start();
    for (const server of servers) await server.start();
    client = createPlanKernelClient(derive);
    connection = createKernelConnection(own);
    const header = { id: 'p', version: '1', timestamp: '2026-01-01', source: 's', destination: 'd', type: 'execution' };
    const linked = linkPlan({ header, payload: { steps: STEPS } }, (_category, ref) => TOOLS[ref]);
    if (!linked.ok) throw new Error(linked.message);
    envelope = linked.envelope;
    plan = await kernel.issuePlan({ envelope });
    step = stepFor(plan.planSha256, PARAMS);
  });
  afterEach(async () => {
    client.close();
    connection.close();
    for (const server of servers.splice(0)) await server.stop();
    await kernel.stop();
    store.close();
    rmSync(directory, { recursive: true, force: true });
  });

  function stepFor(planSha256: string, params: JsonObject): PlanStep {
    const called = { ref: 'writ.approval', provider: 'writ.approval', operation: 'APPROVAL' };
    return stepOf({ kind: 'call', path: '0', toolInput: { runId: 'r', stepId: '0', tool: called, params, context: { memory: {} } } }, planSha256, 0, BINDINGS);
  }
  const request = (answers: readonly StepEvidence[] = []): DeriveRequest => ({
    planSha256: plan.planSha256,
    lease: plan.lease,
    envelope,
    since: 0,
    answers,
    voided: [],
  });
  const desk = (by = 'ada'): ApprovalDesk => connection.approvals(by);
  const say = (answer: 'approve' | 'deny', roles: readonly Role[] = ['approve'], by = 'ada') =>
    desk(by).decide({ planSha256: plan.planSha256, taskId: step.manifest.task_id, answer, note: 'because' }, roles);
  const signed = async (outcome: Outcome, from = step): Promise<StepEvidence> => ({
    path: '0',
    generation: 0,
    result: await signedResult(from.manifest, outcome),
  });

  it('is asked once, through the plan lease, which names it; there is no lease for it, and nothing after it', async () => {
    expect(plan.capabilities).toEqual(['APPROVAL', 'FILE_COPY']);
    await expect(say('approve')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const first = await client.askApproval(request());
    expect(first).toMatchObject({ taskId: step.manifest.task_id, role: 'approve', question: 'Copy it?', decision: undefined });
    clock.advance(1_000);
    expect(await client.askApproval(request())).toEqual(first);
    await expect(client.derive(request())).rejects.toMatchObject({ code: 'LEASE_REFUSED', message: expect.stringContaining('no lease') });
    expect(await desk().list()).toMatchObject([{ plan_id: plan.planSha256, path: '0', state: 'open' }]);
  });

  it('is not believed by its signature alone: not before it was decided, not otherwise, not with another name or word', async () => {
    const at = new Date(clock.now()).toISOString();
    const invented = success({ approved: true, role: 'approve', by: 'ada', at, note: 'because' });
    const refused = async (outcome: Outcome): Promise<void> =>
      expect(client.derive(request([await signed(outcome)]))).rejects.toMatchObject({ code: 'INVALID_RESULT', message: /not what this kernel was told/ });
    await refused(invented);
    await client.askApproval(request());
    await refused(invented);
    await refused(failure('TOOL_OUTCOME_UNKNOWN', 'who knows'));
    await refused(failure('APPROVAL_EXPIRED', 'nobody'));
    await say('deny');
    await refused(invented);
    await refused(failure('APPROVAL_DENIED', 'denied by bob'));
    const row = await client.askApproval(request());
    if (row.decision === undefined) throw new Error('it was decided');
    const genuine = await signed(approvalOutcome(row, row.decision));
    expect((await client.derive(request([genuine]))).manifest).toMatchObject({ capability_id: 'FILE_COPY' });
  });

  it('leads on with exactly what was said, and wants the role at the kernel, too', async () => {
    await client.askApproval(request());
    await expect(say('approve', ['operate', 'kernel'])).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect(await say('approve', ['approve'], 'ada')).toMatchObject({ state: 'approved', decided_by: 'ada', note: 'because' });
    expect(await say('approve', ['approve'], 'bob')).toMatchObject({ decided_by: 'ada' });
    await expect(say('deny', ['approve'], 'bob')).rejects.toMatchObject({ code: 'WRONG_STATE' });
    const row = await client.askApproval(request());
    if (row.decision === undefined) throw new Error('it was decided');
    expect((await client.derive(request([await signed(approvalOutcome(row, row.decision))]))).manifest.capability_id).toBe('FILE_COPY');
  });

  it('counts for the question that was asked, and for no other under the same id', async () => {
    const other = stepFor(plan.planSha256, { ...PARAMS, question: 'Copy nothing?' });
    expect(other.manifest.task_id).toBe(step.manifest.task_id);
    const now = clock.now();
    const { manifest, manifestSha256, path } = other;
    store.approvals.ask({
      taskId: manifest.task_id,
      planSha256: plan.planSha256,
      path,
      manifestSha256,
      role: 'approve',
      question: '?',
      askedAt: now,
      until: now + 9_000,
    });
    await say('approve');
    await expect(client.askApproval(request())).rejects.toMatchObject({ code: 'TASK_ID_CONFLICT' });
    const invented = success({ approved: true, role: 'approve', by: 'ada', at: new Date(now).toISOString(), note: 'because' });
    await expect(client.derive(request([await signed(invented)]))).rejects.toMatchObject({ code: 'INVALID_RESULT' });
    expect((await client.derive(request([await signed(failure('TOOL_OUTCOME_UNKNOWN', 'nobody can tell'))]))).manifest.capability_id).toBe('FILE_COPY');
  });

  it('is asked by no plan whose lease was revoked, or does not allow it', async () => {
    const less = await kernel.issuePlan({ envelope, capabilities: ['FILE_COPY'] });
    await expect(client.askApproval({ ...request(), lease: less.lease })).rejects.toMatchObject({ code: 'LEASE_REFUSED' });
    await kernel.revoke({ lease: plan.lease });
    await expect(client.askApproval(request())).rejects.toMatchObject({ code: 'INVALID_LEASE' });
    expect(await desk().list()).toEqual([]);
  });
});
