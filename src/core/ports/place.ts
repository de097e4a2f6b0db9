/**
 * What stands at a path, compared with what was opened there (device, inode, mount). `found` names what stands there now, so
 * that two looks can be told apart; `why` is a sentence for people.
 */
export type Standing = { readonly same: true } | { readonly same: false; readonly found: string; readonly why: string };

/** A directory or file that was opened by its path and is held: its inode and its mount cannot be given to another. */
export interface HeldPlace {
  /** Absolute. */
  readonly path: string;
  /** Asks the kernel, once, without waiting for a disk. Throws WritError INTERNAL after `close`. */
  standing(): Standing;
  close(): void;
}
