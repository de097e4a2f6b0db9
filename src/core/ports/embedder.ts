/** Makes vectors of texts, such that texts that belong together point into the same direction (message-search.md 1.1). */
export interface Embedder {
  /** Names the model and everything else that a vector depends on: vectors of two ids cannot be compared. Lower-case letters, digits, `.`, `-` and `_`. */
  readonly id: string;
  /** Numbers in a vector. */
  readonly dimension: number;
  /** Texts without a common word may be near: a model, and no hash, says so. */
  readonly knowsMeaning?: true;
  /**
   * A vector of length 1 for each text, in their order; the vector of nothing but zeros for a text that says nothing.
   *
   * @throws Error when a text is empty, or the model fails
   */
  embed(texts: readonly string[]): Promise<readonly Float32Array[]>;
}

/** The text of a document whose vector is made. */
export function embeddedText(title: string, body: string): string {
  return `${title}\n${body}`;
}
