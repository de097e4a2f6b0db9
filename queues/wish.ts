import { sha256Hex } from '../src/core/hash.ts';
import { shardedName } from './shards.ts';

/** The figures of a job that only an ask changes: who adds a job, and who runs one again that has ended. */
export interface WishFigures {
  /** Prefix of its shard. */
  readonly prefix: string;
  /** With its pool. */
  readonly queue: string;
  readonly jobId: string;
  /** BullMQ's `timestamp`. */
  readonly addedAt: number;
  /** How often it has ended: BullMQ's `atm`, which a retry may set back. */
  readonly ends: number;
  /** How many failures are noted in it: BullMQ's stack traces, which a retry leaves. */
  readonly failures: number;
}

/**
 * Names the ask that a job stands for (docs/plan-protocol.md 2, Wishes). Anybody may have written the figures: any of them make a name
 * of 64 characters.
 */
export function wishOf({ prefix, queue, jobId, addedAt, ends, failures }: WishFigures): string {
  return sha256Hex(`${shardedName(prefix, `${queue}:${jobId}`)}\n${addedAt}\n${ends}\n${failures}`);
}
