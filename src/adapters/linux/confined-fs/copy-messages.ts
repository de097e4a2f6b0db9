import type { CopyEnd } from './copy-loop.ts';

/** To the thread. Descriptors are numbers of the whole process, so a thread may use the main thread's. */
export type CopyRequest =
  | { readonly kind: 'copy'; readonly id: number; readonly source: number; readonly target: number; readonly chunkBytes: number; readonly hash: boolean }
  | { readonly kind: 'abort'; readonly id: number };

/** From the thread; `end` is the last word about a copy: the thread does not touch its descriptors any more. */
export type CopyReply =
  | { readonly kind: 'bytes'; readonly id: number; readonly total: number }
  | { readonly kind: 'end'; readonly id: number; readonly end: CopyEnd };
