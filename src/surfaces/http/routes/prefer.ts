import type { FastifyRequest } from 'fastify';

/** The row's sentence about the header. */
export const PREFER = { prefer: '`wait=N` (RFC 7240): keep the request open until the task has ended, at most N seconds and at most `http.max_wait_s`.' };
export const PREFERENCE_APPLIED = { 'preference-applied': 'The wait that was granted, `wait=N`.' };

/** A wait that the client asked for. */
export interface Wait {
  readonly timeoutMs: number;
  readonly headers: Readonly<Record<string, string>>;
}

const WAIT = /^wait\s*=\s*"?(\d{1,9})"?\s*(?:;|$)/i;

/** The wait of `Prefer: wait=N`, bounded; `undefined` when none was asked for. Preferences that are not known are ignored (RFC 7240 2). */
export function waitOf({ headers }: FastifyRequest, maxWaitS: number): Wait | undefined {
  const given = headers['prefer'];
  const preferences = (Array.isArray(given) ? given.join(',') : (given ?? '')).split(',');
  for (const preference of preferences) {
    const seconds = WAIT.exec(preference.trim())?.[1];
    if (seconds === undefined) continue;
    const granted = Math.min(Number(seconds), maxWaitS);
    return { timeoutMs: granted * 1000, headers: { 'preference-applied': `wait=${granted}` } };
  }
  return undefined;
}
