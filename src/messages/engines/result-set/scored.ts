import type { EngineSpent } from '../../../core/ports/message-engine.ts';
import { sql } from '../../visibility/sql.ts';
import type { Ranking } from './statements.ts';

/** What an engine outside of SQLite says of the rows that match; each id at most once, in any order. */
export interface Scored {
  readonly ids: ArrayLike<number>;
  /** Raw scores of these ids: finite, more is better, within the scale. */
  readonly raws: ArrayLike<number>;
  readonly scale: EngineScale;
  /** Milliseconds of the stages that led to them. */
  readonly spent?: EngineSpent;
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
