import type { BullMQAdapter } from '@bull-board/api/bullMQAdapter';

/**
 * What the board looks at; `queues/board-queues.ts` opens it. The board itself has no connection: whatever it may do to a
 * job goes through the operations that every surface shares.
 */
export interface BoardJob {
  readonly id: string;
  /** As stored; nothing in them is believed. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly unreadable?: string;
  state(): Promise<string>;
}

export interface BoardSource {
  /** Unique on the board. */
  readonly name: string;
  /** As a lease names it. */
  readonly queueName: string;
  readonly queue: ConstructorParameters<typeof BullMQAdapter>[0];
  job(id: string): Promise<BoardJob | undefined>;
  jobs<T>(states: readonly string[], start: number, end: number, show: (job: BoardJob) => T): Promise<readonly T[]>;
  logs(id: string, limit: number): Promise<readonly string[]>;
  failedCount(): Promise<number>;
  failedPages(size: number): AsyncIterable<readonly string[]>;
}
