import { isTooLate, type Query, reasonOf } from '../../../adapters/postgresql/open.ts';
import { askedWords, type EngineAnswer, type EngineRequest, type EngineSet, type MessageEngine, type SearchError } from '../../../core/ports/message-engine.ts';
import type { NotedFound } from '../../search/pages.ts';
import { KINDS } from '../../visibility/kinds.ts';
import { sql } from '../../visibility/sql.ts';
import { rowOf, UNRANKED } from '../result-set/reader.ts';
import { admit, type Resolved, resolve } from './access.ts';
import { cellsOf } from './cells.ts';
import { filterConditions } from './conditions.ts';
import type { Copy } from './copy.ts';
import { ExpressionError, readExpression, type WordQuery } from './expression.ts';
import { pageIn } from './page.ts';
import type { Served, Servers } from './servers.ts';
import { rowsStatement, setSql, where } from './statements.ts';
import type { Tokens } from './tokens.ts';

export interface PostgresqlEngineParts {
  readonly servers: Servers;
  readonly tokens: Tokens;
}

/**
 * Message search by PostgreSQL, over the copy that the mirror keeps. Each question is one transaction that reads one state of the data:
 * who asks is found out, row-level security is told, and then the set is asked. A copy that lacks a change is not asked for a first
 * page: the next engine answers, which has it.
 */
export function createPostgresqlEngine({ servers, tokens }: PostgresqlEngineParts): MessageEngine {
  async function answered<T>(set: EngineSet, isResuming: boolean, work: (query: Query, copy: Copy) => Promise<T>): Promise<EngineAnswer<Served<T>>> {
    try {
      return await servers.read({ isResuming, mayCount: set.scope.hide_denied !== true }, work);
    } catch (error) {
      return { ok: false, error: faultOf(set, error) };
    }
  }

  return {
    name: 'postgresql',
    tag: 'postgresql',
    mode: 'lexical',
    async find(request) {
      const found = await answered(request, request.after !== null, async (query, { version, counts }) => {
        const words = request.match.by === 'words' ? readExpression(tokens, request.kind, askedWords(request.match)) : null;
        const resolved = await admitted(query, request);
        await refuseDoubts(query, request, words, resolved);
        return { ...(await pageIn(query, request, setSql(request, words, resolved), { words, counts })), version };
      });
      if (!found.ok) return found;
      const value: NotedFound = { ...found.value.value, notes: found.value.notes };
      return { ok: true, value };
    },
    async rows(set) {
      const found = await answered(set, true, async (query) => {
        const resolved = await admitted(query, set);
        const one = setSql({ ...set, match: { by: 'filters' } }, null, resolved);
        const rows = await query(rowsStatement(one, set.ids, [...filterConditions(set, resolved), ...one.hidden]));
        return rows.map((row) => rowOf(cellsOf(row), UNRANKED));
      });
      return found.ok ? { ok: true, value: found.value.value } : found;
    },
  };
}

/** What goes on with an order of ours stays with it. @throws ExpressionError where only the texts themselves say who has a phrase */
async function refuseDoubts(query: Query, request: EngineRequest, words: WordQuery | null, resolved: Resolved): Promise<void> {
  if (words === null || words.doubtful === null || request.after !== null) return;
  const { kind, conditions } = setSql({ ...request, match: { by: 'filters' } }, null, resolved);
  const rows = await query(sql`SELECT 1 FROM ${KINDS[kind].table} m${where([sql`m.words @@ ${words.doubtful}::tsquery`, ...conditions])} LIMIT 1`);
  if (rows.length > 0) throw new ExpressionError('a text has a word of the phrase at more places than PostgreSQL keeps');
}

async function admitted(query: Query, set: Pick<EngineRequest, 'kind' | 'scope' | 'filters' | 'now_us'>) {
  const resolved = await resolve(query, set, set.now_us);
  await admit(query, set, resolved);
  return resolved;
}

function faultOf({ match }: EngineSet, error: unknown): SearchError {
  if (error instanceof ExpressionError && match.by === 'words') return { kind: 'invalid_query', message: error.message };
  return { kind: 'engine_error', message: reasonOf(error), ...(isTooLate(error) && { stage: 'deadline' }) };
}
