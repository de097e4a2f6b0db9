import path from 'node:path';
import { openDatabase, type SqliteDatabase } from '../../../adapters/sqlite/open.ts';
import { openMigrated } from '../../../adapters/sqlite/open-migrated.ts';
import type { DocKind } from '../../../contracts/index.ts';

const MIGRATIONS = new URL('./sql/', import.meta.url);

/** The row of a kind and an embedder (sql/001_vectors.sql). */
export interface SetState {
  readonly source: string;
  readonly done_seq: number;
  readonly whole: number;
  readonly change: number;
  readonly file: number;
  readonly in_file: number;
}

export interface Fresh {
  readonly id: number;
  /** `null`: the document is gone. */
  readonly halves: Uint16Array | null;
}

const COLUMNS = 'source, done_seq, whole, change, file, in_file';

/** The database beside the files, for the one who makes vectors. Made if it is missing. Throws WritError STORAGE_UNAVAILABLE. */
export function openVectorState(directory: string): SqliteDatabase {
  return openMigrated(path.join(directory, 'state.sqlite'), MIGRATIONS);
}

/** The same for those who search. Throws WritError STORAGE_UNAVAILABLE while there is none. */
export function openVectorStateReader(directory: string): SqliteDatabase {
  return openDatabase(path.join(directory, 'state.sqlite'), { readonly: true });
}

/** The file of a kind and an embedder. */
export function vectorFile(directory: string, kind: DocKind, embedder: string): string {
  return path.join(directory, `${kind}.${embedder}.amvi`);
}

/** What both sides ask. */
export function stateQueries(db: SqliteDatabase) {
  const find = db.prepare<[DocKind, string], SetState>(`SELECT ${COLUMNS} FROM sets WHERE kind = ? AND embedder = ?`);
  const fresh = db.prepare<[DocKind, string, number], { id: number; vector: Buffer | null }>(
    'SELECT doc_id AS id, vector FROM fresh WHERE kind = ? AND embedder = ? AND change > ? ORDER BY doc_id',
  );
  return {
    find: (kind: DocKind, embedder: string): SetState | undefined => find.get(kind, embedder),
    /** Vectors that were written after a change. */
    fresh: (kind: DocKind, embedder: string, after: number): Fresh[] =>
      fresh.all(kind, embedder, after).map(({ id, vector }) => ({ id, halves: vector === null ? null : halvesIn(vector) })),
  };
}

function halvesIn(bytes: Buffer): Uint16Array {
  return new Uint16Array(Uint8Array.from(bytes).buffer);
}

export function bytesOf(halves: Uint16Array): Buffer {
  return Buffer.from(halves.buffer, halves.byteOffset, halves.byteLength);
}
