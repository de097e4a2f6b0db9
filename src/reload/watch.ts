import path from 'node:path';
import type { FSWatcher } from 'chokidar';
import { stateOf, type Watched, watchedDirectories } from './watched-files.ts';

export interface WatchOptions {
  readonly watched: Watched;
  /** Time without a further change after which files are read. */
  readonly settleMs: number;
  /** Time between two looks when nothing tells of a change. */
  readonly lookMs?: number;
  /** There is something to read. */
  readonly changed: () => void;
  /** The file of the settings is gone or empty; told once until it is back. */
  readonly missing: (file: string) => void;
  /** Events cannot be had; looks go on. */
  readonly trouble: (error: unknown) => void;
}

/** Events do not cross every mount, and nobody tells of a directory that was exchanged. */
const LOOK_MS = 5_000;

/**
 * Follows the files of the settings until it is ended (`docs/operations.md`, Follow the files). Contents are compared, by
 * path; events only hasten a look. The first state that has settled is told as a change, whatever it is.
 */
export function watchSettings({ watched, settleMs, lookMs = LOOK_MS, changed, missing, trouble }: WatchOptions): { end(): Promise<void> } {
  let told: string | undefined;
  let seen: string | undefined;
  let isMissing = false;
  let settling: NodeJS.Timeout | undefined;
  let hasEnded = false;

  /** Whether nothing has changed since the look before. */
  const settle = (): void => {
    settling = undefined;
    const now = stateOf(watched);
    if (now !== seen) {
      wait(now);
      return;
    }
    if (now === undefined) {
      if (!isMissing) missing(watched.file);
      isMissing = true;
      return;
    }
    isMissing = false;
    if (now === told) return;
    told = now;
    changed();
  };
  const wait = (now: string | undefined): void => {
    seen = now;
    if (!hasEnded) settling ??= setTimeout(settle, settleMs).unref();
  };
  const look = (): void => {
    // Whoever settles looks again.
    if (settling !== undefined) return;
    const now = stateOf(watched);
    if (now === told) isMissing = false;
    else wait(now);
  };

  const timer = setInterval(look, lookMs).unref();
  const events = followEvents(watched, look, trouble);
  look();
  return {
    async end() {
      hasEnded = true;
      clearInterval(timer);
      clearTimeout(settling);
      await (await events)?.close();
    },
  };
}

/** Undefined: there are none. */
async function followEvents(followed: Watched, look: () => void, trouble: (error: unknown) => void): Promise<FSWatcher | undefined> {
  const directories = watchedDirectories(followed);
  // Journals are written beside the settings all the time.
  const isOther = (name: string): boolean =>
    !directories.includes(name) && name !== followed.file && (path.dirname(name) === path.dirname(followed.file) || !name.endsWith('.json'));
  try {
    const { watch } = await import('chokidar');
    const watcher = watch([...directories], { depth: 0, ignoreInitial: true, ignorePermissionErrors: true, ignored: isOther });
    watcher.on('all', look);
    watcher.on('error', trouble);
    return watcher;
  } catch (error) {
    trouble(error);
    return undefined;
  }
}
