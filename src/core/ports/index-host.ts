import type { IndexReason, IndexState } from './content-index.ts';

/**
 * A path relative to the index root, one character for each byte that the file system has (latin1): so it is the key of a map
 * and travels as JSON whatever its bytes are. `''` is the root itself; no `/` at either end.
 */
export type BytePath = string;

/** The segments that an index consists of at one moment: the base of a generation, and the deltas after it, oldest first. */
export interface SnapshotId {
  readonly generation: number;
  readonly deltas: readonly number[];
}

/** What may differ from the snapshot: single files, and directories with everything beneath them. */
export interface OverlayPaths {
  readonly files: readonly BytePath[];
  readonly subtrees: readonly BytePath[];
}

/** A path of the overlay and the number of the last event about it. */
export interface OverlayEntry {
  readonly path: BytePath;
  readonly kind: 'FILE' | 'SUBTREE';
  readonly seq: number;
}

/** Why the index host allows no exclusion at this moment; raised by itself at once, taken back only by the writer. */
export type HostVeto = 'NOT_ARMED' | 'OVERFLOW' | 'WATCHER_DOWN' | 'ELIGIBILITY' | 'POLICY' | 'MOUNT' | 'HARD_LINK' | 'BACKLOG' | 'NOT_COMPLETE';

/** Who a process is, as far as that decides what it can read (search-rules 27). */
export interface ReaderIdentity {
  readonly uid: number;
  readonly gid: number;
  /** Supplementary groups, ascending. */
  readonly groups: readonly number[];
  /** Whether it reads files in spite of their permissions; null: that cannot be told. */
  readonly readsAll: boolean | null;
  /** In which the ids above hold: inode of /proc/self/ns/user; empty: that cannot be told. */
  readonly userNamespace: string;
  /** Inode of /proc/self/ns/mnt; empty: that cannot be told. */
  readonly mountNamespace: string;
  /** What a process of another mount namespace must see at the index root to see the same tree; empty: none does. */
  readonly view: string;
  /** `policyOf` of the indexed tree: what is denied and ignored. */
  readonly policy: string;
}

/** How fresh an index is known to be: by events, by looking at each file, or not at all. */
export type FreshnessGuarantee = 'inotify' | 'stat' | 'none';

/** What the index host knows at the moment in which it is asked. */
export interface BarrierAnswer {
  readonly veto: HostVeto | null;
  readonly state: IndexState;
  readonly reason: IndexReason | null;
  readonly guarantee: FreshnessGuarantee;
  /** The segments to read; null when there are none. */
  readonly snapshot: SnapshotId | null;
  /** Everything that has changed since that snapshot, as far as it is not in it. */
  readonly overlay: OverlayPaths;
  readonly identity: ReaderIdentity;
}

/** What the writer makes known to searches, in one step. */
export interface Published {
  readonly state: IndexState;
  readonly reason: IndexReason | null;
  /** What keeps it fresh from here on; answered as it is. */
  readonly guarantee: FreshnessGuarantee;
  readonly snapshot: SnapshotId | null;
  /** Entries that the snapshot covers: gone from the overlay unless a newer event came. */
  readonly covered: readonly OverlayEntry[];
  /** Every entry up to this number is covered too (a pass over the whole tree began then). */
  readonly coveredThrough: number;
  /** Vetoes that this makes void, if they were raised no later than the number says. */
  readonly lifts: { readonly through: number } | null;
}

/** A search's way to the index host. */
export interface BarrierClient {
  /**
   * What the host knows now: whatever was over when this was called is in the answer. `undefined`: no host, or too slow.
   *
   * @param worthMs what the search would lose without an answer, milliseconds; 20 are waited anyway. A host that owes an older answer for longer is not asked
   */
  barrier(worthMs?: number): Promise<BarrierAnswer | undefined>;
  /** Tells the host that a segment is damaged; nobody waits for that. */
  reportCorrupt(message: string): void;
  /** The latest status text of the host; `undefined` as above. */
  status(): Promise<string | undefined>;
  close(): void;
}
