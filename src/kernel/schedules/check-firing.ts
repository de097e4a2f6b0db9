import { WritError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { FIRING_ID, isNamedAsFiring } from '../../core/schedule-id.ts';
import type { CheckedManifest } from '../grant.ts';
import type { KernelOptions } from '../options.ts';
import { planFiringId } from './firing.ts';

/**
 * A task id of the form that belongs to schedules has a lease only for a firing that stands in the store, for exactly its
 * manifest, and not before its planned time.
 *
 * @throws WritError LEASE_REFUSED
 */
export function checkFiring({ manifest, manifestSha256 }: CheckedManifest, options: Schedules): void {
  if (!FIRING_ID.test(manifest.task_id)) return;
  assertMade(manifest.task_id, manifestSha256, { name: 'a task_id', what: 'task', field: 'task_id' }, options);
}

/**
 * The same for a plan whose `header.id` has the form that belongs to schedules.
 *
 * @throws WritError LEASE_REFUSED
 */
export function checkPlanFiring(envelope: unknown, planSha256: string, options: Schedules): void {
  if (!isNamedAsFiring(envelope as JsonObject)) return;
  assertMade(planFiringId(planSha256), planSha256, { name: 'a header.id', what: 'plan', field: 'envelope.header.id' }, options);
}

type Schedules = Pick<KernelOptions, 'schedules' | 'clock'>;
interface Words {
  readonly name: string;
  readonly what: string;
  readonly field: string;
}

function assertMade(id: string, sha256: string, { name, what, field }: Words, { schedules, clock }: Schedules): void {
  const firing = schedules?.firing(id);
  if (firing === undefined || firing.state === 'skipped' || firing.manifestSha256 !== sha256) {
    throw new WritError('LEASE_REFUSED', `${name} of this form belongs to a schedule, and none has made this ${what}`, { field });
  }
  if (firing.planned * 60_000 > clock.now()) throw new WritError('LEASE_REFUSED', `the schedule makes this ${what} later`, { field });
}
