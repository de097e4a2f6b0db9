import type { SqliteDatabase } from '../../../adapters/sqlite/open.ts';
import type { DocKind } from '../../../contracts/index.ts';
import { bytesOf, type Fresh } from './state.ts';

/** What the maker of vectors writes beside the files, each in one transaction. */
export interface StateWrites {
  /** A set without anything in it, for these messages. */
  begin(kind: DocKind, embedder: string, source: string): void;
  rows(kind: DocKind, embedder: string, rows: readonly Fresh[], so: { readonly done: number; readonly whole: boolean }): void;
  /** There was nothing up to this number. */
  idle(kind: DocKind, embedder: string, done: number): void;
  freshCount(kind: DocKind, embedder: string): number;
  /** All rows are in the file now, which has so many vectors. */
  folded(kind: DocKind, embedder: string, inFile: number): void;
  /** Forgets the sets of other embedders, and names these. */
  dropOthers(kind: DocKind, embedder: string): readonly string[];
}

type Key = [DocKind, string];

export function stateWrites(db: SqliteDatabase): StateWrites {
  const clear = db.prepare<Key>('DELETE FROM fresh WHERE kind = ? AND embedder = ?');
  const begin = db.prepare<[...Key, string]>(
    `INSERT INTO sets (kind, embedder, source) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET source = excluded.source, done_seq = 0, whole = 0,
     change = change + 1, file = file + 1, in_file = 0`,
  );
  const put = db.prepare<[...Key, number, Buffer | null, DocKind, string]>(
    `INSERT INTO fresh (kind, embedder, doc_id, vector, change) VALUES (?, ?, ?, ?, (SELECT change + 1 FROM sets WHERE kind = ? AND embedder = ?))
     ON CONFLICT DO UPDATE SET change = excluded.change, vector = excluded.vector`,
  );
  const raise = db.prepare<[number, number, ...Key]>('UPDATE sets SET done_seq = ?, whole = ?, change = change + 1 WHERE kind = ? AND embedder = ?');
  const idle = db.prepare<[number, ...Key]>('UPDATE sets SET done_seq = ? WHERE kind = ? AND embedder = ?');
  const count = db.prepare<Key, number>('SELECT count(*) FROM fresh WHERE kind = ? AND embedder = ?').pluck();
  const folded = db.prepare<[number, ...Key]>('UPDATE sets SET file = file + 1, in_file = ?, change = change + 1 WHERE kind = ? AND embedder = ?');
  const drop = db.prepare<Key, string>('DELETE FROM sets WHERE kind = ? AND embedder <> ? RETURNING embedder').pluck();

  return {
    begin: db.transaction((kind: DocKind, embedder: string, source: string) => {
      clear.run(kind, embedder);
      begin.run(kind, embedder, source);
    }),
    rows: db.transaction((kind: DocKind, embedder: string, rows: readonly Fresh[], { done, whole }: { done: number; whole: boolean }) => {
      for (const { id, halves } of rows) put.run(kind, embedder, id, halves === null ? null : bytesOf(halves), kind, embedder);
      raise.run(done, whole ? 1 : 0, kind, embedder);
    }),
    idle: (kind, embedder, done) => void idle.run(done, kind, embedder),
    freshCount: (kind, embedder) => count.get(kind, embedder) ?? 0,
    folded: db.transaction((kind: DocKind, embedder: string, inFile: number) => {
      clear.run(kind, embedder);
      folded.run(inFile, kind, embedder);
    }),
    dropOthers: (kind, embedder) => drop.all(kind, embedder),
  };
}
