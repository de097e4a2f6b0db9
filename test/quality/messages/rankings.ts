import type { SearchQuery } from '../../../src/contracts/index.ts';
import { createFts5Engine } from '../../../src/messages/engines/fts5/engine.ts';
import { createExcerpts } from '../../../src/messages/engines/fts5/excerpts.ts';
import { createMessageSearchService } from '../../../src/messages/search/service.ts';
import { createCursorKeys } from '../../../src/messages/store/cursor-keys.ts';
import { createMessagesReader } from '../../../src/messages/store/reader.ts';
import { createRecipientsReader } from '../../../src/messages/store/recipients.ts';
import { RECALL_AT } from '../metrics.ts';
import type { JudgedQuery } from './corpus.ts';
import { judgedSearch } from './judged-search.ts';

/** Ids, best first, at most as many as recall looks at. */
type Ranking = (query: JudgedQuery) => Promise<number[]>;

/** The search as it is served, and what it is compared with. */
export interface Rankings {
  readonly served: Ranking;
  /** The same rows, newest first: what the ranking is worth. */
  readonly newest: Ranking;
  /** One weight for subject and body instead of ten to one. */
  readonly equalWeights: Ranking;
  /** Any of the words instead of all of them. */
  readonly anyWord: Ranking;
  readonly methods: Map<string, string>;
  close(): void;
}

export function openRankings(file: string): Rankings {
  const reader = createMessagesReader(file);
  const methods = new Map<string, string>();
  let clock = 0;
  const service = createMessageSearchService({
    engines: { fts5: createFts5Engine(reader.database) },
    recipients: createRecipientsReader(reader.database),
    excerpts: createExcerpts(),
    cursorKeys: createCursorKeys(reader.database, () => clock),
    killSwitch: undefined,
    now: () => clock,
    elapsed: () => (clock += 1),
    emit: () => undefined,
  });
  const db = reader.database();
  const queryOf = judgedSearch(db);
  const byWeights = db
    .prepare<[string], number>('SELECT rowid FROM fts_messages WHERE fts_messages MATCH ? ORDER BY bm25(fts_messages, 0.0, 1.0, 1.0), rowid')
    .pluck();

  const ask = async (judged: JudgedQuery, more: Partial<SearchQuery> = {}): Promise<{ ids: number[]; fts: string | null }> => {
    const { results, explain } = await service.search({ ...queryOf(judged), limit: RECALL_AT, ...more }, null);
    if (more.text === undefined) methods.set(judged.id, explain?.method ?? '?');
    return { ids: results.map(({ id }) => id), fts: explain?.method === 'fts5' ? explain.normalized_query : null };
  };

  return {
    methods,
    served: async (judged) => (await ask(judged)).ids,
    newest: async (judged) => (await ask(judged, { ranking: 'recency' })).ids,
    async equalWeights(judged) {
      const { ids, fts } = await ask(judged, { limit: 1000 });
      if (fts === null) return ids.slice(0, RECALL_AT);
      const allowed = new Set(ids);
      return byWeights
        .all(fts)
        .filter((id) => allowed.has(id))
        .slice(0, RECALL_AT);
    },
    async anyWord(judged) {
      const words = judged.text.split(/\s+/);
      // Only where the query is a list of words: its own syntax is somebody's wish.
      const plain = words.length > 1 && words.every((word) => /^[\p{L}\p{N}-]+$/u.test(word) && !/^(AND|OR|NOT)$/.test(word));
      return (await ask(judged, plain ? { text: words.map((word) => `"${word}"`).join(' OR ') } : {})).ids;
    },
    close: () => reader.close(),
  };
}
