import type { IndexWatch } from '../../../core/ports/index.ts';
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

/** What the thread answers once it has opened its socket. */
export interface WatchCalls extends Pick<IndexWatch, 'arm' | 'pending' | 'publish'> {
  status(status: string): void;
}
