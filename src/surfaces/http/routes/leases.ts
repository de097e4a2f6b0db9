import { z } from 'zod';
import { LeaseAnswer, LeaseRequest, PlanLeaseAnswer, PlanLeaseRequest } from '../../../contracts/index.ts';
import { audited } from '../../../core/audited.ts';
import { WritError } from '../../../core/errors.ts';
import type { KernelClient } from '../../../core/ports/index.ts';
import { leaseTermsOf } from '../../shared/tasks/lease-terms.ts';
import { readWhen } from '../../shared/when.ts';
import { type Answer, type Call, route } from '../route.ts';

export const issueLease = route({
  method: 'POST',
  path: '/v1/leases',
  operation: 'issueLease',
  summary: 'Have the kernel sign a lease for a manifest, or for a plan',
  description:
    'Permission to run exactly these bytes until it expires. An envelope is linked first; push the linked one that is answered, or the one that was sent. ' +
    'Audited; the kernel keeps a log of its own with the name of the key that asked.',
  tag: 'leases',
  access: ['kernel'],
  body: z.union([LeaseRequest, PlanLeaseRequest]),
  responses: { 201: { description: 'The lease, a compact JWS.', schema: z.union([LeaseAnswer, PlanLeaseAnswer]) } },
  problems: ['INVALID_MANIFEST', 'INVALID_ARGUMENT', 'LEASE_REFUSED', 'HRC_REQUIRED', 'TASK_ID_CONFLICT', 'KERNEL_UNAVAILABLE', 'STORAGE_UNAVAILABLE'],
  handle: (call) => ('manifest' in call.body ? forTask(call.body, call) : forPlan(call.body, call)),
});

type LeaseCall = Pick<Call<undefined, undefined, unknown>, 'caller' | 'services'>;

const NOT_KEPT = { 'cache-control': 'no-store' };

async function forTask(body: LeaseRequest, { caller, services }: LeaseCall): Promise<Answer> {
  const subject = body.manifest.task_id;
  const confirmed = body.confirmed_by === undefined ? {} : { detail: { confirmed_by: body.confirmed_by } };
  const entry = { surface: 'http', who: caller.name, action: 'lease.issue', subject, ...confirmed } as const;
  const lease = await audited(services.audit, entry, async () => oneLease(body, await services.kernel(caller)));
  const answer: LeaseAnswer = { task_id: subject, lease };
  return { status: 201, body: answer, headers: NOT_KEPT };
}

async function oneLease({ manifest, ttl, not_before, confirmed_by }: LeaseRequest, kernel: KernelClient): Promise<string> {
  const terms = { ...(ttl === undefined ? {} : { ttlS: ttl }), ...fromOf(not_before), ...(confirmed_by === undefined ? {} : { confirmedBy: confirmed_by }) };
  const [grant] = await kernel.issue([manifest], terms);
  if (grant === undefined) throw new WritError('KERNEL_UNAVAILABLE', 'the kernel did not answer');
  if (grant.kind === 'refused') throw new WritError(grant.code, grant.message, grant.field === undefined ? {} : { field: grant.field });
  return grant.lease;
}

function fromOf(notBefore: string | undefined): { readonly notBeforeS?: number } {
  return leaseTermsOf(readWhen({ not_before: notBefore }));
}

async function forPlan({ envelope: given, ttl, not_before, capabilities, scopes }: PlanLeaseRequest, { caller, services }: LeaseCall): Promise<Answer> {
  const { envelope, planSha256 } = services.plans.preview.link(given);
  const terms = {
    ...(ttl === undefined ? {} : { ttlS: ttl }),
    ...fromOf(not_before),
    ...(capabilities === undefined ? {} : { capabilities }),
    ...(scopes === undefined ? {} : { scopes }),
  };
  const entry = { surface: 'http', who: caller.name, action: 'lease.issue', subject: planSha256 } as const;
  const granted = await audited(services.audit, entry, async () => (await services.kernel(caller)).issuePlan(envelope, terms));
  const answer: PlanLeaseAnswer = { plan_id: planSha256, lease: granted.lease, capabilities: [...granted.capabilities], envelope };
  return { status: 201, body: answer, headers: NOT_KEPT };
}
