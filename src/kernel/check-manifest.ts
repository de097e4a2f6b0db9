import { CONTENT_SEARCH, FILE_CAPABILITIES, MAX_JOB_BYTES, TaskManifest } from '../contracts/index.ts';
import { canonicalJson } from '../core/canonical-json.ts';
import { WritError } from '../core/errors.ts';
import { sha256Hex } from '../core/hash.ts';
import { isSearchPlaceIn } from '../core/search-place.ts';
import { isBelow } from './paths.ts';

export interface CheckedManifest {
  readonly manifest: TaskManifest;
  readonly manifestSha256: string;
  /** Canonical text, of which that is the hash. */
  readonly text: string;
}

/** The job around a manifest needs room for the lease and its own fields. */
const MAX_MANIFEST_BYTES = MAX_JOB_BYTES - 8 * 1024;

/**
 * The shape of a manifest, and its hash.
 *
 * @throws WritError INVALID_MANIFEST with `field`
 */
export function checkShape(input: unknown): CheckedManifest {
  const shape = TaskManifest.safeParse(input);
  if (!shape.success) {
    const field = shape.error.issues[0]?.path.join('.') ?? '';
    throw new WritError('INVALID_MANIFEST', `${field || 'manifest'}: ${shape.error.issues[0]?.message ?? 'is no manifest'}`, { field });
  }
  // What was handed in is hashed, not what the schema made of it.
  const text = canonicalJson(input);
  if (Buffer.byteLength(text) > MAX_MANIFEST_BYTES) throw new WritError('INVALID_MANIFEST', `the manifest is larger than ${MAX_MANIFEST_BYTES} bytes`);
  return { manifest: shape.data, manifestSha256: sha256Hex(text), text };
}

/**
 * What a manifest from outside must not ask. The inputs of a capability are its executor's business, except where a
 * constraint of the manifest itself speaks about them.
 *
 * @throws WritError LEASE_REFUSED or INVALID_MANIFEST with `field`
 */
export function checkPolicy({ capability_id, inputs, constraints, provenance }: TaskManifest): void {
  if (provenance?.undo_of !== undefined) {
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
