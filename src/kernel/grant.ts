import { WritError } from '../core/errors.ts';
import type { AuditEntry, GrantedLease, GrantOptions, IssueEntry } from '../core/ports/index.ts';
import { mayServe, signLease } from '../lease/index.ts';
import type { CheckedManifest } from './check-manifest.ts';
import type { KernelOptions } from './options.ts';

/** A manifest that may have a lease. */
export interface Draft extends CheckedManifest {
  readonly confirmedBy: string | undefined;
  /** What the audit log says beside it; the jti is added. */
  readonly audit: Omit<AuditEntry, 'jti'> | undefined;
}

/** A signed lease that does not count before the store has recorded it. */
export interface Prepared {
  readonly granted: GrantedLease;
  readonly entry: IssueEntry;
}

/** Lifetime in seconds. Throws WritError INVALID_ARGUMENT when it is not within the limits. */
export function lifetime({ ttl }: GrantOptions, { config }: KernelOptions): number {
  const seconds = ttl ?? config.ttl;
  if (!Number.isSafeInteger(seconds) || seconds < 1 || seconds > config.maxTtl) {
    throw new WritError('INVALID_ARGUMENT', `a lease lives 1 to ${config.maxTtl} whole seconds`, { field: 'ttl' });
  }
  return seconds;
}

/** Signs the lease of a draft. Throws WritError LEASE_REFUSED when no queue serves the capability or our key may not sign it. */
export async function prepare({ manifest, manifestSha256, text, confirmedBy, audit }: Draft, seconds: number, options: KernelOptions): Promise<Prepared> {
  const { key, config, clock, randomId, ed25519 } = options;
  const { task_id, capability_id } = manifest;
  const aud = config.audienceOf(manifest);
  if (aud === undefined) throw new WritError('LEASE_REFUSED', `no queue serves ${capability_id}`, { field: 'capability_id' });
  if (!mayServe(key, capability_id)) throw new WritError('LEASE_REFUSED', `the kernel's key may not sign for ${capability_id}`, { field: 'capability_id' });
  const iat = Math.floor(clock.now() / 1000);
  const [jti, exp] = [randomId(), iat + seconds];
  const lease = await signLease({ v: 1, iss: config.issuer, aud, jti, task_id, capability_id, manifest_sha256: manifestSha256, iat, exp }, key, ed25519);
  return {
    granted: { taskId: task_id, manifestSha256, lease, jti, exp },
    entry: { taskId: task_id, manifestSha256, capabilityId: capability_id, jti, confirmedBy, manifest: text, audit: audit && { ...audit, jti } },
  };
}

export function conflict(): WritError {
  return new WritError('TASK_ID_CONFLICT', 'the task_id already belongs to another manifest', { field: 'task_id' });
}
