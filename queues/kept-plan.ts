import { PlanJob } from '../src/contracts/index.ts';
import { canonicalJson } from '../src/core/canonical-json.ts';
import { sha256Hex } from '../src/core/hash.ts';
import type { JsonObject } from '../src/core/json.ts';
import type { KeptPlan } from '../src/core/ports/index.ts';
import type { FoundJob } from './job-lookup.ts';

/** Envelope and lease in the job of a plan, which anybody who may write to Redis may have written: another envelope has another hash. */
export function keptInJob(id: string, found: Pick<FoundJob, 'job'> | undefined): KeptPlan | undefined {
  const data: unknown = found?.job.data;
  if (!PlanJob.safeParse(data).success) return undefined;
  // What lies there is hashed, not what the schema made of it.
  const { envelope, lease = '' } = data as { readonly envelope: JsonObject; readonly lease?: string };
  return hashOf(envelope) === id ? { envelope, lease } : undefined;
}

/** `undefined` of what has no canonical form. */
function hashOf(envelope: JsonObject): string | undefined {
  try {
    return sha256Hex(canonicalJson(envelope));
  } catch {
    return undefined;
  }
}
