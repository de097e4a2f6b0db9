import { type Query, reasonOf } from '../../adapters/postgresql/open.ts';
import { systemClock } from '../../core/clock.ts';
import type { EngineAnswer, EngineName, MessageEngine } from '../../core/ports/message-engine.ts';
import type { MessageQuestions, ProjectOrProduct, SearchViewer } from '../../core/ports/message-search.ts';
import { createExcerpts } from '../engines/fts5/excerpts.ts';
import { copyIn, isUnfit, unfitAlone, unfitBeside } from '../engines/postgresql/copy.ts';
import { createCopiedCursorKeys } from '../engines/postgresql/cursor-keys.ts';
import { createPostgresqlEngine } from '../engines/postgresql/engine.ts';
import { placesIn, productIn, projectIn } from '../engines/postgresql/names.ts';
import { recipientsIn } from '../engines/postgresql/recipients.ts';
import { createServers, type Standard } from '../engines/postgresql/servers.ts';
import { createTokens } from '../engines/postgresql/tokens.ts';
import { sealKeyOf } from '../search/cursor-seal.ts';
import { failingEngine } from '../search/error-response.ts';
import { createMessageSearchService } from '../search/service.ts';
import { openServers } from './postgresql.ts';
import type { PostgresqlServers } from './postgresql-target.ts';
import type { SearchThreadEvent } from './search-thread-protocol.ts';

const NO_STORE = 'this host has no store of messages (messages.read_only)';

export interface CopiedSearch extends MessageQuestions {
  /** Projects and products, for a screen. @throws Error where the copy cannot be asked */
  places(viewer: SearchViewer): Promise<readonly ProjectOrProduct[]>;
  close(): Promise<void>;
}

/** Message search of a host without a store: everything that it tells is out of the copy in PostgreSQL (docs/message-postgresql.md). */
export function createCopiedSearch(target: PostgresqlServers, emit: (event: SearchThreadEvent) => void): CopiedSearch {
  const { primary, replicas, close } = openServers(target);
  const elapsed = systemClock.monotonic;
  const servers = createServers({ primary, replicas, standard: standardOfPrimary(primary), emit, elapsed });

  /** What is no search itself: of the newest state. */
  async function lookUp<T>(viewer: SearchViewer, look: (query: Query) => Promise<T>): Promise<EngineAnswer<T>> {
    try {
      const found = await servers.read({ isResuming: false, mayCount: viewer === null }, look);
      return found.ok ? { ok: true, value: found.value.value } : found;
    } catch (error) {
      return { ok: false, error: { kind: 'engine_error', message: reasonOf(error) } };
    }
  }

  async function valued<T>(found: Promise<EngineAnswer<T>>): Promise<T> {
    const answer = await found;
    if (answer.ok) return answer.value;
    throw new Error(answer.error.message);
  }

  const cursorKeys = createCopiedCursorKeys(async (work) => {
    const found = await lookUp(null, work);
    return found.ok ? found.value : undefined;
  }, elapsed);
  const service = createMessageSearchService({
    engines: { fts5: noStore(), postgresql: createPostgresqlEngine({ servers, tokens: createTokens() }) },
    absent: { fts5: NO_STORE, semantic: NO_STORE, hybrid: NO_STORE, hybrid_rerank: NO_STORE },
    // An operator's name for who reads: recipients have a scope of their own, and no counts.
    recipients: (ask) => valued(lookUp(null, (query) => recipientsIn(query, ask))),
    excerpts: createExcerpts(),
    cursorKeys,
    killSwitch: 'postgresql',
    now: systemClock.now,
    elapsed,
    emit,
  });
  return {
    async search(query, viewer) {
      await cursorKeys.look(typeof query.cursor === 'string' ? sealKeyOf(query.cursor) : undefined);
      return service.search(query, viewer);
    },
    project: (key, viewer) => lookUp(viewer, (query) => projectIn(query, key, viewer)),
    product: (key, viewer) => lookUp(viewer, (query) => productIn(query, key, viewer)),
    places: (viewer) => valued(lookUp(viewer, (query) => placesIn(query, viewer))),
    close,
  };
}

/**
 * The primary is the judge where there is no store: what any host has shown out of PostgreSQL, the primary has. Where nobody can ask
 * it, nobody knows what a replica lacks, and what was taken from a reader since.
 */
function standardOfPrimary(primary: ReturnType<typeof openServers>['primary']): Standard {
  return {
    ofPrimary: unfitAlone,
    async ofReplicas() {
      const now = await primary.transaction('read', copyIn);
      return (copy) => (isUnfit(now) ? now : unfitBeside(copy, now));
    },
  };
}

/** In the place of FTS5, which is the last resort of every search. */
function noStore(): MessageEngine {
  const name: EngineName = 'fts5';
  return { ...failingEngine(name, { kind: 'feature_unavailable', message: NO_STORE }), absent: () => NO_STORE };
}
