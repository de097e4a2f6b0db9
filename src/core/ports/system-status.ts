export interface QueueStatus {
  readonly queue: string;
  readonly waiting: number;
  readonly active: number;
  readonly delayed: number;
  readonly completed: number;
  readonly failed: number;
  readonly paused: boolean;
  /** Milliseconds that the oldest waiting job has waited; `undefined` when none waits. */
  readonly oldestWaitingMs: number | undefined;
  /** BullMQ workers that are connected. */
  readonly workers: number;
  /** Error codes of the newest failed jobs. */
  readonly failures: Readonly<Record<string, number>>;
  readonly failuresSampled: number;
}

/** What is known about a queue without looking at its jobs. */
export type QueueFigures = Omit<QueueStatus, 'failures' | 'failuresSampled'>;

/** `SystemStatus` without what is dear to read; for every scrape of the metrics. */
export interface SystemFigures extends Omit<SystemStatus, 'queues'> {
  readonly queues: readonly QueueFigures[];
}

export interface SystemStatus {
  readonly queues: readonly QueueStatus[];
  /** Worker processes of this data directory, by heartbeat. */
  readonly workers: readonly { readonly instance: string; readonly alive: boolean }[];
  readonly ledger: { readonly markers: number; readonly expected: number; readonly generation: string | undefined };
  readonly redis: {
    readonly version: string;
    readonly policy: string;
    readonly appendOnly: boolean;
    /** The last write of the append-only file went well (or there is none). */
    readonly appendOnlyOk: boolean;
    readonly usedBytes: number;
    /** 0: no limit. */
    readonly limitBytes: number;
  };
  /** The imports of messages that went on last, the newest first; none where there are no messages. */
  readonly imports?: readonly ImportProgress[];
}

/** How far an import of messages is stored. */
export interface ImportProgress {
  readonly name: string;
  readonly items: number;
  readonly bad: number;
  readonly finished: boolean;
  /** Milliseconds since 1970. */
  readonly updatedAt: number;
}
