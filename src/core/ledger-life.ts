import { BOUNDS } from '../contracts/index.ts';
import { WritError } from './errors.ts';

/** A row lives at least this long after its last change, whatever its lease says (`docs/protocol.md` section 1). */
export const KEEP_MS = 7 * 24 * 3600 * 1000;

/** Largest signed result that the ledger keeps, in bytes of UTF-8. */
export const MAX_RESULT_BYTES = BOUNDS.result;

export interface LedgerSettings {
  /** `ledger.retention_s`, milliseconds that a row outlives its lease; at least `lease.max_ttl_s` (design 4). */
  readonly retentionMs: number;
  /** Milliseconds that an answer which never reached a row stays readable; 7 days unless given. */
  readonly refusedMs?: number;
}

/** When a row may go, milliseconds since 1970. `exp` in seconds. */
export function rowExpiry(exp: number, now: number, { retentionMs }: Pick<LedgerSettings, 'retentionMs'>): number {
  return Math.max(exp * 1000 + retentionMs, now + KEEP_MS);
}

export function fitsLedger(result: string): boolean {
  return Buffer.byteLength(result) <= MAX_RESULT_BYTES;
}

/** The result as it came. Throws WritError INVALID_RESULT when it is too large to keep. */
export function checkedResult(result: string): string {
  if (!fitsLedger(result)) throw new WritError('INVALID_RESULT', `a result may have at most ${MAX_RESULT_BYTES} bytes`);
  return result;
}
