/** The states of a notice and what an attempt does to them (docs/webhooks.md 3). Pure: time and chance are given. */

/** How an attempt to deliver ended. */
export type AttemptEnd =
  /** The receiver answered 2xx: it has the notice. */
  | { readonly kind: 'taken' }
  /** The receiver answered 410: it wants no notices any more. */
  | { readonly kind: 'gone' }
  /** Anything else; `retryAfterS` where the receiver asked for a time. */
  | { readonly kind: 'failed'; readonly problem: string; readonly retryAfterS?: number | undefined };

export interface AttemptsBefore {
  /** Attempts that have ended without success. */
  readonly attempts: number;
  /** When the first of them ended; `undefined` before it. */
  readonly firstAt: number | undefined;
}

export type AfterAttempt =
  | { readonly state: 'delivered' }
  | { readonly state: 'dead'; readonly problem: string; readonly attempts: number; readonly firstAt: number }
  | { readonly state: 'pending'; readonly problem: string; readonly attempts: number; readonly firstAt: number; readonly nextAt: number };

/** How long a notice is tried, milliseconds. */
export const GIVE_UP_MS = 24 * 3_600_000;
/** A clock that jumps a day ends no notice that was hardly tried. */
export const MIN_ATTEMPTS = 10;
const FIRST_WAIT_MS = 5_000;
const MAX_WAIT_MS = 3_600_000;
/** No wait is longer, jitter included; a longer one in the record comes from a clock that was wrong, and the notice is due. */
export const LONGEST_WAIT_MS = MAX_WAIT_MS * 1.25;

/**
 * Milliseconds until the next attempt: 5 s doubling to an hour, each longer by up to a quarter so that receivers that come back are not
 * met by all at once. A wish of the receiver counts where it is longer, up to an hour.
 *
 * @param attempts that have failed, at least 1
 * @param chance from 0 to 1
 */
export function waitAfter(attempts: number, chance: number, retryAfterS = 0): number {
  const doubled = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(attempts - 1, 30));
  const wished = Math.min(MAX_WAIT_MS, retryAfterS * 1000);
  return Math.round(Math.max(doubled, wished) * (1 + chance / 4));
}

/** What becomes of a notice after an attempt. The last attempt is made when 24 hours are over, not before. */
export function afterAttempt({ attempts: before, firstAt: first }: AttemptsBefore, end: AttemptEnd, now: number, chance: number): AfterAttempt {
  if (end.kind === 'taken') return { state: 'delivered' };
  const attempts = before + 1;
  const firstAt = first ?? now;
  if (end.kind === 'gone') return { state: 'dead', problem: 'the receiver answered 410: it wants no notices any more', attempts, firstAt };
  const giveUpAt = firstAt + GIVE_UP_MS;
  if (now >= giveUpAt && attempts >= MIN_ATTEMPTS) return { state: 'dead', problem: end.problem, attempts, firstAt };
  const next = now + waitAfter(attempts, chance, end.retryAfterS);
  const nextAt = now < giveUpAt && attempts + 1 >= MIN_ATTEMPTS ? Math.min(next, giveUpAt) : next;
  return { state: 'pending', problem: end.problem, attempts, firstAt, nextAt };
}
