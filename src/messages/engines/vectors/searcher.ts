import type { SqliteDatabase } from '../../../adapters/sqlite/open.ts';
import type { DocKind } from '../../../contracts/index.ts';
import { messageOf } from '../../../core/errors.ts';
import type { Embedder } from '../../../core/ports/embedder.ts';
import type { EngineAnswer } from '../../../core/ports/message-engine.ts';
import { readVectorFile } from './file.ts';
import { openVectorStateReader, type SetState, stateQueries, vectorFile } from './state.ts';
import { createVectorIndex, type VectorIndex } from './vector-index.ts';

/** The vectors of a data directory for a process that searches: in memory, brought up to date by every question. */
export interface VectorSearcher {
  /** The index of a kind with what has been written so far, and a number that another content never has; `index_not_ready` while there is none. */
  index(kind: DocKind): EngineAnswer<{ readonly index: VectorIndex; readonly state: string }>;
  close(): void;
}

interface Loaded {
  readonly index: VectorIndex;
  readonly state: SetState;
}

export function createVectorSearcher(directory: string, { id: embedder, dimension }: Pick<Embedder, 'id' | 'dimension'>): VectorSearcher {
  let db: SqliteDatabase | undefined;
  let queries: ReturnType<typeof stateQueries> | undefined;
  const loaded = new Map<DocKind, Loaded>();

  function ask(): ReturnType<typeof stateQueries> {
    db ??= openVectorStateReader(directory);
    queries ??= stateQueries(db);
    return queries;
  }

  /** In one state of the database: rows that leave it are in a file that is there before. */
  function current(kind: DocKind): Loaded | { readonly refused: string } {
    const { find, fresh } = ask();
    const state = find(kind, embedder);
    if (state === undefined || state.whole === 0) return { refused: 'the vectors are still being made' };
    const known = loaded.get(kind);
    if (known?.state.change === state.change && known.state.source === state.source) return known;
    const follows = known !== undefined && known.state.source === state.source && known.state.file === state.file && known.state.change < state.change;
    const index = follows ? known.index : createVectorIndex(dimension);
    // Before the file: what a later one took over is in both.
    const rows = fresh(kind, embedder, follows ? known.state.change : -1);
    if (!follows && state.in_file > 0) {
      const vectors = readVectorFile(vectorFile(directory, kind, embedder), { embedder, dimension });
      if ('refused' in vectors) return { refused: `the file of vectors cannot be read: ${vectors.refused}` };
      index.load(vectors);
    }
    for (const { id, halves } of rows) {
      if (halves === null) index.remove(id);
      else if (halves.length === dimension) index.set(id, halves);
    }
    const now = { index, state };
    loaded.set(kind, now);
    return now;
  }

  return {
    index(kind) {
      try {
        ask();
        const found = db?.transaction(() => current(kind))();
        if (found !== undefined && 'index' in found) {
          return { ok: true, value: { index: found.index, state: `${found.state.source} ${found.state.change}` } };
        }
        return { ok: false, error: { kind: 'index_not_ready', message: found?.refused ?? 'there are no vectors' } };
      } catch (error) {
        return { ok: false, error: { kind: 'index_not_ready', message: messageOf(error) } };
      }
    },
    close() {
      loaded.clear();
      queries = undefined;
      db?.close();
      db = undefined;
    },
  };
}
