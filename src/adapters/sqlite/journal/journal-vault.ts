import { VAULT_DIRECTORY } from '../../../contracts/index.ts';
import { WritError } from '../../../core/errors.ts';
import type { BasePath, CloseFailure, FileIntent } from '../../../core/ports/journal.ts';
import type { SqliteDatabase } from '../open.ts';
import { basePath, type ClosedRow } from './journal-rows.ts';
import { SQL } from './journal-statements.ts';

interface Place {
  readonly base: string;
  readonly name: string;
}

/** The books of the vaults: a place is reserved with the intent, kept with the success, freed with the failure; a withdrawn copy is booked with it. */
export interface VaultBooks {
  /** Whether the vault that the intent moves a file into takes it; true when it moves none there. The quota is per base. */
  hasRoom(intent: FileIntent, vault: { bytes: number; quota: number } | undefined): boolean;
  /** Books the intent's place, if it has one. */
  reserve(intent: FileIntent, n: number, bytes: number, now: number): void;
  /**
   * An attempt was closed. With success its place, if it has one, holds a file now, and a file that came out of a vault
   * has left it; else its place is free again.
   */
  settle(taskId: string, n: number, closed: ClosedRow, success: boolean, now: number): void;
  /** Books a copy that a failed attempt has left there. It was not reserved, so the vault may hold more than its quota. */
  book(taskId: string, n: number, copy: NonNullable<CloseFailure['withdrawn']>, now: number): void;
  forget(base: string, name: string): void;
}

export function vaultBooks(db: SqliteDatabase): VaultBooks {
  const usageOf = db.prepare<{ base: string }, { bytes: number }>(SQL.vaultUsageOf);
  const reserve = db.prepare<{ base: string; name: string; taskId: string; n: number; bytes: number; now: number }>(SQL.vaultReserve);
  const book = db.prepare<{ base: string; name: string; taskId: string; n: number; bytes: number; now: number }>(SQL.vaultBook);
  const keep = db.prepare<{ taskId: string; n: number; now: number }>(SQL.vaultKeep);
  const free = db.prepare<{ taskId: string; n: number }>(SQL.vaultFree);
  const forget = db.prepare<Place>(SQL.vaultForget);

  return {
    hasRoom(intent, vault) {
      const place = placeOf(intent);
      if (place === undefined) return true;
      if (vault === undefined) throw new WritError('INTERNAL', 'an intent that moves a file into a vault must name its bytes and the quota');
      const used = usageOf.get({ base: place.base })?.bytes ?? 0;
      return used + vault.bytes <= vault.quota;
    },
    reserve(intent, n, bytes, now) {
      const place = placeOf(intent);
      if (place !== undefined) reserve.run({ ...place, taskId: intent.taskId, n, bytes, now });
    },
    settle(taskId, n, closed, success, now) {
      if (inVault(closed.destination_path) || (closed.retired_path !== null && inVault(closed.retired_path))) {
        if (success) keep.run({ taskId, n, now });
        else free.run({ taskId, n });
      }
      if (!success || !inVault(closed.source_path)) return;
      const left = vaultPlace(basePath(closed.source_base, closed.source_path));
      if (left !== undefined) forget.run(left);
    },
    book(taskId, n, { place, bytes }, now) {
      const at = vaultPlace(place);
      if (at === undefined) throw new WritError('INTERNAL', 'a withdrawn copy lies in a vault');
      book.run({ ...at, taskId, n, bytes, now });
    },
    forget: (base, name) => void forget.run({ base, name }),
  };
}

/** A delete moves the file there; a move across filesystems retires the source there. */
function placeOf(intent: FileIntent): Place | undefined {
  return vaultPlace(intent.destination) ?? (intent.retired && vaultPlace(intent.retired));
}

/** The place in a vault that a path names, or undefined when it lies outside. */
function vaultPlace(path: BasePath): Place | undefined {
  const [first, ...rest] = path.segments;
  return first === VAULT_DIRECTORY && rest.length > 0 ? { base: path.base, name: rest.join('/') } : undefined;
}

function inVault(path: string): boolean {
  return path.startsWith(`${VAULT_DIRECTORY}/`);
}
