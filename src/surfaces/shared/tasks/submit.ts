import type { Role, TaskJob } from '../../../contracts/index.ts';
import type { Clock } from '../../../core/clock.ts';
import { WritError } from '../../../core/errors.ts';
import type { AuditLog, KernelClient, OperatorAction, PushOptions, Receipt, SignatureReader, TaskGateway } from '../../../core/ports/index.ts';
import { audited } from './audited.ts';
import { refuseLease } from './lease-check.ts';

/** Who submits, and where. */
export interface Submitter {
  readonly surface: OperatorAction['surface'];
  readonly name: string;
  readonly roles: ReadonlySet<Role>;
}

export interface SubmitServices {
  readonly tasks: TaskGateway;
  readonly audit: AuditLog;
  readonly clock: Clock;
  signatures(): Promise<SignatureReader>;
  /** The kernel, asked in the name of the submitter. */
  kernel(): Promise<KernelClient>;
}

export interface SubmitTerms {
  /** Have the kernel issue a lease for a task that has none. */
  readonly sign: boolean;
  readonly push: PushOptions;
}

/**
 * Judges one task at the door and queues it.
 *
 * @throws WritError INVALID_MANIFEST, INVALID_LEASE, LEASE_EXPIRED, TASK_ID_CONFLICT; FORBIDDEN without the role to sign; the kernel's
 *   refusals; REDIS_FULL, REDIS_UNAVAILABLE, STORAGE_UNAVAILABLE
 */
export async function submitTask(
  job: TaskJob,
  { sign, push }: SubmitTerms,
  by: Submitter,
  doors: SubmitServices,
): Promise<Exclude<Receipt, { kind: 'conflict' }>> {
  const leased = await withLease(job, sign, by, doors);
  const signatures = await doors.signatures();
  const refusal = await refuseLease(leased, { signatures, ledger: doors.tasks.ledger, now: doors.clock.now(), queue: push.queue });
  if (refusal) throw new WritError(refusal.code, refusal.message, { field: refusal.field });
  const receipt = await doors.tasks.enqueue.push(leased, push);
  if (receipt.kind === 'conflict') throw new WritError('TASK_ID_CONFLICT', 'the task_id is already used for another manifest', { field: 'manifest.task_id' });
  return receipt;
}

/** @throws WritError FORBIDDEN */
export function assertMaySign(sign: boolean, { roles }: Pick<Submitter, 'roles'>): void {
  if (sign && !roles.has('kernel')) throw new WritError('FORBIDDEN', 'sign=true asks for a lease, which needs the role kernel');
}

async function withLease(job: TaskJob, sign: boolean, by: Submitter, doors: SubmitServices): Promise<TaskJob> {
  assertMaySign(sign, by);
  if (!sign || job.lease !== undefined) return job;
  const entry = { surface: by.surface, who: by.name, action: 'lease.issue', subject: job.manifest.task_id };
  return { ...job, lease: await audited(doors.audit, entry, async () => leaseFor(job, await doors.kernel())) };
}

async function leaseFor({ manifest }: TaskJob, kernel: KernelClient): Promise<string> {
  const [grant] = await kernel.issue([manifest], {});
  if (grant === undefined) throw new WritError('KERNEL_UNAVAILABLE', 'the kernel did not answer');
  if (grant.kind === 'refused') throw new WritError(grant.code, grant.message, grant.field === undefined ? {} : { field: grant.field });
  return grant.lease;
}
