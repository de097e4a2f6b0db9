import { z } from 'zod';
import { LeaseToken, TaskId } from '../../../contracts/index.ts';

/** Arguments that several tools share. */
export const taskId = TaskId.meta({ description: 'The task.' });
export const lease = LeaseToken.optional().meta({ description: 'Permission of the kernel to run exactly these bytes, a compact JWS.' });
export const sign = z.boolean().optional().meta({ description: 'Have the kernel issue a lease where none is given; needs the role kernel.' });
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
