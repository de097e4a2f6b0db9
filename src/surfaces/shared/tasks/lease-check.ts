import type { TaskJob } from '../../../contracts/index.ts';
import { manifestSha256 } from '../../../core/hash.ts';
import type { SignatureReader, TaskGateway } from '../../../core/ports/index.ts';

export interface LeaseRefusal {
  readonly code: 'INVALID_LEASE' | 'LEASE_EXPIRED';
  readonly message: string;
  readonly field: 'lease';
}

export interface LeaseCheckPorts {
  readonly signatures: Pick<SignatureReader, 'readLease'>;
  readonly ledger: Pick<TaskGateway['ledger'], 'row'>;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The queue that the push names, if it does. */
  readonly queue?: string | undefined;
}

/**
 * Whether a task may be queued: its lease is genuine, was issued for exactly this manifest and queue, and has not
 * expired. A finished task needs no valid time, because its answer stands. Revocation is the worker's to judge, whose
 * copy of the log is the one that counts.
 *
 * @throws WritError INVALID_MANIFEST for a manifest without a canonical form
 */
export async function refuseLease({ manifest, lease }: TaskJob, { signatures, ledger, now, queue }: LeaseCheckPorts): Promise<LeaseRefusal | undefined> {
  if (lease === undefined || lease === '') return refusal('INVALID_LEASE', 'the task carries no lease');
  const reading = await signatures.readLease(lease, manifest, queue);
  if (!reading.ok) return refusal('INVALID_LEASE', reading.message);
  const { exp } = reading.payload;
  if (exp * 1000 > now) return undefined;
  const row = await ledger.row(manifest.task_id);
  if (row?.state === 'success' && row.manifestSha256 === manifestSha256(manifest)) return undefined;
  return refusal('LEASE_EXPIRED', `the lease expired at ${new Date(exp * 1000).toISOString()}`);
}

function refusal(code: LeaseRefusal['code'], message: string): LeaseRefusal {
  return { code, message, field: 'lease' };
}
