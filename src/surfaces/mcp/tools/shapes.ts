import { z } from 'zod';
import { LeaseToken, TaskId } from '../../../contracts/index.ts';
import { WHEN } from '../../../core/when.ts';

/** Arguments that several tools share. */
export const taskId = TaskId.meta({ description: 'The task.' });
export const lease = LeaseToken.optional().meta({ description: 'Permission of the kernel to run exactly these bytes, a compact JWS.' });
export const sign = z.boolean().optional().meta({ description: 'Have the kernel issue a lease where none is given; needs the role kernel.' });
/** When a push may run. */
export const when = {
  not_before: z.iso.datetime({ offset: true }).optional().meta({ description: 'No worker takes it before (RFC 3339), at most 366 days ahead.' }),
  priority: z.int().min(0).max(WHEN.priority).optional().meta({ description: '0, as without: before every other; then 1 before 2.' }),
};
export const regrant = z
  .boolean()
  .optional()
  .meta({ description: 'true: under a new lease in any case; false: never; absent: when the old one has expired, as the settings say.' });
export const cursor = z.string().min(1).max(1024).optional().meta({ description: 'next of the page before.' });
export const waitS = z
  .int()
  .min(0)
  .max(3600)
  .optional()
  .meta({ description: 'Wait so many seconds for the end, at most as long as the server waits (http.max_wait_s); 0 if absent.' });

/** @param maxS what the server grants */
export function waitMs(wanted: number | undefined, maxS: number): number {
  return Math.min(wanted ?? 0, maxS) * 1000;
}
