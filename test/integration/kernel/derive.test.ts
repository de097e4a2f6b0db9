import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openKernelStore } from '../../../src/adapters/sqlite/kernel-store/kernel-store.ts';
import type { TaskManifest } from '../../../src/contracts/index.ts';
import type { JsonObject } from '../../../src/core/json.ts';
import { failure, type Outcome, success } from '../../../src/core/outcome.ts';
import { stepOf } from '../../../src/core/plan-step.ts';
import type { Bindings, DeriveRequest, GrantedPlanLease, KernelStore, StepEvidence } from '../../../src/core/ports/index.ts';
import { linkPlan, planLogic } from '../../../src/executors/plan/index.ts';
import { createKernel, createKernelServer, createPlanKernelClient, deriveRoutes, type Kernel, type PlanKernelClient } from '../../../src/kernel/index.ts';
import { fixedKeyring } from '../../../src/lease/index.ts';
import { executorKey, kernelKey, signedResult } from '../../fixtures/authority/kernel-rig.ts';
import { ed25519, memoryFeed, NOW, testClock } from '../../fixtures/authority/world.ts';

const BINDINGS: Bindings = (ref) => (ref === 'files' ? { adapter: 'writ' } : undefined);
const TOOL = {
  id: 'files',
  version: '1.0.0',
  categories: ['files'],
  actions: ['FILE_COPY', 'FILE_DELETE'].map((name) => ({ name, input: ['source_path', 'destination_path', 'constraints'] })),
};
const copy = (n: number, changes: object = {}) => ({
  type: 'tool',
  ref: 'files',
  operation: 'FILE_COPY',
  params: { source_path: `/data/in/${n}`, destination_path: `/data/out/${n}` },
  ...changes,
});
const remove = { type: 'tool', ref: 'files', operation: 'FILE_DELETE', params: { source_path: '/data/in/0', constraints: { reversible: true } } };

let plansMade = 0;
function linked(steps: readonly object[]): JsonObject {
  plansMade += 1;
  const header = { id: `p${plansMade}`, version: '1', timestamp: '2026-01-01', source: 's', destination: 'd', type: 'execution' };
  const plan = linkPlan({ header, payload: { steps } }, (category, ref) => (category === 'tools' && ref === 'files' ? TOOL : undefined));
  if (!plan.ok) throw new Error(plan.message);
  return plan.envelope;
}

/** The plan role is the attacker here: it holds a genuine plan lease and may ask for whatever it likes. */
describe('derivation of a lease for a step', () => {
  const clock = testClock();
  let directory: string;
  let store: KernelStore;
  let kernel: Kernel;
  let server: ReturnType<typeof createKernelServer>;
  let client: PlanKernelClient;
  let bindings: Bindings;

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'writ-derive-'));
    store = openKernelStore(join(directory, 'kernel'));
    let ids = 0;
    bindings = BINDINGS;
    kernel = createKernel({
      store,
      key: kernelKey,
      kernelKeyring: fixedKeyring([kernelKey]),
      executorKeyring: fixedKeyring([executorKey]),
      ed25519,
      config: { issuer: 'writ-kernel', ttl: 3600, maxTtl: 7200, audienceOf: () => 'file' },
      plans: { logic: planLogic, bindings: (ref) => bindings(ref), ed25519, queue: 'plan' },
      clock,
      randomId() {
        ids += 1;
        return `jti-${ids}`;
      },
      feed: memoryFeed(),
    });
    const socketPath = join(directory, 'derive.sock');
    server = createKernelServer({ routes: (app, maxBytes) => deriveRoutes(app, kernel, maxBytes), socketPath });
    await kernel.start();
    await server.start();
    client = createPlanKernelClient(socketPath);
  });
  afterEach(async () => {
    client.close();
    await server.stop();
    await kernel.stop();
    store.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const ask = (plan: GrantedPlanLease, envelope: JsonObject, changes: Partial<DeriveRequest> = {}) =>
    client.derive({ planSha256: plan.planSha256, lease: plan.lease, envelope, since: 0, answers: [], voided: [], ...changes });
  const answer = async (manifest: TaskManifest, path: string, outcome: Outcome = success({ done: true }), generation = 0): Promise<StepEvidence> => ({
    path,
    generation,
    result: await signedResult(manifest, outcome),
  });

  it('is for the first step, then for the one after each answer, whether the kernel is shown all or only what is new', async () => {
    const envelope = linked([copy(0), copy(1), copy(2)]);
    const plan = await kernel.issuePlan({ envelope });
    const first = await ask(plan, envelope);
    expect(first.manifest).toMatchObject({
      capability_id: 'FILE_COPY',
      inputs: { source_path: '/data/in/0' },
      provenance: { plan_sha256: plan.planSha256, step: '0' },
    });
    const answers = [await answer(first.manifest, '0')];
    const second = await ask(plan, envelope, { answers });
    expect(second.manifest.provenance?.step).toBe('1');
    const { envelope: _known, ...rest } = { planSha256: plan.planSha256, lease: plan.lease, envelope };
    const third = await client.derive({ ...rest, since: 1, answers: [await answer(second.manifest, '1')], voided: [] });
    expect(third.manifest.provenance?.step).toBe('2');
    await expect(client.derive({ ...rest, since: 1, answers: [], voided: [] })).rejects.toMatchObject({ code: 'WRONG_STATE' });
  });

  it('is refused for a step that the plan has not reached, and after its end', async () => {
    const envelope = linked([copy(0), remove]);
    const plan = await kernel.issuePlan({ envelope });
    const first = await ask(plan, envelope);
    const failed = [await answer(first.manifest, '0', failure('EXECUTION_FAILED', 'no'))];
    await expect(ask(plan, envelope, { answers: failed })).rejects.toMatchObject({ code: 'WRONG_STATE', message: 'the plan has ended' });
    const elsewhere = { ...(await answer(first.manifest, '0')), path: '1' };
    await expect(ask(plan, envelope, { answers: [elsewhere] })).rejects.toMatchObject({ code: 'INVALID_RESULT' });
  });

  it('is refused on answers that no executor has given to exactly this step', async () => {
    const envelope = linked([copy(0), remove]);
    const plan = await kernel.issuePlan({ envelope });
    const { manifest } = await ask(plan, envelope);
    const genuine = await answer(manifest, '0');
    const other = linked([copy(0), remove]);
    const otherManifest = (await ask(await kernel.issuePlan({ envelope: other }), other)).manifest;
    const forgeries = [
      JSON.stringify({ status: 'SUCCESS', output: {}, error: null, signature: 'a..b' }),
      genuine.result.replace('"done":true', '"done":false'),
      await signedResult(otherManifest, success({ done: true })),
      await signedResult({ ...manifest, inputs: { source_path: '/data/secret' } }, success({ done: true })),
    ];
    for (const result of forgeries) {
      await expect(ask(plan, envelope, { answers: [{ ...genuine, result }] })).rejects.toMatchObject({ code: 'INVALID_RESULT' });
    }
    await expect(ask(plan, envelope, { answers: [{ ...genuine, generation: 1 }] })).rejects.toMatchObject({ code: 'INVALID_RESULT' });
  });

  it('is refused for another generation of a step that has not failed in the one before', async () => {
    const envelope = linked([copy(0)]);
    const plan = await kernel.issuePlan({ envelope });
    const { manifest } = await ask(plan, envelope);
    await expect(ask(plan, envelope, { voided: [await answer(manifest, '0')] })).rejects.toMatchObject({ code: 'INVALID_RESULT', message: '0 has succeeded' });
    const failed = await answer(manifest, '0', failure('EXECUTION_FAILED', 'no'));
    const again = await ask(plan, envelope, { voided: [failed] });
    expect(again.manifest.task_id).not.toBe(manifest.task_id);
    await expect(ask(plan, envelope, { voided: [failed, failed] })).rejects.toMatchObject({ code: 'INVALID_RESULT' });
  });

  describe('of a plan whose tool was bound in another way, or not at all, when a step was answered', () => {
    const HTTP: Bindings = () => ({ adapter: 'http', provider: 'files' });
    const UNBOUND: Bindings = () => undefined;
    /** The manifest of the step at `path` while the tool was bound like this. */
    const manifestUnder = (bound: Bindings, plan: GrantedPlanLease, path: string, { operation, params }: ReturnType<typeof copy>): TaskManifest => {
      const tool = { ref: 'files', provider: 'files', operation };
      const toolInput = { runId: 'r', stepId: path, tool, params, context: { memory: {} } };
      return stepOf({ kind: 'call', path, toolInput }, plan.planSha256, 0, bound).manifest;
    };
    const unavailable = failure('TOOL_UNAVAILABLE', 'the tool files has no binding on this host');

    it.each([
      ['not at all, then as a capability of ours', UNBOUND, BINDINGS],
      ['not at all, then over HTTP', UNBOUND, HTTP],
      ['as a capability of ours, then over HTTP', BINDINGS, HTTP],
      ['over HTTP, then as a capability of ours', HTTP, BINDINGS],
    ])('goes on from what was signed then, and tries again what failed then: %s', async (_what, then, now) => {
      const steps = [copy(0, { on_error: { mode: 'continue' } }), copy(1)];
      const envelope = linked(steps);
      const plan = await kernel.issuePlan({ envelope, capabilities: ['FILE_COPY', 'TOOL_CALL:files'] });
      bindings = now;
      const passed = await answer(manifestUnder(then, plan, '0', copy(0)), '0', unavailable);
      const next = await ask(plan, envelope, { answers: [passed] });
      expect(next.manifest.provenance?.step).toBe('1');
      const again = await ask(plan, envelope, { answers: [passed], voided: [await answer(manifestUnder(then, plan, '1', copy(1)), '1', unavailable)] });
      expect(again.manifest.task_id).not.toBe(next.manifest.task_id);
    });

    it.each([
      ['a capability', BINDINGS, HTTP, success({ at: '/data/out/9' })],
      ['a call of a tool', HTTP, BINDINGS, success({ data: { at: '/data/out/9' } })],
    ])('reads an answer as that of what was signed then: %s', async (_what, then, now, outcome) => {
      const templated = copy(1, { params: { source_path: '{{memory.state.at}}', destination_path: '/data/out/1' } });
      const header = { id: 'reads', version: '1', timestamp: '2026-01-01', source: 's', destination: 'd', type: 'execution' };
      const payload = { steps: [copy(0, { save: { to: { at: '$.data.at' } } }), templated], options: { interpolate: 'all' } };
      const plan = linkPlan({ header, payload }, (category, ref) => (category === 'tools' && ref === 'files' ? TOOL : undefined));
      if (!plan.ok) throw new Error(plan.message);
      const lease = await kernel.issuePlan({ envelope: plan.envelope, capabilities: ['FILE_COPY', 'TOOL_CALL:files'] });
      bindings = now;
      const { manifest } = await ask(lease, plan.envelope, { answers: [await answer(manifestUnder(then, lease, '0', copy(0)), '0', outcome)] });
      expect(JSON.stringify(manifest.inputs)).toContain('/data/out/9');
    });

    it('but not from what nobody has signed, in neither form', async () => {
      const envelope = linked([copy(0), copy(1)]);
      const plan = await kernel.issuePlan({ envelope });
      const manifest = {
        ...manifestUnder(UNBOUND, plan, '0', copy(0)),
        inputs: { tool: 'files', operation: 'FILE_COPY', params: { source_path: '/data/in/7' } },
      };
      await expect(ask(plan, envelope, { answers: [await answer(manifest, '0')] })).rejects.toMatchObject({ code: 'INVALID_RESULT' });
    });
  });

  it('is refused under a lease that is for another plan, expired, revoked, or no plan lease', async () => {
    const envelope = linked([copy(0)]);
    const plan = await kernel.issuePlan({ envelope }, { ttl: 100 });
    const other = await kernel.issuePlan({ envelope: linked([copy(0)]) });
    await expect(ask({ ...plan, lease: other.lease }, envelope)).rejects.toMatchObject({ code: 'INVALID_LEASE' });
    const { lease } = await ask(plan, envelope);
    await expect(ask({ ...plan, lease }, envelope)).rejects.toMatchObject({ code: 'INVALID_LEASE' });
    await kernel.revoke({ lease: other.lease });
    await expect(ask(other, envelope)).rejects.toMatchObject({ code: 'INVALID_LEASE' });
    clock.advance(100_000);
    await expect(ask(plan, envelope)).rejects.toMatchObject({ code: 'LEASE_EXPIRED' });
  });

  it('is not refused for good under a lease that counts from later by a clock that was set back', async () => {
    const envelope = linked([copy(0)]);
    const [plan, revoked] = [await kernel.issuePlan({ envelope }), await kernel.issuePlan({ envelope: linked([copy(0)]) })];
    await kernel.revoke({ lease: revoked.lease });
    clock.advance(-3_600_000);
    await expect(ask(plan, envelope)).rejects.toMatchObject({ code: 'KERNEL_UNAVAILABLE' });
    await expect(ask(revoked, envelope)).rejects.toMatchObject({ code: 'INVALID_LEASE' });
    clock.advance(3_600_000);
    expect(await ask(plan, envelope)).toHaveProperty('lease');
  });

  it('is refused for an envelope with another hash, also one that differs in nothing but a later step', async () => {
    const envelope = linked([copy(0), copy(1)]);
    const plan = await kernel.issuePlan({ envelope });
    await expect(ask(plan, linked([copy(0), remove]))).rejects.toMatchObject({ code: 'INVALID_MANIFEST' });
  });

  it("lives no longer than the plan's own lease", async () => {
    const envelope = linked([copy(0)]);
    const plan = await kernel.issuePlan({ envelope }, { ttl: 60 });
    clock.advance(10_000);
    expect((await ask(plan, envelope)).exp).toBe(plan.exp);
    expect(plan.exp).toBeGreaterThanOrEqual(NOW + 60);
  });

  it.each([
    ['a capability that it does not name', { capabilities: ['FILE_DELETE'] }],
    ['a file outside of its scopes', { scopes: ['/data/in'] }],
    ['a file beside a scope of a similar name', { scopes: ['/data/in', '/data/o'] }],
  ])("is refused under a plan's lease for %s", async (_what, terms) => {
    const envelope = linked([copy(0)]);
    await expect(ask(await kernel.issuePlan({ envelope, ...terms }), envelope)).rejects.toMatchObject({ code: 'LEASE_REFUSED' });
  });

  it('allows by default what the plan can reach, and the scopes that hold both ends of a copy', async () => {
    const envelope = linked([copy(0), remove]);
    const plan = await kernel.issuePlan({ envelope, scopes: ['/data'] });
    expect(plan.capabilities).toEqual(['FILE_COPY', 'FILE_DELETE']);
    expect((await ask(plan, envelope)).manifest.capability_id).toBe('FILE_COPY');
  });

  it('is all that its socket offers', async () => {
    await expect(
      createPlanKernelClient(join(directory, 'nobody.sock')).derive({ planSha256: 'a'.repeat(64), lease: '', since: 0, answers: [], voided: [] }),
    ).rejects.toMatchObject({
      code: 'KERNEL_UNAVAILABLE',
    });
    const { createKernelConnection } = await import('../../../src/kernel/index.ts');
    const intruder = createKernelConnection(join(directory, 'derive.sock'));
    await expect(intruder.issue([])).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(intruder.issuePlan({ envelope: linked([copy(0)]) })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    intruder.close();
  });

  it('signs no lease for what is no plan', async () => {
    await expect(kernel.issuePlan({ envelope: { payload: 1 } })).rejects.toMatchObject({ code: 'INVALID_MANIFEST', field: 'envelope' });
  });
});
