import { z } from 'zod';

/** How an answer of message search was made (message-search.md 5, 6.3): explain, diagnostics, assistance and guidance. */

/** What a search was run as. `like_fallback` and `filter_only` are read from tables, `empty` from nothing. */
export const PLAN_METHODS = ['fts5', 'like_fallback', 'filter_only', 'empty', 'tantivy', 'postgresql', 'semantic', 'hybrid', 'hybrid_rerank'] as const;
export type PlanMethod = (typeof PLAN_METHODS)[number];

const count = z.int().min(0);
const share = z.number().min(0).max(1);
const part = (description: string) => count.optional().meta({ description });

export const ExplainTiming = z.strictObject({
  total_us: count.meta({ description: 'Microseconds of the whole search.' }),
  lexical_us: part('FTS5 or Tantivy.'),
  vector_us: part('Vectors.'),
  fusion_us: part('Fusion of both.'),
  rerank_us: part('Ranking again.'),
  scope_us: part('What the caller may see, where it was not part of the search itself.'),
});
export type ExplainTiming = z.infer<typeof ExplainTiming>;

export const ShadowComparison = z.strictObject({
  serving_engine: z.string(),
  shadow_engine: z.string(),
  overlap_jaccard: share.meta({ description: 'Results of both, as a share of the results of either.' }),
  ndcg_at_10: share.meta({ description: 'NDCG@10 of the shadow, with the order of the serving engine as the judge.' }),
  mrr_delta: z.number().min(-1).max(0).meta({ description: "Reciprocal rank of the first serving result in the shadow's list, less 1." }),
  serving_only: count,
  shadow_only: count,
});
export type ShadowComparison = z.infer<typeof ShadowComparison>;

export const QueryExplain = z.strictObject({
  method: z.enum(PLAN_METHODS),
  normalized_query: z.string().nullable().meta({ description: 'What the engine was asked; null if words were looked for in the tables.' }),
  used_like_fallback: z.boolean(),
  facet_count: count,
  facets_applied: z.array(z.string()),
  sql: z.string().meta({ description: 'The statement, with its parameters as `?`; empty where there was none.' }),
  scope_policy: z.string().meta({ description: '`unrestricted`, `caller_scoped:<agent>` or `project_set:<number of projects>`.' }),
  denied_count: count.meta({ description: 'Rows that match and may not be seen.' }),
  redacted_count: count.meta({ description: 'Rows of this page that were redacted.' }),
  requested_mode: z.string().optional(),
  actual_mode: z.string().optional(),
  engine: z.string().optional(),
  mode_downgraded: z.boolean(),
  downgrade_reason: z.string().optional(),
  timing: ExplainTiming.optional(),
  cursor_invalidated: z.boolean(),
  shadow: ShadowComparison.optional(),
  matched_count: count.optional().meta({ description: 'Rows of the whole set that may be seen, before min_score and the page.' }),
  order_changed: z
    .boolean()
    .optional()
    .meta({ description: 'The order of the page before could not be kept; the page goes on after the rank of its last row.' }),
  notes: z
    .array(z.string())
    .optional()
    .meta({ description: 'What else happened: faults of an engine, a query that says nothing, a cursor that was not used.' }),
});
export type QueryExplain = z.infer<typeof QueryExplain>;

export const SEARCH_RETRIES = ['spelling', 'any_word', 'substrings'] as const;

export const SearchRetry = z
  .strictObject({
    by: z
      .enum(SEARCH_RETRIES)
      .meta({ description: 'spelling: other words for those that nothing has; any_word: any of the words; substrings: parts of words.' }),
    text: z.string().meta({ description: 'What was looked for.' }),
    replaced: z
      .array(z.strictObject({ word: z.string(), by: z.array(z.string()) }))
      .optional()
      .meta({ description: 'Words that nothing has, and what stood in for them: words of results that may be seen, and beginnings with a star.' }),
  })
  .meta({ description: 'What was looked for instead of the text, because nothing matches that.' });
export type SearchRetry = z.infer<typeof SearchRetry>;

export const SearchDiagnostics = z.strictObject({
  degraded: z.boolean(),
  fallback_mode: z.string().optional().meta({ description: '`mode_downgrade`, `like_fallback`, `engine_error`, `search_index_<state>` or of a budget.' }),
  timeout_stage: z.string().optional(),
  budget_tier: z.string().optional(),
  budget_remaining_ms: count.optional(),
  budget_exhausted: z.boolean().optional(),
  search_index_state: z.string().optional(),
  search_index_reason: z.string().optional(),
  remediation_hints: z.array(z.string()).optional(),
});
export type SearchDiagnostics = z.infer<typeof SearchDiagnostics>;

const FilterHint = z.strictObject({ field: z.string(), value: z.string() });
const DidYouMean = z.strictObject({ token: z.string(), suggested_field: z.string(), value: z.string() });

export const QueryAssistance = z
  .strictObject({
    query_text: z.string().meta({ description: 'The query without what looks like a filter.' }),
    applied_filter_hints: z
      .array(FilterHint)
      .optional()
      .meta({ description: 'Words of the form field:value. They are hints: the search did not use them as filters.' }),
    did_you_mean: z.array(DidYouMean).optional(),
  })
  .meta({ description: 'What a query seems to mean. It says nothing about what was searched.' });
export type QueryAssistance = z.infer<typeof QueryAssistance>;

export const GUIDANCE_KINDS = [
  'broaden_date_range',
  'drop_importance_filter',
  'drop_agent_filter',
  'drop_thread_filter',
  'drop_ack_filter',
  'fix_typo',
  'simplify_query',
  'enter_search_terms',
] as const;

const Suggestion = z.strictObject({ kind: z.enum(GUIDANCE_KINDS), label: z.string(), detail: z.string().optional() });

export const ZeroResultGuidance = z
  .strictObject({ summary: z.string(), suggestions: z.array(Suggestion).optional() })
  .meta({ description: 'What to try when nothing was found; made from the query alone.' });
export type ZeroResultGuidance = z.infer<typeof ZeroResultGuidance>;
