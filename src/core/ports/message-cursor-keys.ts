/** A key that cursors of message search are authenticated with. */
export interface CursorKey {
  readonly id: number;
  /** 32 random bytes. */
  readonly secret: Uint8Array;
}

/** The keys of a store of messages, the same for every process that searches it. */
export interface CursorKeys {
  /** The one for new cursors; `undefined` while there is no store. */
  newest(): CursorKey | undefined;
  /** `undefined` for one that never was, or that has been taken away. */
  withId(id: number): CursorKey | undefined;
}
