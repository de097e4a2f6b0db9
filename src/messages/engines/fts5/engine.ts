import { Sqlite } from '../../../adapters/sqlite/driver.ts';
import type { SqliteDatabase } from '../../../adapters/sqlite/open.ts';
import { messageOf } from '../../../core/errors.ts';
import { askedWords, type EngineSet, type MessageEngine, type SearchError } from '../../../core/ports/message-engine.ts';
import { storeFault } from '../../store/fault.ts';
import { createSetReader } from '../result-set/reader.ts';
import { fts5Ranking } from './ranking.ts';
import { findWords } from './spelling.ts';

/**
 * Message search by SQLite's full text, which is always there.
 *
 * @param database the database, open for reading; throws while there is none. It stays its owner's.
 */
export function createFts5Engine(database: () => SqliteDatabase): MessageEngine & Required<Pick<MessageEngine, 'words'>> {
  const reader = createSetReader(database, faultOf);
  return {
    name: 'fts5',
    tag: 'fts5',
    mode: 'lexical',
    find: (request) =>
      reader.answered(request, () => reader.page(request, request.match.by === 'words' ? fts5Ranking(request.kind, askedWords(request.match)) : null)),
    rows: (set) => reader.answered(set, () => reader.rows(set)),
    words: (question) => reader.answered({ ...question, match: { by: 'filters' } }, () => reader.inTransaction((all) => findWords(all, question))),
  };
}

/** What FTS5 cannot parse is the query's fault; everything else is ours. */
function faultOf({ match }: EngineSet, error: unknown): SearchError {
  const syntax = match.by === 'words' && error instanceof Sqlite.SqliteError && error.code === 'SQLITE_ERROR';
  return syntax ? { kind: 'invalid_query', message: messageOf(error) } : storeFault('engine_error', error);
}
