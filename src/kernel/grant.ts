import { BOUNDS, CONTENT_SEARCH, FILE_CAPABILITIES, type LeasePayload, OfferedManifest, type TaskManifest } from '../contracts/index.ts';
import { isBelow } from '../core/absolute-paths.ts';
import { canonicalJson } from '../core/canonical-json.ts';
import type { Clock } from '../core/clock.ts';
import { WritError } from '../core/errors.ts';
import { sha256Hex } from '../core/hash.ts';
import type { AuditEntry, GrantedLease, GrantOptions, IssueEntry, KernelStore } from '../core/ports/index.ts';
import { isSearchPlaceIn } from '../core/search-place.ts';
import { problemsOf, refusalOf } from '../core/shape-problems.ts';
import { WHEN } from '../core/when.ts';
import { mayServe, signLease, signLeases } from '../lease/index.ts';
import type { KernelOptions } from './options.ts';

export interface CheckedManifest {
  readonly manifest: TaskManifest;
  readonly manifestSha256: string;
  /** Canonical text, of which that is the hash. */
  readonly text: string;
}

/** The job around a manifest needs room for the lease and its own fields. */
const MAX_MANIFEST_BYTES = BOUNDS.manifest;

/**
 * The shape of a manifest, and its hash.
 *
 * @throws WritError INVALID_MANIFEST with `field`
 */
export function checkShape(input: unknown): CheckedManifest {
  const shape = OfferedManifest.safeParse(input);
  if (!shape.success) throw refusalOf('INVALID_MANIFEST', problemsOf(shape.error, OfferedManifest, input), 'manifest');
  // What was handed in is hashed, not what the schema made of it.
  const text = canonicalJson(input);
  if (Buffer.byteLength(text) > MAX_MANIFEST_BYTES) throw new WritError('INVALID_MANIFEST', `the manifest is larger than ${MAX_MANIFEST_BYTES} bytes`);
  return { manifest: shape.data, manifestSha256: sha256Hex(text), text };
}

/**
 * What a manifest from outside must not ask. The inputs of a capability are its executor's business, except where a
 * constraint of the manifest itself speaks about them.
 *
 * @param undoes the task of whose effect the caller has seen the evidence
 * @throws WritError LEASE_REFUSED or INVALID_MANIFEST with `field`
 */
export function checkPolicy({ capability_id, inputs, constraints, provenance }: TaskManifest, undoes?: string): void {
  if (provenance?.undo_of !== undefined && provenance.undo_of !== undoes) {
    throw new WritError('LEASE_REFUSED', 'a manifest that takes back another task comes from undo only', { field: 'provenance.undo_of' });
  }
  const { scope } = constraints;
  if (scope !== undefined && capability_id === CONTENT_SEARCH && !isSearchPlaceIn(inputs['path'], scope)) {
    throw new WritError('LEASE_REFUSED', 'inputs.path does not lie inside constraints.scope', { field: 'inputs.path' });
  }
  if (scope === undefined || !FILE_CAPABILITIES.has(capability_id)) return;
  // A name for a place (`documents`) means nothing here: the refusal says what is wanted, not that a path lies elsewhere.
  if (!scope.startsWith('/') || scope.split('/').includes('..')) {
    const says = `must be the absolute path of a directory, without '..', that holds the paths; ${JSON.stringify(scope.slice(0, 100))} is no such path (without a limit leave constraints.scope out)`;
    throw new WritError('LEASE_REFUSED', says, { field: 'constraints.scope' });
  }
  for (const name of ['source_path', 'destination_path']) {
    if (name in inputs && !isBelow(inputs[name], scope)) {
      throw new WritError('LEASE_REFUSED', `inputs.${name} does not lie inside constraints.scope`, { field: `inputs.${name}` });
    }
  }
}

/** A manifest that may have a lease. */
export interface Draft extends CheckedManifest {
  readonly confirmedBy: string | undefined;
  /** What the audit log says beside it; the jti is added. */
  readonly audit: Omit<AuditEntry, 'jti'> | undefined;
}

/**
 * A confirmation is for exactly these bytes; once recorded it also holds for a later lease.
 *
 * @throws WritError HRC_REQUIRED when the manifest asks for one and none is known
 */
export function confirmed(store: Pick<KernelStore, 'issued'>, checked: CheckedManifest, confirmedBy: string | undefined, by: string | undefined): Draft {
  const { manifest, manifestSha256 } = checked;
  if (manifest.constraints.hrc_required !== true) return { ...checked, confirmedBy: undefined, audit: undefined };
  const earlier = store.issued(manifest.task_id);
  const recorded = earlier?.manifestSha256 === manifestSha256 ? earlier.confirmedBy : undefined;
  if (confirmedBy === undefined && recorded === undefined) {
    throw new WritError('HRC_REQUIRED', 'the manifest needs the confirmation of a person', { field: 'constraints.hrc_required' });
  }
  if (confirmedBy === undefined) return { ...checked, confirmedBy: recorded, audit: undefined };
  const details = { confirmed_by: confirmedBy, manifest_sha256: manifestSha256 };
  return { ...checked, confirmedBy, audit: { action: 'confirm', taskId: manifest.task_id, by, details } };
}

/** A lease that may be signed. */
export interface Unsigned {
  readonly payload: LeasePayload;
  readonly entry: IssueEntry;
}

/** A signed lease that does not count before the store has recorded it. */
export interface Prepared {
  readonly granted: GrantedLease;
  readonly entry: IssueEntry;
}

/** The lease of a draft. Throws WritError LEASE_REFUSED when no queue serves the capability or our key may not sign it. */
export function unsigned(
  { manifest, manifestSha256, text, confirmedBy, audit }: Draft,
  { seconds, notBefore = 0 }: Lifetime,
  options: KernelOptions,
): Unsigned {
  const { key, config, clock, randomId } = options;
  const { task_id, capability_id } = manifest;
  const aud = config.audienceOf(manifest);
  if (aud === undefined) throw new WritError('LEASE_REFUSED', `no queue serves ${capability_id}`, { field: 'capability_id' });
  if (!mayServe(key, capability_id)) throw new WritError('LEASE_REFUSED', `the kernel's key may not sign for ${capability_id}`, { field: 'capability_id' });
  // A lease that counts later is issued then, as far as a worker sees: before that it is none (docs/leases.md).
  const iat = Math.max(Math.floor(clock.now() / 1000), notBefore);
  const [jti, exp] = [randomId(), iat + seconds];
  return {
    payload: { v: 1, iss: config.issuer, aud, jti, task_id, capability_id, manifest_sha256: manifestSha256, iat, exp },
    entry: { taskId: task_id, manifestSha256, capabilityId: capability_id, jti, confirmedBy, manifest: text, audit: audit && { ...audit, jti } },
  };
}

/** Signs leases, several of them as one bundle unless the settings want each by itself. */
export async function sign(leases: readonly Unsigned[], { key, ed25519, config }: KernelOptions): Promise<readonly Prepared[]> {
  const payloads = leases.map(({ payload }) => payload);
  const tokens =
    config.bundles === false ? await Promise.all(payloads.map((payload) => signLease(payload, key, ed25519))) : await signLeases(payloads, key, ed25519);
  return leases.map(({ payload, entry }, at) => {
    const { task_id: taskId, manifest_sha256: manifestSha256, jti, exp } = payload;
    return { granted: { taskId, manifestSha256, lease: tokens[at] ?? '', jti, exp }, entry };
  });
}

/** How long a lease counts, seconds, and from when (seconds since 1970; from now on unless given). */
export interface Lifetime {
  readonly seconds: number;
  readonly notBefore?: number | undefined;
}

/** Throws WritError INVALID_ARGUMENT when it is not within the limits. */
export function lifetime({ ttl, notBefore }: GrantOptions, { config, clock }: Pick<KernelOptions, 'config' | 'clock'>): Lifetime {
  const seconds = ttl ?? config.ttl;
  if (!Number.isSafeInteger(seconds) || seconds < 1 || seconds > config.maxTtl) {
    throw new WritError('INVALID_ARGUMENT', `a lease lives 1 to ${config.maxTtl} whole seconds`, { field: 'ttl' });
  }
  if (notBefore !== undefined && notBefore * 1000 - clock.now() > WHEN.aheadMs) {
    throw new WritError('INVALID_ARGUMENT', 'a lease counts from 366 days ahead at the latest', { field: 'not_before' });
  }
  return { seconds, notBefore };
}

type Recorded = 'recorded' | 'conflict';

/** Records leases; all requests of one turn of the event loop share one transaction and so one fsync. */
export function createIssueLog(store: KernelStore, clock: Clock): (entries: readonly IssueEntry[]) => Promise<readonly Recorded[]> {
  let waiting: { entries: readonly IssueEntry[]; resolve(recorded: readonly Recorded[]): void; reject(error: unknown): void }[] = [];

  function flush(): void {
    const batch = waiting;
    waiting = [];
    try {
      const recorded = store.issue(
        batch.flatMap(({ entries }) => entries),
        clock.now(),
      );
      let at = 0;
      for (const { entries, resolve } of batch) {
        resolve(recorded.slice(at, at + entries.length));
        at += entries.length;
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  return (entries) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(flush);
      waiting.push({ entries, resolve, reject });
    });
}

export function conflict(): WritError {
  return new WritError('TASK_ID_CONFLICT', 'the task_id already belongs to another manifest', { field: 'task_id' });
}
