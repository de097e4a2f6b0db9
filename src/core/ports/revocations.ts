/**
 * The kernel's signed, numbered revocation log, as Redis carries it to the workers. Entry n (from 1, without gaps) is an
 * opaque signed token; nothing here is trusted, `src/lease` verifies.
 */
export interface RevocationFeed {
  /** Number of the newest published entry; 0 when nothing is published. */
  head(): Promise<number>;
  /** The tokens of the entries `from` (1 is the first), `from + 1`, … up to the newest. */
  read(from: number): Promise<string[]>;
  /**
   * Appends in order; entries (consecutive numbers) that are already there are a no-op. Two publishers never interleave.
   * Throws WritError WRONG_STATE on a gap, or when another token stands under a number; nothing from there on is written.
   */
  publish(entries: readonly { readonly n: number; readonly token: string }[]): Promise<void>;
}

/** Tells that the published log has grown. Lossy: callers also look. */
export interface RevocationSignals {
  onPublished(listener: (newest: number) => void): Promise<() => Promise<void>>;
}
