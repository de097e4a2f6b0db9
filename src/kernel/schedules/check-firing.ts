import { WritError } from '../../core/errors.ts';
import { FIRING_ID } from '../../core/schedule-id.ts';
import type { CheckedManifest } from '../grant.ts';
import type { KernelOptions } from '../options.ts';

/**
 * A task id of the form that belongs to schedules has a lease only for a firing that stands in the store, for exactly its
 * manifest, and not before its planned time.
 *
 * @throws WritError LEASE_REFUSED
 */
export function checkFiring({ manifest, manifestSha256 }: CheckedManifest, { schedules, clock }: Pick<KernelOptions, 'schedules' | 'clock'>): void {
  if (!FIRING_ID.test(manifest.task_id)) return;
  const firing = schedules?.firing(manifest.task_id);
  if (firing === undefined || firing.state === 'skipped' || firing.manifestSha256 !== manifestSha256) {
    throw new WritError('LEASE_REFUSED', 'a task_id of this form belongs to a schedule, and none has made this task', { field: 'task_id' });
  }
  if (firing.planned * 60_000 > clock.now()) throw new WritError('LEASE_REFUSED', 'the schedule makes this task later', { field: 'task_id' });
}
