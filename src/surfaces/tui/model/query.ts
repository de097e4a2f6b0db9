import type { SearchQuery } from '../../../contracts/index.ts';
import type { TuiState } from './state.ts';

/** Rows of a page, and of the screen at most. */
const PAGE = 50;
export const MAX_ROWS = 1000;
/** Agents, and projects, that stand before the messages when all kinds are searched. */
const FEW = 5;

type Asked = Pick<TuiState, 'text' | 'facets'>;

const IMPORTANCE = { urgent: ['urgent'], high: ['high'], normal: ['normal'], low: ['low'] } as const satisfies Record<string, SearchQuery['importance']>;
const ACK = { required: true, none: false } as const;
const MODES = { lexical: 'lexical', semantic: 'semantic', hybrid: 'hybrid', hybrid_rerank: 'hybrid_rerank' } as const satisfies Record<
  string,
  SearchQuery['mode']
>;
const KINDS = { message: ['message'], agent: ['agent'], project: ['project'], all: ['project', 'agent', 'message'] } as const;

/** The searches of a screen, in the order of their results: one, or one for each kind. Only the last one has pages. */
export function queriesOf(asked: Asked): SearchQuery[] {
  const kinds = pick(KINDS, asked.facets.kind) ?? KINDS.message;
  return kinds.map((kind, at) => queryOf(asked, kind, at < kinds.length - 1));
}

/** The next page of the search that has pages. */
export function nextPage(asked: Asked, cursor: string): SearchQuery | undefined {
  const last = queriesOf(asked).at(-1);
  return last && { ...last, cursor };
}

function queryOf({ text, facets }: Asked, kind: 'message' | 'agent' | 'project', few: boolean): SearchQuery {
  const [place, id] = facets.scope.split(':');
  const importance = pick(IMPORTANCE, facets.importance);
  const ack = pick(ACK, facets.ack);
  const mode = pick(MODES, facets.mode);
  const oldest = facets.sort === 'oldest';
  return {
    text,
    doc_kind: kind,
    explain: true,
    ranking: facets.sort === 'relevance' ? 'relevance' : 'recency',
    // The search cannot order oldest first: the newest are fetched and reversed.
    limit: few ? FEW : oldest ? MAX_ROWS : PAGE,
    ...(importance && { importance: [...importance] }),
    ...(ack !== undefined && { ack_required: ack }),
    ...(facets.thread !== '' && { thread_id: facets.thread }),
    ...(place === 'project' && { project_id: Number(id) }),
    ...(place === 'product' && { product_id: Number(id) }),
    ...(mode && { mode }),
    // A search without words and filters finds nothing; this filter, which all messages pass, shows the newest ones.
    ...(text.trim() === '' && kind === 'message' && { time_range: { min_ts: Number.MIN_SAFE_INTEGER } }),
  };
}

function pick<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
