import type { QueryExplain } from '../../src/contracts/index.ts';

/** Valid samples of the contracts of message search, for test/unit/contracts/json-schema.test.ts. */

export const EXPLAIN_SAMPLE: QueryExplain = {
  method: 'fts5',
  normalized_query: 'plan',
  used_like_fallback: false,
  facet_count: 1,
  facets_applied: ['project_id'],
  sql: 'SELECT 1',
  scope_policy: 'unrestricted',
  denied_count: 0,
  redacted_count: 0,
  requested_mode: 'semantic',
  actual_mode: 'lexical',
  engine: 'fts5',
  mode_downgraded: true,
  downgrade_reason: 'there are no vectors',
  timing: { total_us: 5, lexical_us: 4 },
  cursor_invalidated: false,
  shadow: { serving_engine: 'fts5', shadow_engine: 'tantivy', overlap_jaccard: 1, ndcg_at_10: 1, mrr_delta: 0, serving_only: 0, shadow_only: 0 },
  matched_count: 1,
  order_changed: true,
  notes: ['x'],
};
const ASSISTANCE = {
  query_text: 'plan',
  applied_filter_hints: [{ field: 'from', value: 'Ada' }],
  did_you_mean: [{ token: 'fron:Ada', suggested_field: 'from', value: 'Ada' }],
};
const GUIDANCE = { summary: 'Nothing was found.', suggestions: [{ kind: 'fix_typo', label: 'x', detail: 'y' }] };
const DIAGNOSTICS = {
  degraded: true,
  fallback_mode: 'mode_downgrade',
  timeout_stage: 'rerank',
  budget_tier: 'tight',
  budget_remaining_ms: 5,
  budget_exhausted: false,
  search_index_state: 'building',
  search_index_reason: 'x',
  remediation_hints: ['x'],
};
const REASONS = { reason_codes: ['lexical_bm25'], score_factors: [{ key: 'bm25', contribution: 1, summary: 'x' }] };
const RESULT = {
  doc_kind: 'message',
  id: 1,
  project_id: 2,
  title: 'Plan',
  body: 'x',
  score: 1,
  raw_score: -5.3,
  importance: 'high',
  ack_required: true,
  created_ts: 1,
  thread_id: 'br-42',
  from_agent: 'BlueLake',
  to: ['GreenHill'],
  cc: [],
  bcc: ['RedFox'],
  ...REASONS,
  redacted: false,
  redaction_reason: 'x',
};
const REST = { assistance: ASSISTANCE, guidance: GUIDANCE, explain: EXPLAIN_SAMPLE, next_cursor: 's0:i1', diagnostics: DIAGNOSTICS };
const ROW = {
  id: 1,
  subject: 'Plan',
  importance: 'high',
  ack_required: 1,
  created_ts: '2026-01-01T00:00:00.000000Z',
  thread_id: null,
  from: 'BlueLake',
  to: ['GreenHill'],
  cc: [],
  bcc: ['RedFox'],
  ...REASONS,
};
const OPTIONS = { limit: 5, offset: 1, ranking: 'recency', sender: 'Ada', date_from: '2026-01-01', explain: true, mode: 'hybrid', min_score: 0.5 };

export const MESSAGE_SAMPLES = {
  'message-search.query': [
    { text: '' },
    {
      text: 'plan',
      doc_kind: 'message',
      project_id: 1,
      product_id: null,
      importance: ['high'],
      direction: 'inbox',
      agent_name: 'Ada',
      thread_id: 'br-42',
      ack_required: false,
      time_range: { min_ts: 1, max_ts: null },
      ranking: 'recency',
      limit: 5,
      offset: 1,
      cursor: 's0:i1',
      explain: true,
      scope: { caller_scoped: { caller_agent: 'Ada' } },
      redaction: { redact_body: true, redact_agent_names: false, redact_thread_ids: false, placeholder: 'x' },
      mode: 'hybrid_rerank',
      sender_name: 'Ada',
      recipient_name: 'Bob',
      min_score: 0.5,
      rerank_top_k: 100,
      rrf_k: 60,
    },
    { text: 'x', scope: { project_set: { allowed_project_ids: [1] } } },
  ],
  'message-search.response': [
    { results: [] },
    {
      results: [RESULT],
      ...REST,
      audit: [{ action: 'redacted', doc_kind: 'message', doc_id: 1, project_id: 2, reason: 'block_all_denied', policy: 'caller_scoped:Ada' }],
    },
  ],
  'search-messages.inputs': [
    { project_key: 'app', query: 'plan' },
    { project_key: 'app', query: 'plan', ...OPTIONS },
  ],
  'search-messages.output': [{ result: [] }, { result: [ROW], ...REST }],
  'search-messages-product.inputs': [
    { product_key: 'suite', query: 'plan' },
    { product_key: 'suite', query: 'plan', project: 'app', ...OPTIONS },
  ],
  'search-messages-product.output': [{ result: [] }, { result: [{ ...ROW, project_id: 2 }], ...REST }],
};
