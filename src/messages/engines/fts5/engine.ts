import Database from 'better-sqlite3';
import type { SqliteDatabase } from '../../../adapters/sqlite/open.ts';
import { messageOf } from '../../../core/errors.ts';
import type { EngineSet, MessageEngine, SearchError } from '../../../core/ports/message-engine.ts';
import { createSetReader } from '../result-set/reader.ts';
import { fts5Ranking } from './ranking.ts';

/**
 * Message search by SQLite's full text, which is always there.
 *
 * @param database the database, open for reading; throws while there is none. It stays its owner's.
 */
export function createFts5Engine(database: () => SqliteDatabase): MessageEngine {
  const reader = createSetReader(database, faultOf);
  return {
    name: 'fts5',
    tag: 'fts5',
    mode: 'lexical',
    find: (ask) => reader.answered(ask, () => reader.page(ask, ask.match.by === 'words' ? fts5Ranking(ask.kind, ask.match.expression) : null)),
    rows: (set) => reader.answered(set, () => reader.rows(set)),
  };
}

/** What FTS5 cannot parse is the query's fault; everything else is ours. */
function faultOf({ match }: EngineSet, error: unknown): SearchError {
  const syntax = match.by === 'words' && error instanceof Database.SqliteError && error.code === 'SQLITE_ERROR';
  return { kind: syntax ? 'invalid_query' : 'engine_error', message: messageOf(error) };
}
