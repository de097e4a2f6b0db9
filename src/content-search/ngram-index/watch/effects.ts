import type { HostVeto, WatchEventKind } from '../../../core/ports/index.ts';

/**
 * Effects of an event. `file` and `subtree` put an entry into the overlay; `leave` removes the watches of the directory and
 * of all beneath it; `arm` sets them again; `name` counts the links of the file, which may have a second name.
 */
export type Effect = 'file' | 'subtree' | 'leave' | 'arm' | 'name';

interface Row {
  /** Effects where the entry is no directory. */
  readonly file: readonly Effect[];
  /** Effects where the entry is a directory. */
  readonly directory: readonly Effect[];
  /** Effects where it is the watched directory itself, and not the root. */
  readonly self: readonly Effect[];
  /** The veto where it is the root itself, or the watch. */
  readonly veto: HostVeto | null;
}

const NOTHING: Row = { file: [], directory: [], self: [], veto: null };

/** The table of docs/index-watch.md 1 as data. */
export const EFFECTS = {
  MODIFY: { ...NOTHING, file: ['file', 'name'] },
  CLOSE_WRITE: { ...NOTHING, file: ['file'] },
  ATTRIB: { file: ['file', 'name'], directory: ['subtree', 'arm'], self: ['subtree', 'arm'], veto: 'WATCHER_DOWN' },
  CREATE: { ...NOTHING, file: ['file', 'name'], directory: ['subtree', 'arm'] },
  DELETE: { ...NOTHING, file: ['file', 'name'], directory: ['subtree', 'leave'] },
  MOVED_FROM: { ...NOTHING, file: ['file', 'name'], directory: ['subtree', 'leave'] },
  MOVED_TO: { ...NOTHING, file: ['file', 'name'], directory: ['subtree', 'leave', 'arm'] },
  DELETE_SELF: { ...NOTHING, self: ['subtree', 'leave'], veto: 'WATCHER_DOWN' },
  // A move beneath the root is told by the events of the directory above, with both names.
  MOVE_SELF: { ...NOTHING, veto: 'WATCHER_DOWN' },
  UNMOUNT: { ...NOTHING, self: ['subtree', 'leave'], veto: 'MOUNT' },
  // IGNORED after a removal of ours, or of the directory, finds the watch forgotten already.
  IGNORED: { ...NOTHING, self: ['subtree', 'leave'], veto: 'WATCHER_DOWN' },
  OVERFLOW: { ...NOTHING, veto: 'OVERFLOW' },
} satisfies Record<WatchEventKind, Row>;

/** Events that raise their veto for directories beneath the root, too. */
export const EVERYWHERE: ReadonlySet<WatchEventKind> = new Set(['UNMOUNT', 'IGNORED', 'OVERFLOW']);
