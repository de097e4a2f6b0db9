import type { SqliteDatabase } from '../../../adapters/sqlite/open.ts';
import { messageOf } from '../../../core/errors.ts';
import type { EngineAnswer, EngineAsk, MessageEngine, SearchError } from '../../../core/ports/message-engine.ts';
import { createSetReader } from './reader.ts';
import { type Scored, scoredRanking } from './scored.ts';

export interface ScoredEngineParts extends Pick<MessageEngine, 'name' | 'tag' | 'mode'> {
  /** The database, open for reading; throws while there is none. It stays its owner's. */
  readonly database: () => SqliteDatabase;
  /**
   * Scores of all rows that match, whatever the filters say; what it throws is `engine_error`. `candidates` are the ids that
   * filters and scope leave, for those to whom that saves work: scores of others change nothing.
   */
  readonly score: (ask: EngineAsk, candidates: () => number[]) => EngineAnswer<Scored> | Promise<EngineAnswer<Scored>>;
}

/** An engine that ranks outside of SQLite. Where nothing is ranked it answers as FTS5 does. */
export function createScoredEngine({ name, tag, mode, database, score }: ScoredEngineParts): MessageEngine {
  const reader = createSetReader(database);
  const scored = async (ask: EngineAsk): Promise<EngineAnswer<Scored>> => {
    try {
      return await score(ask, () => reader.candidates(ask));
    } catch (error) {
      return { ok: false, error: { kind: 'engine_error', message: messageOf(error) } satisfies SearchError };
    }
  };
  return {
    name,
    tag,
    mode,
    async find(ask) {
      if (ask.match.by !== 'words') return reader.answered(ask, () => reader.page(ask, null));
      const scores = await scored(ask);
      if (!scores.ok) return scores;
      const { spent } = scores.value;
      return reader.answered(ask, () => ({ ...reader.page(ask, scoredRanking(scores.value)), ...(spent && { spent }) }));
    },
    rows: (set) => reader.answered(set, () => reader.rows(set)),
  };
}
