import type { ArmResult, IndexWatch, Published, WatchSignal } from '../../../core/ports/index.ts';
import type { IndexedTree } from '../build/indexed-tree.ts';

/** What the watch thread is started with. */
export interface WatchSettings {
  readonly indexed: IndexedTree;
  /** Of the index; the socket is made in it. */
  readonly directory: string;
  /** Absolute; `''`: there is none. */
  readonly globalIgnoreFile: string;
  /** Milliseconds between two looks at the events when nobody asks; 0: only when somebody asks. */
  readonly lookEveryMs: number;
  /** At least so many milliseconds lie between two signals that there is something to do. */
  readonly debounceMs: number;
  /** The newest number that an earlier thread has told: those of this one are larger. */
  readonly firstSeq: number;
}

type Pending = Awaited<ReturnType<IndexWatch['pending']>>;

export type WatchRequest =
  | { readonly kind: 'start'; readonly id: number }
  | { readonly kind: 'stop'; readonly id: number }
  | { readonly kind: 'arm'; readonly id: number }
  | { readonly kind: 'pending'; readonly id: number; readonly limit: number }
  | { readonly kind: 'publish'; readonly id: number; readonly published: Published }
  | { readonly kind: 'status'; readonly status: string };

export type WatchReply =
  | { readonly kind: 'done'; readonly id: number }
  | { readonly kind: 'armed'; readonly id: number; readonly result: ArmResult }
  | { readonly kind: 'entries'; readonly id: number; readonly pending: Pending }
  | { readonly kind: 'failed'; readonly id: number; readonly message: string }
  | { readonly kind: 'signal'; readonly signal: WatchSignal };
