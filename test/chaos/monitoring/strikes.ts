import type { Strike } from './strike.ts';
import { API_STRIKES } from './strikes/api.ts';
import { INDEX_STRIKES } from './strikes/content-index.ts';
import { REDIS_STRIKES } from './strikes/redis.ts';
import { TASK_STRIKES } from './strikes/tasks.ts';

/** In this order: what hurts the most comes last. */
export const STRIKES: readonly Strike[] = [...TASK_STRIKES, ...REDIS_STRIKES, ...INDEX_STRIKES, ...API_STRIKES];
