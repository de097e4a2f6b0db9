import type { TaskManifest } from '../../../contracts/index.ts';
import { WritError } from '../../../core/errors.ts';
import { jobOf } from '../../shared/input/parse-task.ts';
import type { Call } from '../command.ts';
import { readText } from '../input/open.ts';
import { timeOf } from '../text/values.ts';
import { auditedCall } from './audited-call.ts';
import { termsOf } from './terms.ts';

export interface IssueFlags {
  readonly ttl?: string;
  readonly confirmedBy?: string;
}

/** `writ lease issue`: prints the lease alone, so that a shell can keep it. */
export async function runLeaseIssue(call: Call, flags: IssueFlags, file: string): Promise<number> {
  const { manifest } = jobOf(await readText(call.io, file));
  const services = await call.services();
  const kernel = await services.kernel();
  const lease = await auditedCall(call, { action: 'lease.issue', subject: manifest.task_id, detail: detailOf(manifest, flags) }, async () => {
    const [grant] = await kernel.issue([manifest], termsOf(flags));
    if (grant === undefined) throw new WritError('KERNEL_UNAVAILABLE', 'the kernel did not answer');
    if (grant.kind === 'refused') throw new WritError(grant.code, grant.message, grant.field === undefined ? {} : { field: grant.field });
    return grant.lease;
  });
  const payload = (await services.signatures()).peek(lease);
  await call.output.answer({ task_id: manifest.task_id, lease, payload: payload ?? null }, () => lease);
  if (payload && !call.output.json) call.output.note(`for ${payload.aud}, until ${timeOf(payload.exp * 1000)}, jti ${payload.jti}`);
  return 0;
}

function detailOf({ capability_id }: TaskManifest, { ttl, confirmedBy }: IssueFlags): Record<string, string> {
  return { capability_id, ...(ttl === undefined ? {} : { ttl }), ...(confirmedBy === undefined ? {} : { confirmed_by: confirmedBy }) };
}
