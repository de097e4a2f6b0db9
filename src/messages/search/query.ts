import {
  type Direction,
  type DocKind,
  type Importance,
  QUERY_LIMIT,
  type RankingMode,
  REDACTION_PLACEHOLDER,
  RERANK_TOP_K,
  RRF_K,
  type ScopePolicy,
  type SearchMode,
  type SearchQuery,
} from '../../contracts/index.ts';
import type { AskedSearch } from '../../core/ports/message-search.ts';
import { normalText } from './sanitize.ts';

/** A query with every default filled in and every number within its bounds (message-search.md 2.1, 2.2). */
export interface NormalQuery {
  readonly text: string;
  readonly doc_kind: DocKind;
  readonly project_id: number | null;
  readonly product_id: number | null;
  readonly importance: readonly Importance[];
  readonly direction: Direction | null;
  readonly agent_name: string | null;
  readonly thread_id: string | null;
  readonly ack_required: boolean | null;
  readonly min_ts: number | null;
  readonly max_ts: number | null;
  readonly ranking: RankingMode;
  readonly limit: number;
  readonly offset: number;
  readonly cursor: string | null;
  readonly explain: boolean;
  /** Whether results have their texts. */
  readonly bodies: boolean;
  /** Whether results have a part of their text with what was looked for. */
  readonly snippets: boolean;
  /** Whether what is found is counted by project, importance and sender. */
  readonly facets: boolean;
  /** Whether something else is looked for where nothing matches the text. */
  readonly retry: boolean;
  readonly scope: ScopePolicy;
  readonly redaction: Redaction | null;
  /** `null`: the caller left it open. */
  readonly mode: SearchMode | null;
  readonly sender_name: string | null;
  readonly recipient_name: string | null;
  /** `null` when there is no threshold: absent, not positive, or not a number. */
  readonly min_score: number | null;
  readonly rerank_top_k: number;
  readonly rrf_k: number;
}

/** What is withheld; at least one of the three. */
export interface Redaction {
  readonly body: boolean;
  readonly names: boolean;
  readonly threads: boolean;
  readonly placeholder: string;
}

export function normalQuery(query: AskedSearch): NormalQuery {
  return {
    text: normalText(query.text),
    doc_kind: query.doc_kind ?? 'message',
    project_id: query.project_id ?? null,
    product_id: query.product_id ?? null,
    importance: [...new Set(query.importance ?? [])],
    direction: query.direction ?? null,
    agent_name: nameOf(query.agent_name),
    thread_id: query.thread_id ?? null,
    ack_required: query.ack_required ?? null,
    min_ts: query.time_range?.min_ts ?? null,
    max_ts: query.time_range?.max_ts ?? null,
    ranking: query.ranking ?? 'relevance',
    limit: clamp(query.limit, QUERY_LIMIT),
    offset: Math.max(0, query.offset ?? 0),
    cursor: query.cursor ?? null,
    explain: query.explain ?? false,
    bodies: query.bodies ?? true,
    snippets: query.snippets ?? false,
    facets: query.facets ?? false,
    retry: query.retry ?? true,
    scope: query.scope ?? 'unrestricted',
    redaction: redactionOf(query.redaction),
    mode: query.mode ?? null,
    sender_name: nameOf(query.sender_name),
    recipient_name: nameOf(query.recipient_name),
    min_score: typeof query.min_score === 'number' && query.min_score > 0 && Number.isFinite(query.min_score) ? query.min_score : null,
    rerank_top_k: clamp(query.rerank_top_k, RERANK_TOP_K),
    rrf_k: clamp(query.rrf_k, RRF_K),
  };
}

function clamp(value: number | null | undefined, { default: fallback, min, max }: { default: number; min: number; max: number }): number {
  return Math.min(max, Math.max(min, value ?? fallback));
}

/** Nobody has an empty name: it means that no name was given. */
function nameOf(name: string | null | undefined): string | null {
  return name === undefined || name === '' ? null : name;
}

function redactionOf(config: SearchQuery['redaction']): Redaction | null {
  const { redact_body: body, redact_agent_names: names, redact_thread_ids: threads, placeholder } = config ?? {};
  if (!body && !names && !threads) return null;
  return { body: body ?? false, names: names ?? false, threads: threads ?? false, placeholder: placeholder ?? REDACTION_PLACEHOLDER };
}
