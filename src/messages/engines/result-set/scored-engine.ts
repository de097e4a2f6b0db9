import type { SqliteDatabase } from '../../../adapters/sqlite/open.ts';
import { messageOf } from '../../../core/errors.ts';
import type { EngineAnswer, EngineRequest, EngineSpent, MessageEngine, SearchError } from '../../../core/ports/message-engine.ts';
import { sql } from '../../visibility/sql.ts';
import { createSetReader } from './reader.ts';
import type { Ranking } from './statements.ts';

/** What an engine outside of SQLite says of the rows that match; each id at most once, in any order. */
export interface Scored {
  readonly ids: ArrayLike<number>;
  /** Raw scores of these ids: finite, more is better, within the scale. */
  readonly raws: ArrayLike<number>;
  readonly scale: EngineScale;
  /** Milliseconds of the stages that led to them. */
  readonly spent?: EngineSpent;
  /** How many of them words found, where an engine joins these with others. */
  readonly byWords?: number;
}

/** The raw scores that become 1 and 0; `null`: the best, or the worst, of the set. Both of them the same: 1. */
export interface EngineScale {
  readonly best: number | null;
  readonly worst: number | null;
}

/** Filters, scope, order and pages over scores from outside. Ids whose row is gone are left out. */
export function scoredRanking({ ids, raws, scale }: Scored): Ranking {
  return {
    // One object of id → score: SQLite reads it in one pass, and reading two lists side by side takes the square of it.
    from: sql`json_each(${objectOf(ids, raws)})`,
    id: sql`CAST(f.key AS INTEGER)`,
    cost: sql`-f.value`,
    sign: -1,
    match: [],
    current: false,
    scale: { best: negative(scale.best), worst: negative(scale.worst) },
  };
}

function objectOf(ids: ArrayLike<number>, raws: ArrayLike<number>): string {
  const parts: string[] = [];
  for (let index = 0; index < ids.length; index += 1) parts.push(`"${ids[index]}":${raws[index]}`);
  return `{${parts.join(',')}}`;
}

/** 0 stays 0: there is a -0, and answers are compared. */
function negative(value: number | null): number | null {
  return value === null ? null : 0 - value;
}

export interface ScoredEngineParts extends Pick<MessageEngine, 'name' | 'tag' | 'mode'> {
  /** The database, open for reading; throws while there is none. It stays its owner's. */
  readonly database: () => SqliteDatabase;
  /**
   * Scores of all rows that match, whatever the filters say; what it throws is `engine_error`. `candidates` are the ids that
   * filters and scope leave, for those to whom that saves work: scores of others change nothing.
   */
  readonly score: (request: EngineRequest, candidates: () => number[]) => EngineAnswer<Scored> | Promise<EngineAnswer<Scored>>;
}

/** An engine that ranks outside of SQLite. Where nothing is ranked it answers as FTS5 does. */
export function createScoredEngine({ name, tag, mode, database, score }: ScoredEngineParts): MessageEngine {
  const reader = createSetReader(database);
  const scored = async (request: EngineRequest): Promise<EngineAnswer<Scored>> => {
    try {
      return await score(request, () => reader.candidates(request));
    } catch (error) {
      return { ok: false, error: { kind: 'engine_error', message: messageOf(error) } satisfies SearchError };
    }
  };
  return {
    name,
    tag,
    mode,
    async find(request) {
      if (request.match.by !== 'words') return reader.answered(request, () => reader.page(request, null));
      const scores = await scored(request);
      if (!scores.ok) return scores;
      const { spent, byWords } = scores.value;
      return reader.answered(request, () => ({
        ...reader.page(request, scoredRanking(scores.value)),
        ...(spent && { spent }),
        ...(byWords !== undefined && { byWords }),
      }));
    },
    rows: (set) => reader.answered(set, () => reader.rows(set)),
  };
}
