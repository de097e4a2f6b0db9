import type { LeasePayload, PlanLeasePayload } from '../../../../src/contracts/index.ts';
import { authenticateLease, fixedKeyring, signLease, signLeases, signPlanLease } from '../../../../src/lease/index.ts';
import { openPlanLease } from '../../../../src/lease/plan-lease.ts';
import { readRevocation, signRevocation, verifyRevocation } from '../../../../src/lease/revocation.ts';
import { openLease } from '../../../../src/lease/task-lease.ts';
import { ed25519, LEASE, vectorKey } from '../../../fixtures/authority/world.ts';
import type { Boundary } from '../boundary.ts';
import { FuzzFault, shown } from '../boundary.ts';

const PLAN_SHA = 'b'.repeat(64);
const PLAN: PlanLeasePayload = {
  v: 1,
  iss: LEASE.iss,
  aud: 'plan',
  jti: 'j',
  plan_sha256: PLAN_SHA,
  capabilities: ['FILE_COPY'],
  iat: LEASE.iat,
  exp: LEASE.exp,
};

/** Tokens: leases of tasks, alone and of a batch, leases of plans, revocations. Nothing but what was signed is taken. */
export const lease: Boundary = {
  shape: 'text',
  what: 'tokens of leases, bundles and revocations, read by who holds the keys',
  async open() {
    const key = vectorKey(0, 'lease', 'kernel-1');
    const verifier = { keyring: fixedKeyring([key]), ed25519 };
    const many = Array.from({ length: 5 }, (_, n): LeasePayload => ({ ...LEASE, jti: `j${n}`, task_id: `t${n}` }));
    const own = await signLease(LEASE, key, ed25519);
    const bundled = await signLeases(many, key, ed25519);
    const revocation = await signRevocation({ v: 1, n: 1, jti: LEASE.jti, exp: LEASE.exp, at: LEASE.iat }, key, ed25519);
    const seeds = [own, ...bundled, await signPlanLease(PLAN, key, ed25519), revocation];
    const known = new Set(seeds);
    const expected = { manifest: LEASE, manifestSha256: LEASE.manifest_sha256, aud: LEASE.aud, iss: LEASE.iss };
    return {
      seeds,
      words: ['.', '..', '~', 'eyJ', 'e30', 'bnVsbA', '='],
      async run(input) {
        const token = input.toString('latin1');
        const task = await openLease(token, verifier);
        const own = await authenticateLease(token, expected, verifier);
        const plan = await openPlanLease(token, verifier);
        const revoked = await verifyRevocation(token, verifier);
        readRevocation(token);
        for (const answer of [task, own, plan, revoked]) {
          if (!answer.ok) shown(answer.message);
          else if (!known.has(token)) throw new FuzzFault('a token that nobody signed is taken');
        }
        return task.ok || plan.ok || revoked.ok ? 'ok' : 'refused';
      },
    };
  },
};
