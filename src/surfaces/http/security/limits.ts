import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance } from 'fastify';
import { WritError } from '../../../core/errors.ts';
import { addressOf } from './authenticate.ts';

const MINUTE_MS = 60_000;
/** Counted callers; the ones that were quiet longest make room. */
const COUNTED = 20_000;

/** Counts the requests of each key, session or address in memory; too many are RATE_LIMITED with Retry-After. */
export async function limitRates(app: FastifyInstance, perMinute: number): Promise<void> {
  await app.register(rateLimit, {
    global: true,
    hook: 'onRequest',
    max: perMinute,
    timeWindow: MINUTE_MS,
    cache: COUNTED,
    keyGenerator: (request) => request.quota,
    enableDraftSpec: true,
    errorResponseBuilder: (_request, { after }) => new WritError('RATE_LIMITED', `too many requests; try again in ${after}`),
  });
}

/** The lower limit of the routes that take secrets from people, per address. */
export function loginRate(perMinute: number) {
  return { max: perMinute, timeWindow: MINUTE_MS, keyGenerator: addressOf, groupId: ':login' };
}
