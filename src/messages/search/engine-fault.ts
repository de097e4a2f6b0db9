/** Why an engine that was asked did not answer. */
export interface EngineFault {
  readonly engine: string;
  readonly kind: 'invalid_query' | 'index_not_ready' | 'engine_error' | 'feature_unavailable';
  readonly message: string;
  /** Something is wrong with the database itself. */
  readonly damaged?: true;
  readonly stage?: 'rerank_timeout' | 'rerank_failed' | 'deadline';
}
