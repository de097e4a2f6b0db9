import type { ScheduleDefinition } from '../../contracts/index.ts';
import { canonicalJson } from '../../core/canonical-json.ts';
import { manifestSha256, sha256Hex } from '../../core/hash.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Firing, ScheduleStore, StoredSchedule } from '../../core/ports/index.ts';
import { firingEnvelope, firingId } from '../../core/schedule-id.ts';

type Envelopes = Pick<ScheduleStore, 'envelope'>;
type Identity = Pick<Firing, 'taskId' | 'manifestSha256' | 'manifest'>;

/**
 * The firing of one planned time.
 *
 * @param skipped why it is left out
 */
export function firingOf(
  { id, definition }: Pick<StoredSchedule, 'id' | 'definition'>,
  planned: number,
  skipped: string | undefined,
  store: Envelopes,
): Firing {
  const { ttl, attempts, priority } = definition;
  const terms = { ...(ttl === undefined ? {} : { ttl }), ...(attempts === undefined ? {} : { attempts }), ...(priority === undefined ? {} : { priority }) };
  const state = skipped === undefined ? 'due' : 'skipped';
  return { ...identityOf(id, definition, planned, store), schedule: id, planned, terms, state, detail: skipped, pushes: 0, lookAt: undefined };
}

function identityOf(id: string, { manifest, plan_sha256 }: ScheduleDefinition, planned: number, store: Envelopes): Identity {
  if (manifest !== undefined) {
    const taskId = firingId(id, manifestSha256(manifest), planned);
    const text = canonicalJson({ ...manifest, task_id: taskId });
    return { taskId, manifestSha256: sha256Hex(text), manifest: text };
  }
  const envelopeSha256 = plan_sha256 ?? '';
  const planSha256 = sha256Hex(canonicalJson(envelopeAt(id, envelopeSha256, planned, store)));
  return { taskId: planFiringId(planSha256), manifestSha256: planSha256, manifest: canonicalJson({ envelope_sha256: envelopeSha256 }) };
}

/** The id of a plan's firing in the store. */
export function planFiringId(planSha256: string): string {
  return `p-${planSha256}`;
}

/** The plan of a firing; `undefined` for a task. */
export function planIdOf({ taskId }: Pick<Firing, 'taskId'>): string | undefined {
  return taskId.startsWith('p-') ? taskId.slice(2) : undefined;
}

/** The envelope of a firing that is a plan; `undefined` for a task. */
export function envelopeOf({ schedule, planned, manifest }: Firing, store: Envelopes): JsonObject | undefined {
  const { envelope_sha256: sha256 } = JSON.parse(manifest) as { readonly envelope_sha256?: string };
  return sha256 === undefined ? undefined : envelopeAt(schedule, sha256, planned, store);
}

function envelopeAt(schedule: string, sha256: string, planned: number, store: Envelopes): JsonObject {
  const text = store.envelope(sha256);
  if (text === undefined) throw new Error(`the envelope ${sha256} of the schedule ${schedule} is not in the store`);
  return firingEnvelope(schedule, JSON.parse(text) as JsonObject, sha256, planned);
}
