import type { DocKind, SearchQuery, SearchResponse, ShadowComparison } from '../../contracts/index.ts';
import type { EngineAnswer, SearchError } from './message-engine.ts';

/** What a key is bound to: an agent by its name, projects by their slugs, or both; both must allow what is seen. */
export interface SearchGrant {
  /** `null`: none, so everything in the projects may be seen. */
  readonly agent: string | null;
  /** `null`: wherever the agent is. */
  readonly projects: readonly string[] | null;
}

/** Who searches: an agent, whoever has a bound key, or `null` for an operator, who may see everything. */
export type SearchViewer = { readonly project_id: number; readonly agent_id: number } | { readonly grant: SearchGrant } | null;

/** A project that a caller named, with its slug. */
export interface NamedProject {
  readonly id: number;
  readonly name: string;
}

/** A product that a caller named, with its projects. */
export interface NamedProduct {
  readonly id: number;
  readonly name: string;
  readonly project_ids: readonly number[];
}

/** A project by its slug, or a product by its name: what a search can be narrowed to. */
export interface ProjectOrProduct {
  readonly kind: 'project' | 'product';
  readonly id: number;
  readonly name: string;
}

/** What a surface of ours asks: `bodies` is false where it shows none, and then the results have empty ones, which are neither read nor moved. */
export type AskedSearch = SearchQuery & { readonly bodies?: boolean | undefined };

/**
 * Message search as every surface sees it (message-search.md 2 to 9).
 *
 * `search` takes a query that its schema accepted and always answers: whatever fails inside is said in explain and
 * diagnostics, and the results are what could still be found, possibly none.
 */
export interface MessageSearch {
  /** @param account whose searches take turns with those of others; absent: the person to whom the messages belong */
  search(query: AskedSearch, viewer: SearchViewer, account?: string): Promise<SearchResponse>;
  /** A project by slug, human key or, in digits, id; `undefined` when there is none for this viewer, an error when nobody can tell. */
  project(key: string, viewer: SearchViewer): Promise<EngineAnswer<NamedProject | undefined>>;
  /** A product by uid, name or, in digits, id. */
  product(key: string, viewer: SearchViewer): Promise<EngineAnswer<NamedProduct | undefined>>;
  /** What a search answers whose place could not be looked up: nothing found, and why. */
  errorResponse(query: AskedSearch, error: SearchError): Promise<SearchResponse>;
}

/** The questions that a search is asked: in a thread, or by another process. */
export type MessageQuestions = Pick<MessageSearch, 'search' | 'project' | 'product'>;
export type MessageQuestion = keyof MessageQuestions;
export type MessageAnswer<Q extends MessageQuestion> = Awaited<ReturnType<MessageQuestions[Q]>>;

/** What happened in a search, for logs and metrics (message-search.md 8). */
export type MessageSearchEvent =
  | {
      readonly event: 'search.done';
      readonly kind: DocKind;
      readonly method: string;
      readonly engine: string;
      readonly results: number;
      readonly total_us: number;
      readonly degraded: boolean;
    }
  | { readonly event: 'search.mode.downgrade'; readonly requested: string; readonly actual: string; readonly reason: string }
  | { readonly event: 'search.cursor.invalidated'; readonly cursor_engine: string; readonly current_engine: string }
  | { readonly event: 'search.shadow.comparison'; readonly comparison: ShadowComparison }
  | { readonly event: 'search.engine.error'; readonly engine: string; readonly message: string };
