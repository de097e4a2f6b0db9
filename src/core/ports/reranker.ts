/** A cross-encoder: it reads a query and a document together (message-search.md 1.1). */
export interface Reranker {
  /** Names the model. */
  readonly id: string;
  /**
   * How well each text answers the query: any number, more is better, 0 is in doubt; in the order of the texts.
   *
   * @param signal nobody waits any more: the work may end with an error
   * @throws Error when the model fails
   */
  judge(query: string, texts: readonly string[], signal: AbortSignal): Promise<readonly number[]>;
}
