import { LeaseAnswer, LeaseRequest } from '../../../contracts/index.ts';
import { WritError } from '../../../core/errors.ts';
import type { KernelDoor } from '../../../core/ports/index.ts';
import { audited } from '../../tasks/audited.ts';
import { route } from '../route.ts';

export const issueLease = route({
  method: 'POST',
  path: '/v1/leases',
  operation: 'issueLease',
  summary: 'Have the kernel sign a lease for a manifest',
  description: 'Permission to run exactly these bytes until it expires. Audited; the kernel keeps a log of its own with the name of the key that asked.',
  tag: 'leases',
  access: ['kernel'],
  body: LeaseRequest,
  responses: { 201: { description: 'The lease, a compact JWS.', schema: LeaseAnswer } },
  problems: ['INVALID_MANIFEST', 'INVALID_ARGUMENT', 'LEASE_REFUSED', 'HRC_REQUIRED', 'TASK_ID_CONFLICT', 'KERNEL_UNAVAILABLE', 'STORAGE_UNAVAILABLE'],
  async handle({ body, caller, services }) {
    const subject = body.manifest.task_id;
    const confirmed = body.confirmed_by === undefined ? {} : { detail: { confirmed_by: body.confirmed_by } };
    const entry = { surface: 'http', who: caller.name, action: 'lease.issue', subject, ...confirmed } as const;
    const lease = await audited(services.audit, entry, async () => oneLease(body, await services.kernel(caller)));
    const answer: LeaseAnswer = { task_id: subject, lease };
    return { status: 201, body: answer, headers: { 'cache-control': 'no-store' } };
  },
});

async function oneLease({ manifest, ttl, confirmed_by }: LeaseRequest, kernel: KernelDoor): Promise<string> {
  const terms = { ...(ttl === undefined ? {} : { ttlS: ttl }), ...(confirmed_by === undefined ? {} : { confirmedBy: confirmed_by }) };
  const [grant] = await kernel.issue([manifest], terms);
  if (grant === undefined) throw new WritError('KERNEL_UNAVAILABLE', 'the kernel did not answer');
  if (grant.kind === 'refused') throw new WritError(grant.code, grant.message, grant.field === undefined ? {} : { field: grant.field });
  return grant.lease;
}
