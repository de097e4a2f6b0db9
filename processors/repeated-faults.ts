import { LRUCache } from 'lru-cache';
import { isWritError } from '../src/core/errors.ts';
import { isOutage } from '../src/core/outage.ts';

/**
 * A fault that has come back so often will come back again: then the task or plan ends, and says so. One more than the crashes that end a
 * task with a last look at its journal: what ends here could not be ended there, either.
 */
export const MAX_SAME_FAULTS = 6;

/** How often in a row deliveries of one task or plan have crashed in this process. */
export interface Crashes {
  /** Whatever the reasons were. */
  readonly inRow: number;
  /** For this very reason; 0 for an outage, which ends by itself and is waited for. */
  readonly same: number;
}

/**
 * Counts crashes of this process, by the id of the task or plan. A worker that is lost with a delivery is counted elsewhere
 * (takeovers, losses), so nothing is lost with these counts but some more tries.
 */
export interface RepeatedFaults {
  note(id: string, error: unknown): Crashes;
  /** It went well. */
  forget(id: string): void;
}

const MAX_KEPT = 10_000;

export function createRepeatedFaults(): RepeatedFaults {
  // A bound of their sizes takes no room beforehand, as one of their number does.
  const kept = new LRUCache<string, Crashes & { readonly fault: string }>({ maxSize: MAX_KEPT, sizeCalculation: () => 1 });
  return {
    note(id, error) {
      const before = kept.get(id);
      const fault = isOutage(error) ? '' : describeFault(error).replaceAll(/\d+/g, '#');
      const same = fault === '' ? 0 : before?.fault === fault ? before.same + 1 : 1;
      const crashes = { fault, inRow: (before?.inRow ?? 0) + 1, same };
      kept.set(id, crashes);
      return crashes;
    },
    forget: (id) => void kept.delete(id),
  };
}

/** The fault for whoever pushed the task. Only our own sentences are repeated: those of others may hold paths and addresses, the log has them. */
export function describeFault(error: unknown): string {
  if (isWritError(error)) return `${error.code}: ${error.message}`;
  if (!(error instanceof Error)) return 'something was thrown that is no error';
  return 'code' in error && typeof error.code === 'string' ? `${error.name} (${error.code})` : error.name;
}
