import type { HostVeto, WatchEventKind } from '../../../core/ports/index.ts';

/**
 * What follows from an event: `file`/`subtree`: an entry of the overlay; `leave`: the watches of the directory and all
 * beneath it go; `arm`: they are set anew; `name`: whether it is a second name of a file has to be looked at.
 */
export type Effect = 'file' | 'subtree' | 'leave' | 'arm' | 'name';

interface Row {
  /** About an entry that is no directory. */
  readonly file: readonly Effect[];
  /** About an entry that is a directory. */
  readonly directory: readonly Effect[];
  /** About the watched directory itself, when it is not the root. */
  readonly self: readonly Effect[];
  /** About the root itself, or about the watch. */
  readonly veto: HostVeto | null;
}

const NOTHING: Row = { file: [], directory: [], self: [], veto: null };

/** docs/index-watch.md 1 as data. */
export const EFFECTS = {
  MODIFY: { ...NOTHING, file: ['file', 'name'] },
  CLOSE_WRITE: { ...NOTHING, file: ['file'] },
  ATTRIB: { file: ['file', 'name'], directory: ['subtree', 'arm'], self: ['subtree', 'arm'], veto: 'WATCHER_DOWN' },
  CREATE: { ...NOTHING, file: ['file', 'name'], directory: ['subtree', 'arm'] },
  DELETE: { ...NOTHING, file: ['file', 'name'], directory: ['subtree', 'leave'] },
  MOVED_FROM: { ...NOTHING, file: ['file', 'name'], directory: ['subtree', 'leave'] },
  MOVED_TO: { ...NOTHING, file: ['file', 'name'], directory: ['subtree', 'leave', 'arm'] },
  DELETE_SELF: { ...NOTHING, self: ['subtree', 'leave'], veto: 'WATCHER_DOWN' },
  // Of a directory beneath the root the directory above tells it, with both names.
  MOVE_SELF: { ...NOTHING, veto: 'WATCHER_DOWN' },
  UNMOUNT: { ...NOTHING, self: ['subtree', 'leave'], veto: 'MOUNT' },
  // Our own removals are forgotten before this comes; so is a directory that was removed.
  IGNORED: { ...NOTHING, self: ['subtree', 'leave'], veto: 'WATCHER_DOWN' },
  OVERFLOW: { ...NOTHING, veto: 'OVERFLOW' },
} satisfies Record<WatchEventKind, Row>;

/** These concern the watch wherever it is: a veto also beneath the root. */
export const EVERYWHERE: ReadonlySet<WatchEventKind> = new Set(['UNMOUNT', 'IGNORED', 'OVERFLOW']);
