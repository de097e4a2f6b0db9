import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PlanLeasePayload } from '../../../src/contracts/index.ts';
import { canonicalJson } from '../../../src/core/canonical-json.ts';
import type { JsonObject } from '../../../src/core/json.ts';
import { peekPayload } from '../../../src/core/peek-token.ts';
import type { GrantedPlanLease } from '../../../src/core/ports/index.ts';
import { linkPlan, planLogic } from '../../../src/executors/plan/index.ts';
import { kernelClient } from '../../../src/kernel/index.ts';
import { signPlanLease } from '../../../src/lease/index.ts';
import { executorKey, type KernelRig, kernelKey, startKernel } from '../../fixtures/authority/kernel-rig.ts';
import { ed25519, vectorKey } from '../../fixtures/authority/world.ts';

const TOOL = { id: 'files', version: '1.0.0', categories: ['files'], actions: ['FILE_COPY', 'FILE_MOVE'].map((name) => ({ name, input: ['source_path'] })) };

function linked(id: string): JsonObject {
  const header = { id, version: '1', timestamp: '2026-01-01', source: 's', destination: 'd', type: 'execution' };
  const steps = ['FILE_COPY', 'FILE_MOVE'].map((operation) => ({ type: 'tool', ref: 'files', operation, params: { source_path: '/data/a' } }));
  const plan = linkPlan({ header, payload: { steps } }, (category, ref) => (category === 'tools' && ref === 'files' ? TOOL : undefined));
  if (!plan.ok) throw new Error(plan.message);
  return plan.envelope;
}

/** The surface has been taken in here: what it shows the kernel may come from anybody who writes to Redis. */
describe('a new lease for a plan in place of an earlier one', () => {
  let rig: KernelRig;
  const envelope = linked('p');
  const payloadOf = (lease: string): PlanLeasePayload => PlanLeasePayload.parse(peekPayload(lease));
  const renew = (renews: string, of: JsonObject = envelope): Promise<GrantedPlanLease> => kernelClient(rig.client, 'ops').issuePlan(of, { renews });
  const audit = () => rig.store.audit(0, 100).filter(({ action }) => action === 'regrant');

  beforeEach(async () => {
    rig = await startKernel({ plans: { logic: planLogic, bindings: () => ({ adapter: 'writ' }), ed25519, queue: 'plan' } });
  });
  afterEach(() => rig.stop());

  it('allows what that one did and no more, has the usual life, and is written down', async () => {
    const narrow = await rig.client.issuePlan({ envelope, capabilities: ['FILE_COPY'], scopes: ['/data'] }, { ttl: 60 });
    rig.clock.advance(120_000);
    const again = await renew(narrow.lease);
    const { jti, iat, exp, ...rest } = payloadOf(again.lease);
    const { jti: earlier, iat: _iat, exp: expired, ...same } = payloadOf(narrow.lease);
    expect(rest).toEqual(same);
    expect([exp, iat, jti]).toEqual([iat + 3600, expired + 60, again.jti]);
    expect(audit()).toMatchObject([
      { taskId: `p-${again.planSha256}`, jti: again.jti, by: 'ops', details: { plan_sha256: again.planSha256, renews: earlier } },
    ]);
  });

  it('has no scopes where that one had none, whatever else is asked', async () => {
    const wide = await rig.client.issuePlan({ envelope });
    const { lease, capabilities } = await rig.client.issuePlan({ envelope, capabilities: ['FILE_DELETE'], scopes: ['/'], renews: wide.lease });
    expect([capabilities, payloadOf(lease).scopes]).toEqual([['FILE_COPY', 'FILE_MOVE'], undefined]);
  });

  it('may be renewed itself', async () => {
    const first = await rig.client.issuePlan({ envelope, scopes: ['/data'] });
    const second = await renew(first.lease);
    expect(payloadOf((await renew(second.lease)).lease)).toMatchObject({ scopes: ['/data'] });
  });

  it('is refused for a lease of another plan, of somebody else, for another queue, and for what is none', async () => {
    const other = await rig.client.issuePlan({ envelope: linked('q') });
    const { lease } = await rig.client.issuePlan({ envelope });
    const base = payloadOf(lease);
    const stranger = vectorKey(3, 'lease', 'kernel-1');
    const offered = [
      other.lease,
      await signPlanLease(base, stranger, ed25519),
      await signPlanLease({ ...base, aud: 'plan@other' }, kernelKey, ed25519),
      await signPlanLease({ ...base, iss: 'another' }, kernelKey, ed25519),
      `${lease.slice(0, lease.lastIndexOf('.'))}.${'A'.repeat(86)}`,
      lease.replace('.', '.e'),
      '',
      'x',
    ];
    for (const renews of offered) await expect(renew(renews), renews).rejects.toMatchObject({ code: 'LEASE_REFUSED', field: 'renews' });
    await expect(signPlanLease(base, executorKey, ed25519)).rejects.toMatchObject({ code: 'LEASE_REFUSED' });
    expect(audit()).toEqual([]);
  });

  it('is refused for another envelope than that lease is for', async () => {
    const { lease } = await rig.client.issuePlan({ envelope });
    const more = JSON.parse(canonicalJson(envelope).replaceAll('/data/a', '/etc/a')) as JsonObject;
    await expect(renew(lease, more)).rejects.toMatchObject({ code: 'LEASE_REFUSED' });
  });

  it('is refused when that one is revoked, and when the newest one of the plan is, whichever is shown', async () => {
    const [old, newest] = [await rig.client.issuePlan({ envelope }), await rig.client.issuePlan({ envelope, scopes: ['/data'] })];
    await rig.client.revoke({ lease: newest.lease });
    for (const { lease } of [old, newest])
      await expect(renew(lease)).rejects.toMatchObject({ code: 'LEASE_REFUSED', message: expect.stringContaining('revoked') });
    // Whoever may have any lease signed may have this one.
    const fresh = await rig.client.issuePlan({ envelope, scopes: ['/data'] });
    expect(payloadOf((await renew(fresh.lease)).lease)).toMatchObject({ scopes: ['/data'] });
    await expect(renew(newest.lease)).rejects.toMatchObject({ code: 'LEASE_REFUSED' });
  });

  it('is not signed by a kernel that is away', async () => {
    const { lease } = await rig.client.issuePlan({ envelope });
    const { client } = rig;
    await rig.stop();
    await expect(kernelClient(client, 'ops').issuePlan(envelope, { renews: lease })).rejects.toMatchObject({ code: 'KERNEL_UNAVAILABLE' });
    rig = await startKernel();
  });
});
