export interface ShadowGate {
  readonly gate: 'overlap' | 'latency' | 'errors';
  /** `null`: nothing could be measured. */
  readonly value: number | null;
  readonly wanted: string;
  readonly passed: boolean | null;
}

/** What `writ messages shadow-report` answers. */
export interface ShadowReport {
  readonly queries: number;
  /** Those that count for the means. */
  readonly compared: number;
  /** Searched as substrings, or not at all. */
  readonly irregular: number;
  readonly errors: number;
  readonly mean: Record<'overlap_jaccard' | 'ndcg_at_10' | 'mrr_delta', number | null>;
  /** Of whole searches, medians in milliseconds; the ratio is the mean of shadow over serving. */
  readonly latency: { readonly serving_ms: number | null; readonly shadow_ms: number | null; readonly mean_ratio: number | null };
  readonly gates: readonly ShadowGate[];
  /** Queries whose pages overlap too little, the least first. */
  readonly apart: readonly { readonly text: string; readonly overlap_jaccard: number; readonly serving_only: number; readonly shadow_only: number }[];
  readonly failed: readonly { readonly text: string; readonly error: string }[];
}

/** Queries to be searched in FTS5 and in Tantivy. */
export interface ShadowQueries {
  readonly texts: readonly string[];
  readonly project_id?: number | null | undefined;
  readonly product_id?: number | null | undefined;
  /** Results of a page. */
  readonly limit: number;
  /** Aborted: the report is about the queries until then. */
  readonly signal: AbortSignal;
}
