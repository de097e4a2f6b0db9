import type { OverlayBudget } from './candidates.ts';

/** Milliseconds of a search without the index for each file. ripgrep with threads took 325 to 415 ms for 78,258 files: this is less. */
const MS_PER_FILE = 0.004;

/**
 * How long an answer of the index host is worth waiting for: no longer than the search would take without it, nor than a search
 * may spend on the index (FR-LSI-BUD-MAINT-01). @param documents files of the index, as far as known @returns milliseconds
 */
export function patienceMs(documents: number, timeoutMs: number, { fraction, maxMs }: Pick<OverlayBudget, 'fraction' | 'maxMs'>): number {
  return Math.min(documents * MS_PER_FILE, fraction * timeoutMs, maxMs);
}
