import type { MessageIndexEvent } from '../../../core/ports/index.ts';

/** What the thread is started with. */
export interface IndexThreadData {
  /** The database of messages. */
  readonly file: string;
  /** The directory of the index. */
  readonly root: string;
}

export type ToIndexThread = { readonly kind: 'follow' | 'rebuild' | 'stop' };

/** One answer for each `follow` and `rebuild`. */
export type FromIndexThread =
  | { readonly kind: 'event'; readonly event: MessageIndexEvent }
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly why: string };
