/** A pool is one host and one data directory (design 2). */
export interface PoolOwnership {
  /**
   * Makes the data directory the owner of the pool, once and for all. Throws WritError POOL_OWNED when another data
   * directory owns it.
   *
   * @param dataDirId random id kept in the data directory
   */
  claimPool(pool: string, dataDirId: string): Promise<void>;
}

/** What a worker says of itself to the others of its pool, again and again. */
export interface PoolWorker {
  readonly instance: string;
  /** How often it has said so: a number that grows is a process that lives. */
  readonly beats: number;
  /** Milliseconds between two of them. */
  readonly intervalMs: number;
  /** What tells its lock file from every other one. */
  readonly place: string;
}

/** The workers that serve one pool. */
export interface PoolWorkers {
  say(worker: PoolWorker): Promise<void>;
  gone(instance: string): Promise<void>;
  /** Dead ones, too, until somebody says that they are gone. */
  all(): Promise<readonly PoolWorker[]>;
}
