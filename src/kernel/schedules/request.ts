import { BOUNDS, type ScheduleDefinition, type ScheduleRequest, type TaskManifest } from '../../contracts/index.ts';
import { canonicalJson } from '../../core/canonical-json.ts';
import { WritError } from '../../core/errors.ts';
import { manifestSha256, sha256Hex } from '../../core/hash.ts';
import type { JsonObject } from '../../core/json.ts';
import type { GrantOptions, KernelOperations, PlanLeaseRequest, StoredEnvelope } from '../../core/ports/index.ts';
import { firingEnvelope, ownScheduleContext } from '../../core/schedule-id.ts';
import { isHourly } from './occurrence.ts';

/** Who says whether a lease may be had; without `judgePlan` there are no plans. */
export interface LeaseJudge extends Pick<KernelOperations, 'judge'> {
  readonly judgePlan?: (request: PlanLeaseRequest, options?: GrantOptions) => void;
}

/** A schedule that somebody wants registered. */
export interface ReadRequest {
  readonly id: string;
  readonly definition: ScheduleDefinition;
  readonly envelope: StoredEnvelope | undefined;
  /** What the log says of it. */
  readonly registered: object;
  /**
   * The same rules as for the lease of a firing.
   *
   * @param planned a time of the schedule
   * @throws WritError what such a lease is refused with
   */
  assertLeasable(planned: number, judge: LeaseJudge): Promise<void>;
}

/**
 * What a schedule makes, with every setting filled in.
 *
 * @throws WritError INVALID_ARGUMENT for what does not go together, INVALID_MANIFEST for an envelope that is not linked
 */
export function readRequest({ manifest, envelope, id, ...request }: ScheduleRequest): ReadRequest {
  if ((manifest === undefined) === (envelope === undefined)) throw wrong('a schedule has a manifest or an envelope, and not both', 'manifest');
  const { tz = 'UTC', missed = 'latest', overlap = 'skip', gap = 'after', fold, ...rest } = request;
  const when = { ...rest, tz, missed, overlap, gap, fold: fold ?? (isHourly(rest.cron) ? 'both' : 'first') } as const;
  if (manifest === undefined) return ofPlans(id, envelope as JsonObject, when);
  if (id !== undefined) throw wrong("a schedule of tasks has the task_id of its manifest; 'id' is for plans", 'id');
  return ofTasks(manifest, when);
}

type When = Omit<ScheduleDefinition, 'manifest' | 'plan_sha256'>;

function ofTasks(manifest: TaskManifest, when: When): ReadRequest {
  return {
    id: manifest.task_id,
    definition: { manifest, ...when },
    envelope: undefined,
    registered: { manifest_sha256: manifestSha256(manifest) },
    // Under an id that no task has.
    async assertLeasable(_planned, { judge }) {
      const sample = { ...manifest, task_id: `schedule-${manifestSha256(manifest)}` };
      const [answer] = await judge([{ manifest: sample }], lifeOf(when));
      if (answer?.ok === false) throw new WritError(answer.code, answer.message, answer.field === undefined ? {} : { field: answer.field });
    },
  };
}

function ofPlans(id: string | undefined, linked: JsonObject, when: When): ReadRequest {
  if (id === undefined) throw wrong('a schedule of plans needs an id', 'id');
  if (when.attempts !== undefined) throw wrong('a plan has no attempts: its steps declare their retries', 'attempts');
  if (!('header' in linked && 'payload' in linked)) throw new WritError('INVALID_MANIFEST', 'the envelope is not linked', { field: 'envelope' });
  if (ownScheduleContext(linked) !== undefined) throw wrong('payload.options.context.schedule is set at each firing; leave it out', 'envelope');
  const text = canonicalJson(linked);
  const sha256 = sha256Hex(text);
  return {
    id,
    definition: { plan_sha256: sha256, ...when },
    envelope: { sha256, text },
    registered: { plan_sha256: sha256 },
    async assertLeasable(planned, { judgePlan }) {
      if (judgePlan === undefined) throw new WritError('LEASE_REFUSED', 'this kernel signs no plans');
      const envelope = firingEnvelope(id, linked, sha256, planned);
      judgePlan({ envelope }, lifeOf(when));
      const bytes = Buffer.byteLength(JSON.stringify(envelope)) + LEASE_ROOM;
      if (bytes > BOUNDS.planJob) throw new WritError('INVALID_MANIFEST', `each plan would have ${bytes} bytes, at most ${BOUNDS.planJob} are allowed`);
    },
  };
}

/** A lease names a few hundred capabilities at most, and the job has fields of its own. */
const LEASE_ROOM = 32 * 1024;

function lifeOf({ ttl }: When): GrantOptions {
  return ttl === undefined ? {} : { ttl };
}

function wrong(message: string, field: string): WritError {
  return new WritError('INVALID_ARGUMENT', message, { field });
}
