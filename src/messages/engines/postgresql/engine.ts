import { type Cell, isTooLate, type Postgresql, type Query } from '../../../adapters/postgresql/open.ts';
import { messageOf } from '../../../core/errors.ts';
import type { MessageChanges } from '../../../core/ports/message-changes.ts';
import { askedWords, type EngineAnswer, type EngineRequest, type EngineSet, type MessageEngine, type SearchError } from '../../../core/ports/message-engine.ts';
import { rowOf, UNRANKED } from '../result-set/reader.ts';
import { admit, resolve } from './access.ts';
import { cellsOf } from './cells.ts';
import { filterConditions } from './conditions.ts';
import { ExpressionError, readExpression } from './expression.ts';
import { pageIn } from './page.ts';
import { ABOVE } from './schema.ts';
import { MIRROR, rowsStatement, setSql } from './statements.ts';
import type { Tokens } from './tokens.ts';

export interface PostgresqlEngineParts {
  readonly postgresql: Postgresql;
  /** The feed of the store that PostgreSQL has a copy of; throws while there is none. */
  readonly changes: () => Pick<MessageChanges, 'store' | 'newest'>;
  readonly tokens: Tokens;
}

/**
 * Message search by PostgreSQL, over the copy that the mirror keeps. Each question is one transaction that reads one state of the data:
 * who asks is found out, row-level security is told, and then the set is asked. A copy that lacks a change is not asked for a first
 * page: the next engine answers, which has it.
 */
export function createPostgresqlEngine({ postgresql, changes, tokens }: PostgresqlEngineParts): MessageEngine {
  /** Why the copy cannot be asked; `undefined`: it can. */
  function whyNot([row]: readonly Cell[][], isResuming: boolean): string | undefined {
    if (row === undefined) return 'there is no copy in PostgreSQL yet';
    if (row[3] === true) return ABOVE;
    if (row[0] !== changes().store()) return 'PostgreSQL has a copy of other messages';
    const behind = changes().newest() - Number(row[1]);
    return behind === 0 || isResuming ? undefined : `the copy in PostgreSQL is ${behind} changes behind`;
  }

  async function answered<T>(set: EngineSet, isResuming: boolean, work: (query: Query, version: number) => Promise<T>): Promise<EngineAnswer<T>> {
    try {
      return await postgresql.transaction('read', async (query) => {
        const mirror = await query(MIRROR);
        const reason = whyNot(mirror, isResuming);
        return reason === undefined ? { ok: true, value: await work(query, Number(mirror[0]?.[2])) } : refused('index_not_ready', reason);
      });
    } catch (error) {
      return { ok: false, error: faultOf(set, error) };
    }
  }

  return {
    name: 'postgresql',
    tag: 'postgresql',
    mode: 'lexical',
    find: (request) =>
      answered(request, request.after !== null, async (query, version) => {
        const words = request.match.by === 'words' ? readExpression(tokens, request.kind, askedWords(request.match)) : null;
        const resolved = await admitted(query, request);
        return { ...(await pageIn(query, request, setSql(request, words, resolved), words)), version };
      }),
    rows: (set) =>
      answered(set, true, async (query) => {
        const resolved = await admitted(query, set);
        const one = setSql({ ...set, match: { by: 'filters' } }, null, resolved);
        const rows = await query(rowsStatement(one, set.ids, [...filterConditions(set, resolved), ...one.hidden]));
        return rows.map((row) => rowOf(cellsOf(row), UNRANKED));
      }),
  };
}

async function admitted(query: Query, set: Pick<EngineRequest, 'kind' | 'scope' | 'filters' | 'now_us'>) {
  const resolved = await resolve(query, set, set.now_us);
  await admit(query, set, resolved);
  return resolved;
}

function refused(kind: SearchError['kind'], message: string): EngineAnswer<never> {
  return { ok: false, error: { kind, message } };
}

function faultOf({ match }: EngineSet, error: unknown): SearchError {
  if (error instanceof ExpressionError && match.by === 'words') return { kind: 'invalid_query', message: error.message };
  return { kind: 'engine_error', message: messageOf(error), ...(isTooLate(error) && { stage: 'deadline' }) };
}
