/** Messages, and the search in them (docs/message-search.md, docs/messages-import.md). Times are microseconds since 1970, UTC. */

export type MessageImportance = 'low' | 'normal' | 'high' | 'urgent';
export type MessageSearchMode = 'lexical' | 'semantic' | 'hybrid' | 'hybrid_rerank';

/** A search in messages. Only the text is required; null means absent. */
export interface MessageSearchQuery {
  text: string;
  doc_kind?: 'message' | 'agent' | 'project' | null | undefined;
  project_id?: number | null | undefined;
  product_id?: number | null | undefined;
  importance?: MessageImportance[] | null | undefined;
  direction?: 'inbox' | 'outbox' | null | undefined;
  agent_name?: string | null | undefined;
  thread_id?: string | null | undefined;
  ack_required?: boolean | null | undefined;
  time_range?: { min_ts?: number | null | undefined; max_ts?: number | null | undefined } | null | undefined;
  ranking?: 'relevance' | 'recency' | null | undefined;
  limit?: number | null | undefined;
  offset?: number | null | undefined;
  /** `next_cursor` of the page before. */
  cursor?: string | null | undefined;
  explain?: boolean | null | undefined;
  scope?: 'unrestricted' | { caller_scoped: { caller_agent: string } } | { project_set: { allowed_project_ids: number[] } } | null | undefined;
  redaction?:
    | {
        redact_body?: boolean | null | undefined;
        redact_agent_names?: boolean | null | undefined;
        redact_thread_ids?: boolean | null | undefined;
        placeholder?: string | null | undefined;
      }
    | null
    | undefined;
  mode?: MessageSearchMode | null | undefined;
  sender_name?: string | null | undefined;
  recipient_name?: string | null | undefined;
  min_score?: number | null | undefined;
  rerank_top_k?: number | null | undefined;
  /** Whether results have a part of their body with what was looked for marked; false if absent. */
  snippets?: boolean | null | undefined;
  /** Whether a first page counts what matches by project, importance and sender; false if absent. */
  facets?: boolean | null | undefined;
  /** Whether something else is looked for where nothing matches a list of words; true if absent. */
  retry?: boolean | null | undefined;
  rrf_k?: number | null | undefined;
}

export interface MessageSearchResult {
  doc_kind: 'message' | 'agent' | 'project';
  id: number;
  project_id?: number | undefined;
  /** Subject of a message, name of an agent, slug of a project. */
  title: string;
  /** Markdown of a message, task of an agent, key of a project. */
  body: string;
  score?: number | undefined;
  raw_score?: number | undefined;
  importance?: MessageImportance | undefined;
  ack_required?: boolean | undefined;
  created_ts?: number | undefined;
  thread_id?: string | undefined;
  from_agent?: string | undefined;
  to?: string[] | undefined;
  cc?: string[] | undefined;
  /** Recipients in Bcc; absent when there are none. */
  bcc?: string[] | undefined;
  /** Present only with `snippets`: where the result has what was looked for, in UTF-16 units. */
  snippet?: { title_highlights: MessageSpan[]; text: string; highlights: MessageSpan[] } | undefined;
  reason_codes?: MessageReasonCode[] | undefined;
  score_factors?: { key: string; contribution: number; summary: string }[] | undefined;
  redacted: boolean;
  redaction_reason?: string | undefined;
}

/** A part of a text; `end` is the first unit behind it. */
export interface MessageSpan {
  start: number;
  end: number;
}

export type MessageReasonCode =
  | 'lexical_bm25'
  | 'lexical_term_coverage'
  | 'semantic_cosine'
  | 'semantic_neighborhood'
  | 'fusion_weighted_blend'
  | 'rerank_policy_boost'
  | 'rerank_policy_penalty'
  | 'stage_not_executed'
  | 'scope_redacted'
  | 'scope_denied';

export interface MessageSearchAnswer {
  results: MessageSearchResult[];
  next_cursor?: string | undefined;
  explain?: MessageSearchExplain | undefined;
  /** Present only with `facets`, on a first page: the most frequent values of what matches. */
  facets?:
    | {
        project_id: { value: number; count: number }[];
        importance: { value: string; count: number }[];
        from_agent: { value: string; count: number }[];
      }
    | undefined;
  /** Present only when nothing matches the text and something else was found. */
  retry?: { by: 'spelling' | 'any_word' | 'substrings'; text: string; replaced?: { word: string; by: string[] }[] | undefined } | undefined;
  assistance?:
    | {
        query_text: string;
        applied_filter_hints?: { field: string; value: string }[] | undefined;
        did_you_mean?: { token: string; suggested_field: string; value: string }[] | undefined;
      }
    | undefined;
  /** Present only when nothing was found. */
  guidance?: { summary: string; suggestions?: { kind: MessageGuidanceKind; label: string; detail?: string | undefined }[] | undefined } | undefined;
  /** Present only when the search was degraded. */
  diagnostics?: MessageSearchDiagnostics | undefined;
  /** Withheld rows; present only for keys with the role `operate`. */
  audit?:
    | {
        action: 'denied' | 'redacted';
        doc_kind: 'message' | 'agent' | 'project';
        doc_id: number;
        project_id?: number | undefined;
        reason: string;
        policy: string;
      }[]
    | undefined;
}

export type MessageGuidanceKind =
  | 'broaden_date_range'
  | 'drop_importance_filter'
  | 'drop_agent_filter'
  | 'drop_thread_filter'
  | 'drop_ack_filter'
  | 'fix_typo'
  | 'simplify_query'
  | 'enter_search_terms';

export interface MessageSearchDiagnostics {
  degraded: boolean;
  fallback_mode?: string | undefined;
  timeout_stage?: string | undefined;
  budget_tier?: string | undefined;
  budget_remaining_ms?: number | undefined;
  budget_exhausted?: boolean | undefined;
  search_index_state?: string | undefined;
  search_index_reason?: string | undefined;
  remediation_hints?: string[] | undefined;
}

export interface MessageSearchExplain {
  method: 'fts5' | 'like_fallback' | 'filter_only' | 'empty' | 'tantivy' | 'postgresql' | 'semantic' | 'hybrid' | 'hybrid_rerank';
  normalized_query: string | null;
  used_like_fallback: boolean;
  facet_count: number;
  facets_applied: string[];
  sql: string;
  scope_policy: string;
  denied_count: number;
  redacted_count: number;
  requested_mode?: string | undefined;
  actual_mode?: string | undefined;
  engine?: string | undefined;
  mode_downgraded: boolean;
  downgrade_reason?: string | undefined;
  timing?:
    | {
        total_us: number;
        lexical_us?: number | undefined;
        vector_us?: number | undefined;
        fusion_us?: number | undefined;
        rerank_us?: number | undefined;
        scope_us?: number | undefined;
      }
    | undefined;
  cursor_invalidated: boolean;
  shadow?:
    | {
        serving_engine: string;
        shadow_engine: string;
        overlap_jaccard: number;
        ndcg_at_10: number;
        mrr_delta: number;
        serving_only: number;
        shadow_only: number;
      }
    | undefined;
  matched_count?: number | undefined;
  order_changed?: boolean | undefined;
  notes?: string[] | undefined;
}

/** An agent by name: of the message's project, or of another one. */
export type MessagePerson = string | { project: string; name: string };

/** A recipient, with the times at which they read and acknowledged the message where these are known. */
export type MessageRecipient = string | { project?: string | undefined; name: string; read_ts?: number | undefined; ack_ts?: number | undefined };

/** An operation on messages; carried out twice, it has the effect of once. */
export type MessageOp =
  | {
      op: 'message';
      project: string;
      /** The same project and key again is an edit; a new message gets one from the client. */
      key?: string | undefined;
      id?: number | undefined;
      from?: MessagePerson | undefined;
      to?: MessageRecipient[] | undefined;
      cc?: MessageRecipient[] | undefined;
      bcc?: MessageRecipient[] | undefined;
      thread_id?: string | null | undefined;
      in_reply_to?: string | undefined;
      subject?: string | undefined;
      body_md?: string | undefined;
      importance?: MessageImportance | undefined;
      ack_required?: boolean | undefined;
      created_ts?: number | undefined;
      attachments?: Record<string, MessageJson>[] | undefined;
    }
  | { op: 'delete'; id: number }
  | { op: 'delete'; project: string; key: string }
  | { op: 'project'; slug: string; human_key?: string | undefined; created_at?: number | undefined }
  | { op: 'product'; product_uid: string; name: string; created_at?: number | undefined }
  | { op: 'link' | 'unlink'; product_uid: string; project: string }
  | {
      op: 'agent';
      project: string;
      name: string;
      program?: string | undefined;
      model?: string | undefined;
      task_description?: string | undefined;
      inception_ts?: number | undefined;
      last_active_ts?: number | undefined;
      attachments_policy?: string | undefined;
      contact_policy?: string | undefined;
    }
  | {
      op: 'contact';
      from: { project: string; name: string };
      to: { project: string; name: string };
      status: 'pending' | 'approved' | 'blocked';
      reason?: string | undefined;
      expires_ts?: number | null | undefined;
    };

export type MessageJson = string | number | boolean | null | MessageJson[] | { [key: string]: MessageJson };

/** The receipt of operations that are queued. */
export interface MessageReceipt {
  job: string;
  /** Keys of the messages, in the order of their operations. */
  keys: string[];
  /** The wait was in vain because the queue of the writer is paused. */
  queue_paused?: true | undefined;
}

/** The report of operations that are stored durably, and can be found. */
export interface MessageReport extends Omit<MessageReceipt, 'queue_paused'> {
  counts: { inserted: number; updated: number; deleted: number; unchanged: number; refused: number };
  /** Ids of the messages, in the order of their operations. */
  ids: number[];
  /** Reasons why operations were refused, the first hundred. */
  refusals: string[];
}
