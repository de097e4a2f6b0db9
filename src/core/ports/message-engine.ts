import type { Direction, DocKind, Importance, SearchMode } from '../../contracts/index.ts';

/** What a cursor says of the engine that made it: vectors, fusion and reranking are all `hybrid` (message-search.md 4.1). */
export type EngineTag = 'fts5' | 'tantivy' | 'hybrid' | 'postgresql';

/** The engines by what they offer. */
export type EngineName = 'fts5' | 'tantivy' | 'postgresql' | 'semantic' | 'hybrid' | 'hybrid_rerank';

/**
 * How a row matches the text: an FTS5 expression, substrings that must all occur, or nothing (filters only). `with_letters`: the
 * expression where it also has prefixes of one letter, for an engine that has an index of them. `also`: one word beside it, a row
 * that has it matches too.
 */
export type EngineMatch =
  | { readonly by: 'words'; readonly expression: string; readonly text: string; readonly with_letters?: string; readonly also?: string }
  | { readonly by: 'substrings'; readonly terms: readonly string[] }
  | { readonly by: 'filters' };

/** The whole expression that an engine of words is asked. */
export function askedWords(match: Extract<EngineMatch, { by: 'words' }>, withLetters = false): string {
  const expression = withLetters ? (match.with_letters ?? match.expression) : match.expression;
  return match.also === undefined ? expression : `${match.also} OR (${expression})`;
}

/** Filters, all of which must hold (message-search.md 7). Only `project_id` concerns agents and projects. */
export interface EngineFilters {
  readonly project_id: number | null;
  readonly product_id: number | null;
  readonly importance: readonly Importance[];
  readonly thread_id: string | null;
  readonly ack_required: boolean | null;
  readonly min_ts: number | null;
  readonly max_ts: number | null;
  readonly direction: Direction | null;
  readonly agent_name: string | null;
  readonly sender_name: string | null;
  readonly recipient_name: string | null;
}

/** Agents for whom rows are found: all of a name, one, or those of a name in the projects (slugs; `null`: in all) of a bound key. */
export type EngineViewer =
  | { readonly agent_name: string }
  | { readonly project_id: number; readonly agent_id: number }
  | { readonly agent_name: string; readonly bound_to: readonly string[] | null };

/** What may be seen. It is part of the set: hidden rows move no score and no page. */
export interface EngineScope {
  /** Only these projects; `null` for all. An empty list means nothing. */
  readonly projects: readonly number[] | null;
  /** Only projects with these slugs, by the key of whoever asks. */
  readonly granted?: readonly string[];
  /** A message must be visible to each of these; none: to everybody. */
  readonly viewers: readonly EngineViewer[];
  /** Whether rows that a viewer may not see stay in the set, for the caller to redact. */
  readonly keep_denied: boolean;
  /** What may not be seen is not even counted: whoever asks may not know that it is there. */
  readonly hide_denied?: true;
  /** The set is what matches and may not be seen by these viewers, and nothing else: for the audit of an operator. */
  readonly only_denied?: true;
}

/** relevance: score descending, id; newest: time descending, id; id: id alone. */
export type EngineOrder = 'relevance' | 'newest' | 'id';

/** What defines a set of rows. */
export interface EngineSet {
  readonly kind: DocKind;
  readonly match: EngineMatch;
  readonly filters: EngineFilters;
  readonly scope: EngineScope;
  /** `false`: nobody looks at the bodies of rows; an engine may leave them empty. */
  readonly bodies?: boolean;
}

export interface EngineRequest extends EngineSet {
  readonly order: EngineOrder;
  readonly min_score: number | null;
  /** The last row of the page before. `tagged` is false in tokens of version 2, whose score may be on another scale. */
  readonly after: { readonly score: number; readonly id: bigint; readonly tagged: boolean } | null;
  readonly offset: number;
  readonly limit: number;
  /** Whether the size of the set must be known even where it takes extra time. */
  readonly count: boolean;
  /** How many rows of the order to hand out beside the page, for the pages to come; only for `relevance`, without `after`. */
  readonly list: number;
  /** Now, microseconds: approvals of contacts end. */
  readonly now_us: number;
  /** Whether the rows that may be seen are counted by what they are: beside a first page only. */
  readonly facets?: boolean;
  /** How engines that ask several others join what these say; absent: as `message-search.md` 2.1 has it. */
  readonly fusion?: { readonly rrf_k: number; readonly rerank_top_k: number };
}

/** Why a row may be seen, or not. */
export type ScopeReason =
  | 'operator_mode'
  | 'non_message_entity'
  | 'is_sender'
  | 'is_recipient'
  | 'approved_contact'
  | 'open_policy'
  | 'auto_policy'
  | 'contacts_only_denied'
  | 'block_all_denied'
  | 'cross_project_denied';

export interface EngineRow {
  readonly id: number;
  readonly project_id: number | null;
  readonly title: string;
  readonly body: string;
  readonly importance: Importance | null;
  readonly ack_required: boolean | null;
  readonly created_ts: number | null;
  readonly thread_id: string | null;
  readonly from_agent: string | null;
  /** Whether every viewer may see it; `false` only with `keep_denied`. */
  readonly visible: boolean;
  readonly reason: ScopeReason;
  /** 0 to 1, higher is better; 1 where nothing is ranked. */
  readonly score: number;
  /** The engine's own number, snapped (docs/message-search.md); 0 where nothing is ranked. */
  readonly raw: number;
}

/** The front of an order, kept so that later pages continue it although the data changed. */
export interface EngineList {
  /** Ids in their order, in decimal, with commas. */
  readonly ids: string;
  /** Snapped raw scores as whole multiples of `unit`, less is better, in the same order, in decimal, with commas. */
  readonly keys: string;
  /** Negative where more is better. */
  readonly unit: number;
  readonly lowest_key: number;
  readonly highest_key: number;
  /** Whether it is the whole set. */
  readonly whole: boolean;
}

export interface EngineFound {
  /** At most `limit`. */
  readonly rows: readonly EngineRow[];
  readonly more: boolean;
  /** Rows of the set that may be seen, `min_score` and page left out; `null` where nobody counted. */
  readonly matched: number | null;
  /** Rows that match and may not be seen; `null` where nobody counted. */
  readonly denied: number | null;
  /** How `after` was found: not asked, by its row, by its score, or not at all (then this is the first page). */
  readonly resumed: 'no' | 'row' | 'score' | 'lost';
  readonly sql: string;
  /** Number of the state of the data. */
  readonly version: number;
  readonly list: EngineList | null;
  /** How many rows of the set that may be seen have each value, where that was asked. */
  readonly facets?: EngineFacets;
  /** Milliseconds of its stages, where an engine joins several. */
  readonly spent?: EngineSpent;
  /** How many rows words found, where an engine joins these with others. */
  readonly byWords?: number;
}

/** Rows by project, importance and sender: the most frequent values first, at most twenty of each. */
export interface EngineFacets {
  readonly project_id: readonly { readonly value: number; readonly count: number }[];
  readonly importance: readonly { readonly value: string; readonly count: number }[];
  readonly from_agent: readonly { readonly value: string; readonly count: number }[];
}

export type EngineStage = 'lexical' | 'vector' | 'fusion' | 'rerank';
export type EngineSpent = Readonly<Partial<Record<EngineStage, number>>>;

/** Why an engine could not answer (message-search.md 9.1); `damaged`: because of what is wrong with the database itself. It never leaves the search. */
export type SearchError =
  | { readonly kind: 'invalid_query'; readonly message: string }
  | { readonly kind: 'index_not_ready'; readonly message: string; readonly damaged?: true }
  | { readonly kind: 'engine_error'; readonly message: string; readonly damaged?: true; readonly stage?: 'rerank_timeout' | 'rerank_failed' | 'deadline' }
  | { readonly kind: 'feature_unavailable'; readonly message: string };

export type EngineAnswer<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: SearchError };

/** What the rows of a set that may be seen have of an expression's word. */
export interface WordFinding {
  readonly word: string;
  /** A row has it. */
  readonly has: boolean;
  /** A row has a longer word that begins so. */
  readonly begins: boolean;
  /** A row has the words that it is made of beside each other; these as a phrase. */
  readonly apart: string | null;
  /** Words of these rows that are spelt alike, the likest first; asked only where it has none of the above. */
  readonly alike: readonly string[];
}

export type WordQuestion = Omit<EngineSet, 'match'> & { readonly words: readonly string[]; readonly now_us: number };

/** An engine of message search. The conformance suite (test/conformance/message-engine.ts) says what it must do. */
export interface MessageEngine {
  readonly name: EngineName;
  readonly tag: EngineTag;
  readonly mode: SearchMode;
  /** Whether it finds what shares no word with the text, because a model says so. */
  readonly knowsMeaning?: boolean;
  /**
   * Why it cannot be asked now although nothing has failed, when that is so: it has nothing yet, or not the newest. `resuming`:
   * only whether it can go on with an order that it began.
   */
  absent?(resuming: boolean): string | undefined;
  /** A page of a set in its order. */
  find(ask: EngineRequest): EngineAnswer<EngineFound> | Promise<EngineAnswer<EngineFound>>;
  /** Those of these ids that are still in the set, whatever their text is by now; in no order, with score 0. */
  rows(
    set: EngineSet & { readonly ids: readonly number[]; readonly now_us: number },
  ): EngineAnswer<readonly EngineRow[]> | Promise<EngineAnswer<readonly EngineRow[]>>;
  /** What a set has of words that somebody typed. Of words that may not be seen it knows nothing. */
  words?(question: WordQuestion): EngineAnswer<readonly WordFinding[]> | Promise<EngineAnswer<readonly WordFinding[]>>;
}
