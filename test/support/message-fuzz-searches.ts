import type { MessageSearch } from '../../src/core/ports/index.ts';
import type { EngineAnswer, MessageEngine } from '../../src/core/ports/message-engine.ts';
import { createFts5Engine } from '../../src/messages/engines/fts5/engine.ts';
import { createExcerpts } from '../../src/messages/engines/fts5/excerpts.ts';
import { errorResponse } from '../../src/messages/search/error-response.ts';
import { createMessageSearchService } from '../../src/messages/search/service.ts';
import { createCursorKeys } from '../../src/messages/store/cursor-keys.ts';
import { lookUp, productNamed, projectNamed } from '../../src/messages/store/named-projects.ts';
import { createMessagesReader } from '../../src/messages/store/reader.ts';
import { createRecipientsReader } from '../../src/messages/store/recipients.ts';

/** One database three times: behind its engine, behind one that refuses everything, and behind one that throws. */
export function fuzzedSearches(file: string): Readonly<Record<'working' | 'failing' | 'throwing', MessageSearch>> & { close(): void } {
  const reader = createMessagesReader(file);
  const fts5 = createFts5Engine(reader.database);
  const parts = { killSwitch: undefined, now: () => 1_000_000, elapsed: () => performance.now(), emit: () => undefined };
  const over = (engine: MessageEngine, database = reader.database): MessageSearch => ({
    ...createMessageSearchService({
      ...parts,
      engines: { fts5: engine },
      recipients: createRecipientsReader(database),
      excerpts: createExcerpts(),
      cursorKeys: createCursorKeys(database, parts.elapsed),
    }),
    project: async (key, viewer) => lookUp(database, (db) => projectNamed(db, key, viewer)),
    product: async (key, viewer) => lookUp(database, (db) => productNamed(db, key, viewer)),
    errorResponse: (query, error) => errorResponse(query, null, error, parts),
  });
  const refuse = (): EngineAnswer<never> => ({ ok: false, error: { kind: 'engine_error', message: 'broken' } });
  const crash = (): never => {
    throw new Error('broken to pieces');
  };
  return {
    working: over(fts5),
    failing: over({ ...fts5, find: refuse, rows: refuse }),
    throwing: over({ ...fts5, find: crash, rows: crash }, crash),
    close: () => reader.close(),
  };
}
