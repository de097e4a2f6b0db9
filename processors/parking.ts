import type { Clock } from '../src/core/clock.ts';
import { sha256Hex } from '../src/core/hash.ts';
import type { Ledger } from '../src/core/ports/index.ts';
import { type Delivery, jobKey } from './delivery.ts';

/** What parks the duplicates of a task or plan, and wakes them (`docs/protocol.md` section 4, Duplicates). */
export interface ParkingDeps {
  readonly clock: Pick<Clock, 'now'>;
  readonly ledger: Pick<Ledger, 'park' | 'unpark' | 'parked'>;
  /** Ends the delay of these jobs; answers how many of them were delayed. */
  readonly promote: (jobKeys: readonly string[]) => Promise<number>;
  /** Instead of the time after which a parked job comes back by itself; tests make it endless. */
  readonly parkMs?: number | undefined;
}

const FIRST_MS = 15_000;
const MS_PER_PARKED = 50;
const LONGEST_MS = 300_000;

/**
 * When a parked job comes back if nobody wakes it, milliseconds: the more wait, the later, so that they never fill the
 * slots; and each at its own time, so that they do not come together.
 */
export function parkedMs(parked: number, key: string): number {
  const own = 1 + Number.parseInt(sha256Hex(key).slice(0, 8), 16) / 2 ** 32;
  return Math.floor(Math.min(LONGEST_MS, Math.max(FIRST_MS, parked * MS_PER_PARKED)) * own);
}

/** Notes that this job waits for the end of the task or plan; answers how long, should nobody wake it. */
export async function park(id: string, delivery: Delivery, { ledger, clock, parkMs }: ParkingDeps): Promise<number> {
  const key = jobKey(delivery);
  const parked = await ledger.park(id, key, delivery.attempt.started, clock.now());
  return parkMs ?? parkedMs(parked, key);
}

/** Whether this job was parked before it was delivered now; the note is gone then. A job's first delivery cannot have been. */
export async function hasWaited(id: string, delivery: Delivery, { ledger }: ParkingDeps): Promise<boolean> {
  return isRedelivered(delivery) && (await ledger.unpark(id, jobKey(delivery), delivery.attempt.started));
}

/** Whether the queue has handed the job over before. */
export function isRedelivered({ attempt }: Delivery): boolean {
  return attempt.started > 1;
}

/**
 * Wakes the jobs that wait for the end of a task or plan: all, or only one where the end speaks of the lease of the job that
 * ran. Never rejects: a wake-up that is lost costs them the rest of their delay, and nothing else.
 */
export async function wakeParked(id: string, { ledger, promote }: ParkingDeps, onlyOne = false): Promise<void> {
  try {
    for await (const keys of ledger.parked(id)) {
      for (const some of onlyOne ? keys.map((key) => [key]) : [keys]) {
        if ((await promote(some)) > 0 && onlyOne) return;
      }
    }
  } catch {
    // They come back by themselves.
  }
}
