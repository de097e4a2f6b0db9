import { LRUCache } from 'lru-cache';
import type { SqliteDatabase } from '../../../adapters/sqlite/open.ts';
import type { DocKind } from '../../../contracts/index.ts';
import { messageOf } from '../../../core/errors.ts';
import type { Embedder } from '../../../core/ports/embedder.ts';
import type { EngineAnswer, EngineRequest, MessageEngine } from '../../../core/ports/message-engine.ts';
import { dataVersion } from '../../store/open.ts';
import { createSetReader } from '../result-set/reader.ts';
import { createScoredEngine } from '../result-set/scored-engine.ts';
import { readVectorFile } from './file.ts';
import { openVectorStateReader, type SetState, stateQueries, vectorFile } from './state.ts';
import { type Among, createVectorIndex, type Nearest, type VectorIndex } from './vector-index.ts';

/** Documents that a search by vectors finds at most, whatever page is asked for: pages end with them. */
export const VECTOR_POOL = 1000;
/** Sets of candidates that are kept for the next page, or the next text. */
const MAX_KEPT = 16;

export interface VectorEngineParts {
  readonly embedder: Embedder;
  readonly searcher: VectorSearcher;
  /** The messages, open for reading; throws while there are none. */
  readonly database: () => SqliteDatabase;
}

/** The nearest documents of a set, at most `VECTOR_POOL`, and of what belongs to it and may not be seen. */
export interface SetNearest {
  readonly found: Nearest;
  readonly denied: Nearest;
}

export type NearestOf = (request: EngineRequest) => Promise<EngineAnswer<SetNearest>>;

const NONE: Nearest = { ids: [], scores: [] };

/** Filters first: only vectors of candidates are looked at. Which these are is kept until something changes. */
export function nearestOf({ embedder, searcher, database }: VectorEngineParts): NearestOf {
  const sets = createSetReader(database);
  const kept = new LRUCache<string, Among>({ max: MAX_KEPT });

  function amongOf(request: EngineRequest, index: VectorIndex, state: string): Among | null {
    if (isEverything(request)) return null;
    // Approvals of contacts end with time.
    if (request.scope.viewers.length > 0) return index.among(sets.candidates(request));
    const key = JSON.stringify([state, dataVersion(database()), request.kind, request.filters, request.scope]);
    const known = kept.get(key);
    if (known !== undefined) return known;
    const among = index.among(sets.candidates(request));
    kept.set(key, among);
    return among;
  }

  /** What is hidden has places of its own: it moves nothing that is seen, and can be counted. */
  function deniedOf(request: EngineRequest, index: VectorIndex, query: Float32Array): Nearest {
    const { viewers, keep_denied, only_denied, hide_denied } = request.scope;
    if (viewers.length === 0 || keep_denied || only_denied || hide_denied) return NONE;
    const hidden = sets.candidates({ ...request, scope: { ...request.scope, only_denied: true } });
    return hidden.length === 0 ? NONE : index.nearest(query, VECTOR_POOL, index.among(hidden));
  }

  return async (request) => {
    if (request.match.by !== 'words') return { ok: false, error: { kind: 'invalid_query', message: 'there is no text to compare' } };
    const [query] = await embedder.embed([request.match.text]);
    if (query === undefined || !query.every(Number.isFinite)) throw new Error(`the embedder ${embedder.id} made no vector of the query`);
    const ready = searcher.index(request.kind);
    if (!ready.ok) return ready;
    const { index, state } = ready.value;
    return { ok: true, value: { found: index.nearest(query, VECTOR_POOL, amongOf(request, index, state)), denied: deniedOf(request, index, query) } };
  };
}

/** Search by vectors (message-search.md 1.1): cosines as they are, from 0 to 1; what has nothing in common with the text is not found. */
export function createSemanticEngine(parts: VectorEngineParts): MessageEngine {
  const nearest = nearestOf(parts);
  const engine = createScoredEngine({
    name: 'semantic',
    tag: 'hybrid',
    mode: 'semantic',
    database: parts.database,
    async score(request) {
      const nearby = await nearest(request);
      if (!nearby.ok) return nearby;
      const { found, denied } = nearby.value;
      return { ok: true, value: { ids: [...found.ids, ...denied.ids], raws: [...found.scores, ...denied.scores], scale: { best: 1, worst: 0 } } };
    },
  });
  return { ...engine, ...(parts.embedder.knowsMeaning && { knowsMeaning: true }) };
}

/** Whether no filter and no viewer narrow a set. Documents that are gone are left out later. */
function isEverything({ filters, scope }: EngineRequest): boolean {
  const { importance, ...rest } = filters;
  return (
    importance.length === 0 &&
    Object.values(rest).every((value) => value === null) &&
    scope.projects === null &&
    scope.granted === undefined &&
    scope.viewers.length === 0
  );
}

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
