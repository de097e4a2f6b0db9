import type { BytePath, OverlayEntry, OverlayPaths } from '../../../core/ports/index.ts';

/** More are not told one by one: then everything may have changed (search-rules 1). */
export const OVERLAY_MAX = 10_000;

/**
 * What may differ from the published snapshot, each entry with the number of the last event about it. Pure; entries are
 * kept in the order of their numbers.
 */
export interface Overlay {
  /** Number of the newest event. */
  readonly seq: number;
  /** Another number after each change of the entries. */
  readonly version: number;
  readonly size: number;
  /** An event about a path; `BACKLOG` when there were too many entries and the root stands for all of them from here on. */
  touch(kind: OverlayEntry['kind'], path: BytePath): 'BACKLOG' | undefined;
  /** A number for something that is no entry, such as a veto. */
  next(): number;
  /** Oldest first; from here on somebody may be reading these files. */
  take(limit: number): readonly OverlayEntry[];
  /** The same object until something changes. */
  paths(): OverlayPaths;
  /** A snapshot covers these entries and every one up to the number, unless a newer event came for it. */
  forget(covered: readonly OverlayEntry[], through: number): void;
}

/** @param firstSeq numbers begin behind it: those of an earlier watch over the same tree must cover nothing of this one */
export function createOverlay(firstSeq = 0, max = OVERLAY_MAX): Overlay {
  const entries = new Map<string, OverlayEntry>();
  let seq = firstSeq;
  let version = 0;
  /** Entries with a number up to this one were handed out. */
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
      put({ kind: 'SUBTREE', path: '', seq });
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

const keyOf = ({ kind, path }: Pick<OverlayEntry, 'kind' | 'path'>): string => `${kind === 'FILE' ? 'f' : 's'}${path}`;

/**
 * A subtree above the file that nobody is working on: its new number says the same, and a new tree of many files stays one
 * entry. For one that was handed out the file gets an entry of its own, so that only the file has to be read again.
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
