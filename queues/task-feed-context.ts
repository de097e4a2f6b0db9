import type { RedisConnection } from '../src/adapters/redis/redis-connection.ts';
import type { IndexChange, ResultReader, TaskIndexWriter } from '../src/core/ports/index.ts';
import type { QueueShards } from './shards.ts';
import type { Stream } from './task-feed-stream.ts';

/** What the parts of the feed work with. */
export interface FeedContext {
  /** For everything but the waiting read. */
  readonly redis: RedisConnection;
  readonly index: TaskIndexWriter;
  /** What the ledger calls an outcome is shown only when this reads it. */
  readonly results: ResultReader;
  /** Of the index that is being fed. */
  readonly generation: string;
  /** Each queue of each shard. */
  readonly streams: readonly Stream[];
  readonly shards: QueueShards;
  readonly pool: string;
  readonly stopping: AbortSignal;
}

/** The index that was being fed is gone: begin again with what is there now. */
export class IndexLost extends Error {
  override readonly name = 'IndexLost';
}

/** The feed was asked to stop in the midst of a pass. */
export class FeedStopped extends Error {
  override readonly name = 'FeedStopped';
}

/** Rows of one transaction. */
const MAX_CHANGES = 500;

export interface StoreOptions {
  readonly positions?: Readonly<Record<string, string>>;
  readonly quiet?: boolean;
}

/**
 * Stores changes in transactions of at most 500; the positions go with the last, so that they never run ahead of the rows.
 *
 * @throws IndexLost
 */
export async function store(context: FeedContext, changes: readonly IndexChange[], { positions, quiet = false }: StoreOptions = {}): Promise<void> {
  const { generation, index } = context;
  for (let start = 0; start < changes.length || start === 0; start += MAX_CHANGES) {
    const last = start + MAX_CHANGES >= changes.length;
    const part = { generation, quiet, changes: changes.slice(start, start + MAX_CHANGES), ...(last && positions ? { positions } : {}) };
    if ((await index.apply(part)) === 'lost') throw new IndexLost();
  }
}

/** @throws FeedStopped */
export function throwIfStopping({ stopping }: FeedContext): void {
  if (stopping.aborted) throw new FeedStopped();
}
