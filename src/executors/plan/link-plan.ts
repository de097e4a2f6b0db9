import { canonicalJson } from '../../core/canonical-json.ts';
import { sha256Hex } from '../../core/hash.ts';
import type { JsonObject } from '../../core/json.ts';
import { Failure, tooManySteps } from './codes.ts';
import { isObject } from './json-copy.ts';
import { leastCalls } from './least-calls.ts';
import { DEFAULTS, LIMITS } from './limits.ts';
import { linkSteps } from './link.ts';
import { type Normalized, readEnvelope } from './read-envelope.ts';
import { type DefinitionLookup, type DefinitionRefs, readRegistry } from './registry.ts';
import { filesOf } from './registry-files.ts';

export type Linked =
  | { readonly ok: true; readonly envelope: JsonObject; readonly planSha256: string }
  | { readonly ok: false; readonly code: string; readonly message: string; readonly details: JsonObject };

/**
 * Makes an envelope a plan: the execution form with exactly the definitions that it can reach, so that no later edit of a registry changes it.
 * Linking a linked envelope changes nothing.
 *
 * @param lookup the host's definitions: they fill holes; one that differs from the envelope's is REGISTRY_CONFLICT
 * @param refs the names of all of them: where there are some, a name that is none is UNKNOWN_REF, not REGISTRY_EMPTY
 */
export function linkPlan(envelope: unknown, lookup: DefinitionLookup, refs?: DefinitionRefs): Linked {
  const read = readEnvelope(envelope);
  if (!read.ok) return refused(read.failure);
  const plan = linkSteps(read.envelope, readRegistry(read.envelope.payload, lookup, refs));
  if (plan instanceof Failure) return refused(plan);
  const { maxSteps = DEFAULTS.maxSteps } = read.envelope.options;
  const least = leastCalls(plan);
  // Told of a document that is to be linked, never of a plan that has begun: what an earlier edition has linked ends as it would have then.
  if (least > maxSteps) return refused(tooManySteps(maxSteps, { steps: Math.min(least, LIMITS.visits), at: 'payload.options.maxSteps' }));
  const linked = withFiles(read.envelope, filesOf(plan.definitions));
  // What came in from the host counts, too; the linked envelope must be one that is read again.
  const again = readEnvelope(linked);
  return again.ok ? { ok: true, envelope: linked, planSha256: sha256Hex(canonicalJson(linked)) } : refused(again.failure);
}

function withFiles({ header, payload }: Normalized, registryFiles: JsonObject[]): JsonObject {
  const { fallbackRegistry: _alias, options, ...rest } = payload;
  const { fallbackRegistry: _fallback, ...kept } = isObject(options) ? options : {};
  const files = Object.freeze(registryFiles) as JsonObject[];
  return Object.freeze({ header, payload: Object.freeze({ ...rest, ...(options !== undefined && { options: Object.freeze(kept) }), registryFiles: files }) });
}

function refused({ code, message, details }: Failure): Linked {
  return { ok: false, code, message, details };
}
