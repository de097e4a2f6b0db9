import type { Role, TaskJob, TaskManifest } from '../../../contracts/index.ts';
import { audited } from '../../../core/audited.ts';
import type { Clock } from '../../../core/clock.ts';
import { WritError } from '../../../core/errors.ts';
import { manifestSha256 } from '../../../core/hash.ts';
import type {
  AuditLog,
  KernelClient,
  LeaseTerms,
  OperatorAction,
  PushedSubject,
  PushOptions,
  Receipt,
  SignatureReader,
  TaskGateway,
  Webhooks,
  Wished,
} from '../../../core/ports/index.ts';
import { leaseTermsOf } from './lease-terms.ts';

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
  /** Absent where nobody is told of the ends of tasks by who pushed them. */
  readonly webhooks?: Pick<Webhooks, 'want' | 'ended'>;
}

export interface SubmitTerms {
  /** Have the kernel issue a lease for a task that has none. */
  readonly sign: boolean;
  readonly push: PushOptions;
  /** The endpoint that is told of the task's end beside those of the submitter's key. */
  readonly webhook?: string | undefined;
}

/**
 * Checks the lease of one task and queues it.
 *
 * @throws WritError INVALID_MANIFEST, INVALID_LEASE, LEASE_EXPIRED, TASK_ID_CONFLICT; FORBIDDEN without the role to sign; the kernel's
 *   refusals; REDIS_FULL, REDIS_UNAVAILABLE, STORAGE_UNAVAILABLE
 */
export async function submitTask(
  job: TaskJob,
  { sign, push, webhook }: SubmitTerms,
  by: Submitter,
  services: SubmitServices,
): Promise<Exclude<Receipt, { kind: 'conflict' }>> {
  const leased = await withLease(job, { sign, push }, by, services);
  const signatures = await services.signatures();
  const granted = leased !== job;
  const refusal = await refuseLease(leased, {
    signatures,
    tasks: services.tasks,
    now: services.clock.now(),
    queue: push.queue,
    notBefore: push.notBefore,
    granted,
  });
  if (refusal) throw new WritError(refusal.code, refusal.message, { field: refusal.field });
  // Noted before the push: a task that ends at once is told, too.
  await services.webhooks?.want([wishOf(leased)], by.name, webhook);
  const receipt = await services.tasks.enqueue.push(leased, push);
  if (receipt.kind === 'conflict') throw new WritError('TASK_ID_CONFLICT', 'the task_id is already used for another manifest', { field: 'manifest.task_id' });
  if (receipt.kind === 'finished') await services.webhooks?.ended([subjectOf(leased)]);
  return receipt;
}

/** A task as notices are about it. */
export function subjectOf({ manifest }: Pick<TaskJob, 'manifest'>): PushedSubject {
  return { taskId: manifest.task_id, capabilityId: manifest.capability_id };
}

/** A task of whose end its producer wishes to be told. */
export function wishOf({ manifest }: Pick<TaskJob, 'manifest'>): Wished {
  return { subject: manifest.task_id, manifestSha256: manifestSha256(manifest) };
}

/** @throws WritError FORBIDDEN */
export function assertMaySign(sign: boolean, { roles }: Pick<Submitter, 'roles'>): void {
  if (sign && !roles.has('kernel')) throw new WritError('FORBIDDEN', 'sign=true asks for a lease, which needs the role kernel');
}

async function withLease(job: TaskJob, { sign, push }: SubmitTerms, by: Submitter, services: SubmitServices): Promise<TaskJob> {
  assertMaySign(sign, by);
  if (!sign || job.lease !== undefined) return job;
  const entry = { surface: by.surface, who: by.name, action: 'lease.issue', subject: job.manifest.task_id };
  return { ...job, lease: await audited(services.audit, entry, async () => leaseFor(job, await services.kernel(), leaseTermsOf(push))) };
}

async function leaseFor({ manifest }: TaskJob, kernel: KernelClient, terms: LeaseTerms): Promise<string> {
  const [grant] = await kernel.issue([manifest], terms);
  if (grant === undefined) throw new WritError('KERNEL_UNAVAILABLE', 'the kernel did not answer');
  if (grant.kind === 'refused') throw new WritError(grant.code, grant.message, grant.field === undefined ? {} : { field: grant.field });
  return grant.lease;
}

export interface LeaseRefusal {
  readonly code: 'INVALID_LEASE' | 'LEASE_EXPIRED';
  readonly message: string;
  readonly field: 'lease';
}

export interface LeaseCheckPorts {
  readonly signatures: Pick<SignatureReader, 'readLease'>;
  readonly tasks: { readonly ledger: Pick<TaskGateway['ledger'], 'row'>; readonly results: TaskGateway['results'] };
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The queue that the push names, if it does. */
  readonly queue?: string | undefined;
  /** The job does not run before (milliseconds since 1970): the lease must hold then. */
  readonly notBefore?: number | undefined;
  /** The kernel has just answered this lease to this process: all of it is looked at but the mathematics of its signature. */
  readonly granted?: boolean | undefined;
}

/**
 * Whether a task may be queued: its lease is genuine, was issued for exactly this manifest and queue, and has not
 * expired. A finished task needs no valid time, because its answer stands. Revocation is the worker's to judge, whose
 * copy of the log is the one that counts.
 *
 * @throws WritError INVALID_MANIFEST for a manifest without a canonical form
 */
export async function refuseLease(
  { manifest, lease }: TaskJob,
  { signatures, tasks, now, queue, notBefore = 0, granted }: LeaseCheckPorts,
): Promise<LeaseRefusal | undefined> {
  if (lease === undefined || lease === '') return refusal('INVALID_LEASE', 'the task carries no lease');
  const reading = await signatures.readLease(lease, manifest, queue, granted);
  if (!reading.ok) return refusal('INVALID_LEASE', reading.error);
  const { exp } = reading.value.payload;
  if (exp * 1000 > Math.max(now, notBefore)) return undefined;
  if (await hasSucceeded(manifest, tasks)) return undefined;
  if (exp * 1000 > now) return refusal('LEASE_EXPIRED', `the lease expires at ${new Date(exp * 1000).toISOString()}, before the task may run`);
  return refusal('LEASE_EXPIRED', `the lease expired at ${new Date(exp * 1000).toISOString()}`);
}

/** By a signed result: a row that only says so lets nobody in. */
async function hasSucceeded(manifest: TaskManifest, { ledger, results }: LeaseCheckPorts['tasks']): Promise<boolean> {
  const { task_id: taskId, capability_id: capabilityId } = manifest;
  const row = await ledger.row(taskId);
  if (!row?.result) return false;
  const genuine = await results.read(row.result, { taskId, capabilityId, manifestSha256s: [manifestSha256(manifest)] });
  return genuine?.outcome.status === 'SUCCESS';
}

function refusal(code: LeaseRefusal['code'], message: string): LeaseRefusal {
  return { code, message, field: 'lease' };
}
