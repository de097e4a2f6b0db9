/** A queue of the server's pool as it is now. */
export interface QueueView {
  queue: string;
  /** No worker takes another job of it. */
  paused: boolean;
  waiting: number;
  active: number;
  delayed: number;
  completed: number;
  failed: number;
  oldest_waiting_ms?: number | undefined;
  workers: number;
}

export interface QueueList {
  queues: QueueView[];
}

/** `changed`: it was not so before. */
export interface QueueSwitch {
  queue: string;
  paused: boolean;
  changed: boolean;
}
