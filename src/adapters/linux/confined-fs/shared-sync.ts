import type { FsResult } from '../../../core/ports/confined-fs.ts';

interface Lane {
  readonly running: Promise<FsResult<void>>;
  /** The round after the running one; it has not started, so that everybody who comes may join. */
  waiting: Promise<FsResult<void>> | undefined;
}

/** Runs `fsync` for `key`, or joins another caller's that starts later than this call. */
export type SharedSync = (key: string, fsync: () => Promise<FsResult<void>>) => Promise<FsResult<void>>;

/**
 * Group commit for directories: an fsync that is already running may have started before the caller's change, so a
 * caller waits for the next one, and shares it with all who came meanwhile. An error reaches everybody who shared.
 */
export function createSharedSync(): SharedSync {
  const lanes = new Map<string, Lane>();

  function begin(key: string, fsync: () => Promise<FsResult<void>>): Promise<FsResult<void>> {
    const lane: Lane = { running: fsync(), waiting: undefined };
    lanes.set(key, lane);
    const end = (): void => {
      if (lane.waiting === undefined) lanes.delete(key);
    };
    lane.running.then(end, end);
    return lane.running;
  }

  return (key, fsync) => {
    const lane = lanes.get(key);
    if (lane === undefined) return begin(key, fsync);
    const next = (): Promise<FsResult<void>> => begin(key, fsync);
    lane.waiting ??= lane.running.then(next, next);
    return lane.waiting;
  };
}
