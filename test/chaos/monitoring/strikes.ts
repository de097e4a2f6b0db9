import type { Strike } from './strike.ts';
import { API_STRIKES, FULL_DISK } from './strikes/api.ts';
import { INDEX_STRIKES } from './strikes/content-index.ts';
import { REDIS_STRIKES } from './strikes/redis.ts';
import { TASK_STRIKES } from './strikes/tasks.ts';

/** In this order: what an alert tells of for a while must not come before what it is asked for. */
export const STRIKES: readonly Strike[] = [FULL_DISK, ...TASK_STRIKES, ...REDIS_STRIKES, ...INDEX_STRIKES, ...API_STRIKES];
