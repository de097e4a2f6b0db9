import type { IngestOp, IngestOutcome } from '../../contracts/index.ts';
import type { Lifecycle } from '../lifecycle.ts';

/** Operations that were sent together. */
export interface IngestBatch {
  /** When they were sent, microseconds since 1970: what was sent later wins, in whatever order batches are done. */
  readonly at: number;
  readonly ops: readonly IngestOp[];
}

/** How far an import came. */
export interface ImportMark {
  readonly position: string;
  readonly items: number;
  readonly bad: number;
  /** Which reading of the whole source it was about; 0 of sources that are not followed. */
  readonly pass: number;
  readonly finished: boolean;
}

/** The full text was made anew. */
export interface RebuildNews {
  readonly documents: number;
  /** Messages whose ids were beyond what a wish may ask for, and that got others. */
  readonly renumbered: number;
  readonly durationMs: number;
}

/** What one transaction of the writer did. */
export interface CommitNews {
  /** Rows of full text that were written or removed. */
  readonly documents: number;
  readonly durationMs: number;
  readonly rebuild: RebuildNews | undefined;
}

/** What happens to an index beside the database (message-search.md 8). */
export type MessageIndexEvent =
  | { readonly event: 'index.rebuild.start'; readonly doc_count: number }
  | { readonly event: 'index.rebuild.complete'; readonly doc_count: number; readonly duration_ms: number }
  | { readonly event: 'index.incremental.batch'; readonly batch_size: number; readonly duration_ms: number }
  | { readonly event: 'index.schema.mismatch'; readonly expected: string; readonly actual: string };

/** The one writer of the messages. What came while it was busy is one transaction; what it has answered is durable. */
export interface MessageStore extends Lifecycle {
  /**
   * Does a batch, after those that were given before. Doing it twice, also between newer ones, is the same as doing it once.
   * A single operation that cannot be done is counted as refused and harms no other.
   *
   * @throws WritError STORAGE_UNAVAILABLE: nothing of the batch was done
   */
  write(batch: IngestBatch): Promise<IngestOutcome>;
}

/** An ingest job's end, as whoever sent it sees it. */
export type IngestEnd = { readonly ok: true; readonly outcome: IngestOutcome } | { readonly ok: false; readonly message: string };

export type IngestHandler = (batch: IngestBatch) => Promise<IngestOutcome>;

/** The way of operations to the writer (queue `message-index`): a job that was taken is done, also after a kill -9. */
export interface MessageLane extends Lifecycle {
  /** At most MAX_INGEST_OPS. Throws WritError REDIS_UNAVAILABLE, REDIS_FULL, INVALID_ARGUMENT. */
  submit(ops: readonly IngestOp[]): Promise<{ readonly job: string }>;
  /** How a job ended; `undefined` when the signal fired before it did. Throws WritError REDIS_UNAVAILABLE, also where Redis has lost the job. */
  settled(job: string, signal: AbortSignal): Promise<IngestEnd | undefined>;
  /** To be called once, before `start`; without it the lane only submits. */
  process(handler: IngestHandler): void;
}
