import type { DocKind } from '../../contracts/index.ts';

/** The newest change in the text of a document. */
export interface DocumentChange {
  readonly seq: number;
  readonly kind: DocKind;
  readonly id: number;
  /** `null`: the document is gone. */
  readonly title: string | null;
  readonly body: string | null;
}

/**
 * The change feed of a store of messages: what an engine follows that keeps texts elsewhere. It remembers the number up to which
 * it went, and the store's name; the numbers of another store mean nothing. A document stands in the feed once, at its newest
 * change, so that from 0 on it is everything, and whoever takes a change twice has the same as who takes it once.
 */
export interface MessageChanges {
  /** The random name of this store. */
  store(): string;
  /** Number of the newest change; 0: nothing was ever written. */
  newest(): number;
  /** Changes after a number, the oldest first, at most so many; of one kind, or of all. */
  after(seq: number, most: number, kind?: DocKind): readonly DocumentChange[];
}
