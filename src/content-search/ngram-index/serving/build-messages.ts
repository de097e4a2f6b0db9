import type { BuildJob, BuildOutcome } from '../../../core/ports/index.ts';
import type { IndexedTree } from '../build/indexed-tree.ts';
import type { PaceSettings } from '../build/pace.ts';
import type { JobLimits } from '../build/site.ts';

/** What the build thread is for; plain values that travel. */
export interface BuildThreadData {
  readonly indexed: IndexedTree;
  /** Of this index alone. */
  readonly directory: string;
  /** SHA-256 of the index key, hexadecimal. */
  readonly keyHash: string;
  readonly pace: PaceSettings;
  /** Two numbers, `FLAG`: the thread sees them in the midst of a job, where no message would reach it. */
  readonly flags: SharedArrayBuffer;
}

export const FLAG = { stop: 0, boost: 1 } as const satisfies Record<string, number>;
export const FLAG_BYTES = 2 * Int32Array.BYTES_PER_ELEMENT;

/** One at a time; its progress is an event. */
export interface BuildCalls {
  run(job: BuildJob, limits: JobLimits): BuildOutcome;
}
