import type { CopyEnd } from './copy-loop.ts';

/** Descriptors are numbers of the whole process, so a thread may use the main thread's. */
export interface CopyJob {
  readonly source: number;
  readonly target: number;
  readonly chunkBytes: number;
  readonly hash: boolean;
  readonly sparseBytes: number | undefined;
}

export interface CopyCalls {
  /** The answer is the last word about a copy: the thread does not touch its descriptors any more. */
  copy(id: number, job: CopyJob): CopyEnd;
  abort(id: number): void;
}

/** Bytes of one copy so far. */
export interface CopyProgress {
  readonly id: number;
  readonly total: number;
}
