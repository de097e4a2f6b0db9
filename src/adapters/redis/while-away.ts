import { setTimeout } from 'node:timers/promises';
import type { WritError } from '../../core/errors.ts';
import { whyAway } from './access.ts';
import type { RedisTarget } from './target.ts';

/** Often enough for somebody at a terminal, and rare for the server. */
const LOOK_MS = 3_000;

/**
 * Waits for what waits for a configured Redis, and tells meanwhile what is wrong with that one: after some seconds, and again
 * when it changes. `undefined`: it answers after all.
 *
 * @param target nothing where nobody waits for a server of somebody else's
 */
export async function tellWhileAway<T>(
  waiting: Promise<T>,
  target: RedisTarget | undefined,
  tell: (why: WritError | undefined) => void,
  lookMs = LOOK_MS,
): Promise<T> {
  const over = new AbortController();
  if (target !== undefined) void look(target, tell, lookMs, over.signal);
  return waiting.finally(() => over.abort());
}

async function look(target: RedisTarget, tell: (why: WritError | undefined) => void, lookMs: number, over: AbortSignal): Promise<void> {
  let told: string | undefined;
  while (!over.aborted) {
    await setTimeout(lookMs, undefined, { signal: over, ref: false }).catch(() => undefined);
    const why = over.aborted ? undefined : await whyAway(target);
    if (over.aborted || why?.message === told) continue;
    told = why?.message;
    tell(why);
  }
}
