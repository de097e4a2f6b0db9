import type { SqliteDatabase } from '../../src/adapters/sqlite/open.ts';
import type { SearchQuery } from '../../src/contracts/index.ts';
import { systemClock } from '../../src/core/clock.ts';
import type { EngineName, EngineRequest, MessageEngine } from '../../src/core/ports/message-engine.ts';
import { createFts5Engine } from '../../src/messages/engines/fts5/engine.ts';
import { createExcerpts } from '../../src/messages/engines/fts5/excerpts.ts';
import type { KillSwitch } from '../../src/messages/search/planner.ts';
import { createMessageSearchService, type MessageSearchService } from '../../src/messages/search/service.ts';
import { createCursorKeys } from '../../src/messages/store/cursor-keys.ts';
import { createMessagesReader } from '../../src/messages/store/reader.ts';
import { createRecipientsReader } from '../../src/messages/store/recipients.ts';

/** The search in this thread, as the thread of a server has it. */
export interface Library {
  readonly service: MessageSearchService;
  /** What the engine is asked for the first page of a query. */
  asked(query: SearchQuery): Promise<EngineRequest>;
  close(): void;
}

/** @param more engines that are asked before FTS5 @param killSwitch what searches are held to */
export function openLibrary(
  file: string,
  more: (database: () => SqliteDatabase) => Partial<Record<EngineName, MessageEngine>> = () => ({}),
  killSwitch?: KillSwitch,
): Library {
  const reader = createMessagesReader(file);
  const fts5 = createFts5Engine(reader.database);
  const rest = {
    excerpts: createExcerpts(),
    recipients: createRecipientsReader(reader.database),
    cursorKeys: createCursorKeys(reader.database, systemClock.monotonic),
    killSwitch,
    now: systemClock.now,
    elapsed: systemClock.monotonic,
    emit: () => undefined,
  };
  return {
    service: createMessageSearchService({ ...rest, engines: { fts5, ...more(reader.database) } }),
    async asked(query) {
      const asks: EngineRequest[] = [];
      const listening = {
        ...fts5,
        find(ask: EngineRequest) {
          asks.push(ask);
          return fts5.find(ask);
        },
      };
      await createMessageSearchService({ ...rest, killSwitch: undefined, engines: { fts5: listening } }).search(query, null);
      const [first] = asks;
      if (first === undefined) throw new Error(`no engine was asked: ${query.text}`);
      return first;
    },
    close: () => reader.close(),
  };
}
