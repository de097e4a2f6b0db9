import { describe } from 'vitest';
import { createScoredEngine } from '../../src/messages/engines/result-set/scored-engine.ts';
import { createMessagesReader } from '../../src/messages/store/reader.ts';
import { cases } from '../support/oracle-runs.ts';
import { searchOver } from '../support/search-service.ts';
import { messageSearchConformance } from './message-search.ts';

const queries = cases(10);

describe('message search over scores from outside', () => {
  messageSearchConformance(
    (file) => {
      const reader = createMessagesReader(file);
      // The scores are those of FTS5, handed over as an engine of another kind does, so the oracle of FTS5 judges them.
      const engine = createScoredEngine({
        name: 'fts5',
        tag: 'fts5',
        mode: 'lexical',
        database: reader.database,
        score({ match }) {
          if (match.by !== 'words') throw new Error('only words have scores');
          try {
            const rows = reader
              .database()
              .prepare<[string], [number, number]>('SELECT rowid, -bm25(fts_messages, 0.0, 10.0, 1.0, 5.0, 0.5) FROM fts_messages WHERE fts_messages MATCH ?')
              .raw()
              .all(match.expression);
            return { ok: true, value: { ids: rows.map(([id]) => id), raws: rows.map(([, raw]) => raw), scale: { best: null, worst: null } } };
          } catch {
            return { ok: false, error: { kind: 'invalid_query', message: 'no FTS5' } };
          }
        },
      });
      const service = searchOver(file, { engines: { fts5: engine } });
      return {
        ...service,
        close() {
          service.close();
          reader.close();
        },
      };
    },
    { mailboxes: 3, queries, seed: 101 },
  );
});
