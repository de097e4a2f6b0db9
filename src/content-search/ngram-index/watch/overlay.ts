import type { BytePath, OverlayEntry, OverlayPaths } from '../../../core/ports/index.ts';

/** Entries that are kept one by one; above this number one entry for the root replaces them (search-rules 1). */
export const OVERLAY_MAX = 10_000;

/**
 * Paths that may differ from the published snapshot, each with the number of its last event. Pure; entries are kept in the
 * order of their numbers.
 */
export interface Overlay {
  /** Number of the newest event. */
  readonly seq: number;
  /** A number that changes whenever the entries change. */
  readonly version: number;
  readonly size: number;
  /** Whether an entry stands for the whole tree. */
  readonly isWhole: boolean;
  /** Notes an event about a path; `BACKLOG` when there were too many entries and one for the root has replaced them. */
  touch(kind: OverlayEntry['kind'], path: BytePath): 'BACKLOG' | undefined;
  /** The next number, for something that is no entry, such as a veto. */
  next(): number;
  /** The oldest entries, oldest first; from here on somebody may be reading these files. */
  take(limit: number): readonly OverlayEntry[];
  /** All entries as paths; the same object until something changes. */
  paths(): OverlayPaths;
  /** Removes entries that a snapshot covers: these, and all up to the number, unless a newer event came for one. */
  forget(covered: readonly OverlayEntry[], through: number): void;
}

/** @param firstSeq the last number of an earlier watch over the same tree; numbers begin after it, so a snapshot of that watch covers nothing of this one */
export function createOverlay(firstSeq = 0, max = OVERLAY_MAX): Overlay {
  const entries = new Map<string, OverlayEntry>();
  let seq = firstSeq;
  let version = 0;
  /** The highest number among the entries that `take` has given out. */
  let taken = 0;
  let cached: OverlayPaths | undefined;

  const changed = (): void => {
    version += 1;
    cached = undefined;
  };
  const put = (entry: OverlayEntry): void => {
    const key = keyOf(entry);
    entries.delete(key);
    entries.set(key, entry);
  };

  return {
    get seq() {
      return seq;
    },
    get version() {
      return version;
    },
    get size() {
      return entries.size;
    },
    get isWhole() {
      return entries.has(keyOf(WHOLE));
    },
    touch(kind, path) {
      seq += 1;
      const above = kind === 'FILE' ? untakenAbove(entries, path, taken) : undefined;
      if (above !== undefined) {
        put({ ...above, seq });
        return undefined;
      }
      if (!entries.has(keyOf({ kind, path }))) changed();
      put({ kind, path, seq });
      if (entries.size <= max) return undefined;
      entries.clear();
      changed();
      put({ ...WHOLE, seq });
      return 'BACKLOG';
    },
    next: () => ++seq,
    take(limit) {
      const some: OverlayEntry[] = [];
      for (const entry of entries.values()) {
        if (some.length >= limit) break;
        some.push(entry);
      }
      taken = Math.max(taken, some.at(-1)?.seq ?? 0);
      return some;
    },
    paths() {
      cached ??= pathsOf(entries.values());
      return cached;
    },
    forget(covered, through) {
      const before = entries.size;
      for (const entry of covered) if ((entries.get(keyOf(entry))?.seq ?? Number.POSITIVE_INFINITY) <= entry.seq) entries.delete(keyOf(entry));
      for (const [key, entry] of entries) {
        if (entry.seq > through) break;
        entries.delete(key);
      }
      if (entries.size !== before) changed();
    },
  };
}

const WHOLE = { kind: 'SUBTREE', path: '' } as const satisfies Partial<OverlayEntry>;
const keyOf = ({ kind, path }: Pick<OverlayEntry, 'kind' | 'path'>): string => `${kind === 'FILE' ? 'f' : 's'}${path}`;

/**
 * The entry of a subtree above the file that `take` has not given out: with a new number it stands for the file, too, so a
 * new tree of many files stays one entry. Beneath a subtree that was given out the file gets its own entry, and only the file
 * is read again.
 */
function untakenAbove(entries: ReadonlyMap<string, OverlayEntry>, path: BytePath, taken: number): OverlayEntry | undefined {
  for (let end = path.lastIndexOf('/'); ; end = path.lastIndexOf('/', end - 1)) {
    const above = entries.get(keyOf({ kind: 'SUBTREE', path: end < 0 ? '' : path.slice(0, end) }));
    if (above !== undefined && above.seq > taken) return above;
    if (end <= 0) return undefined;
  }
}

function pathsOf(entries: Iterable<OverlayEntry>): OverlayPaths {
  const files: BytePath[] = [];
  const subtrees: BytePath[] = [];
  for (const { kind, path } of entries) (kind === 'FILE' ? files : subtrees).push(path);
  return { files, subtrees };
}
