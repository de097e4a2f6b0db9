import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { TaskJob } from '../src/contracts/index.ts';
import type { Clock } from '../src/core/clock.ts';
import type { Ledger, Receipt, TaskRow } from '../src/core/ports/index.ts';

export interface EnqueueDeps {
  /** Shared with BullMQ's queues; the owner closes it. */
  readonly connection: Redis;
  readonly ledger: Ledger;
  readonly clock: Clock;
  /** The pool that a push goes to unless it names a queue. */
  readonly pool: string;
  /** Of the tools that are bound on this host: their queues are looked into as well. */
  readonly providers?: readonly string[];
  /** Refuses new work when Redis is nearly full. */
  readonly guard?: { check(): Promise<void> };
}

/** One push on its way. */
export interface Push {
  readonly taskId: string;
  readonly jobId: string;
  readonly queueName: string;
  readonly name: string;
  readonly data: TaskJob;
  readonly sha: string;
  readonly attempts: number;
}

/** What a push works with. */
export interface PushContext extends EnqueueDeps {
  readonly queue: (name: string) => Queue<unknown>;
}

/** What the ledger says: finished with SUCCESS, used by another manifest, or neither. */
export type RowClass = 'finished' | 'other' | 'open';

export function classOfRow(row: TaskRow | undefined, sha: string): RowClass {
  if (row && row.manifestSha256 !== '' && row.manifestSha256 !== sha) return 'other';
  return row?.state === 'success' ? 'finished' : 'open';
}

export function receiptOf(kind: 'accepted' | 'in-flight' | 'retried', { taskId, queueName, jobId }: Push): Receipt {
  return { kind, taskId, queue: queueName, jobId };
}
