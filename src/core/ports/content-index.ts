import type { INDEX_STATES } from '../../contracts/index.ts';

export type IndexState = (typeof INDEX_STATES)[number];

/** Why coverage is in doubt (local-search-index.md Appendix D); only in UNCERTAIN. */
export type UncertainReason =
  | 'WATCHER_OVERFLOW'
  | 'WATCHER_OVERFLOW_DURING_BUILD'
  | 'WATCHER_DOWN'
  | 'ELIGIBILITY_CHANGED'
  | 'POLICY_CHANGED'
  | 'ENUMERATION_ERROR'
  | 'RENAME_UNCERTAIN'
  | 'OPEN_REQUIRES_VALIDATION'
  | 'BUILD_BUDGET_EXCEEDED'
  | 'MAINT_BUDGET_EXCEEDED'
  | 'DIRTY_BACKLOG';

/** Why there is no index although one was asked for; only in DISABLED. */
export type DisabledReason = 'BELOW_THRESHOLD' | 'PERSISTENCE_NOT_PERMITTED' | 'MEMORY_BUDGET_EXCEEDED';

export type IndexReason = UncertainReason | DisabledReason;

/** Something that made the index UNCERTAIN, and the mark at which it happened last. */
export interface IndexCause {
  readonly reason: UncertainReason;
  readonly mark: number;
}

/** The safety record of one index key (docs/index-safety.md 1). */
export interface IndexSafety {
  readonly state: IndexState;
  readonly reason: IndexReason | null;
  /** By priority, each reason once; empty unless UNCERTAIN. */
  readonly causes: readonly IndexCause[];
  /** Counts the changes of this record. */
  readonly mark: number;
  /** Mark of the build that runs. */
  readonly building: number | null;
  readonly watcherLost: boolean;
  /** Full passes that ended in COMPLETE (`coverage_epoch`). */
  readonly epoch: number;
  /** Milliseconds since 1970. */
  readonly disabledUntilMs: number | null;
}

/** What an index is built for (FR-LSI-IDX-KEY-01), one field per component. Filters of a request are not among them. */
export interface IndexKey {
  /** Canonical absolute path of the index root. */
  readonly rootPath: string;
  readonly hidden: boolean;
  readonly follow: boolean;
  readonly noIgnore: boolean;
  /** `ugrep@3.11.2`. */
  readonly backendId: string;
  /** What the backend can do, as one line. */
  readonly backendCapabilities: string;
  /** Algorithm, parameters and table versions. */
  readonly tokenizerId: string;
  readonly casefoldStrategy: 'ASCII' | 'UNICODE_SIMPLE';
  readonly unicodeNormalization: 'NONE' | 'NFC' | 'NFD';
  readonly schemaVersion: number;
  readonly implementationVersion: string;
}

/** Parameters of the Bloom filter, the same for all files of a key (FR-LSI-CAND-LIT-04). */
export interface BloomParameters {
  readonly ngram: number;
  readonly mBits: number;
  readonly hashes: number;
  /** Unsigned, 64 bits. */
  readonly seed: bigint;
  readonly targetFpRate: number;
  readonly basisNgrams: number;
}

/** What is known of an index beside its state. Times in milliseconds since 1970. */
export interface IndexMeta {
  /** SHA-256 of the key, hexadecimal. */
  readonly keyHash: string;
  readonly key: IndexKey;
  readonly bloom: BloomParameters;
  readonly maxTokenizedBytes: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly accessedAtMs: number;
  /** Bytes on disk of the active generation. */
  readonly sizeBytes: number;
  /** Directory of the active generation; `null` before the first. */
  readonly generation: string | null;
  /** Directories that the last full enumeration could not read. */
  readonly enumerateErrors: number;
}

export type IndexMetaChange = Partial<Pick<IndexMeta, 'sizeBytes' | 'generation' | 'enumerateErrors'>>;

/** Why a build ended before its end, and what it was about: it is not tried again while nothing of this changes. */
export interface BuildStop {
  readonly why: 'DISK' | 'TIME' | 'FILES' | 'BYTES';
  /** Hash of the settings that count. */
  readonly settings: string;
  readonly eligibleFiles: number;
  readonly eligibleBytes: number;
}

/** How far a build came (FR-LSI-BG-41); everything before `lastPath` in enumeration order is in synced segments of `generation`. */
export interface BuildCheckpoint {
  readonly generation: string;
  /** Bytes of the path relative to the root; `null` before the first file. */
  readonly lastPath: Uint8Array | null;
  readonly epoch: number;
  readonly files: number;
  readonly bytes: number;
  readonly savedAtMs: number;
  readonly stop: BuildStop | null;
}

/** Something outside of the catalog that decides which files are eligible: a global ignore file, the deny policy. */
export interface EligibilityInput {
  /** A path, or a name of ours such as `policy`. */
  readonly name: string;
  /** What it was when the index last looked: size and times, or a hash. */
  readonly fingerprint: string;
}

/** A path whose file, or whose whole subtree, may differ from the index. */
export interface DirtyEntry {
  /** Bytes of the path relative to the root; empty for the root. */
  readonly path: Uint8Array;
  /** The path's key of order (Appendix C). */
  readonly orderKey: Uint8Array;
  readonly kind: 'FILE' | 'SUBTREE';
  readonly queuedAtMs: number;
  /** Number of the newest event about it; numbers only grow. */
  readonly seq: number;
}

/** The looking half of the index records. */
export interface IndexRecords {
  /** All indexes, by key hash. */
  list(): readonly IndexMeta[];
  meta(keyHash: string): IndexMeta | undefined;
  safety(keyHash: string): IndexSafety | undefined;
  checkpoint(keyHash: string): BuildCheckpoint | undefined;
  /** By name, in code-point order. */
  inputs(keyHash: string): readonly EligibilityInput[];
  /** Oldest first, then by order key, then by path bytes (FR-LSI-TRK-10). */
  dirty(keyHash: string, limit: number): readonly DirtyEntry[];
  dirtyCount(keyHash: string): number;
}

/** The writing half, inside of one transaction. What names an index that is not there writes nothing. */
export interface IndexRecordChanges extends IndexRecords {
  /** A new index, or a new beginning for this key: checkpoint, inputs and dirty queue of the old one are gone. */
  create(meta: IndexMeta, safety: IndexSafety): void;
  update(keyHash: string, change: IndexMetaChange, nowMs: number): void;
  /** Never goes back. */
  touch(keyHash: string, nowMs: number): void;
  setSafety(keyHash: string, safety: IndexSafety, nowMs: number): void;
  setCheckpoint(keyHash: string, checkpoint: BuildCheckpoint | null): void;
  setInputs(keyHash: string, inputs: readonly EligibilityInput[]): void;
  /** A path that is queued already keeps its first time, takes the higher number, and becomes a SUBTREE if either is. */
  enqueue(keyHash: string, entries: readonly DirtyEntry[]): void;
  /** Removes exactly these paths where the queued number is not above the given one. */
  dequeue(keyHash: string, entries: readonly Pick<DirtyEntry, 'path' | 'seq'>[]): void;
  /** Removes every entry up to this number; all without one. */
  clearDirty(keyHash: string, throughSeq?: number): void;
  remove(keyHash: string): void;
}

/**
 * Why the records did not answer: somebody else held them longer than the limit, they are damaged (or of a newer version),
 * there is no room, or something else of the system.
 */
export type RecordsRefusal = 'LOCKED' | 'DAMAGED' | 'NO_SPACE' | 'UNAVAILABLE';

export type RecordsAnswer<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly refusal: RecordsRefusal; readonly message: string };

/** Records of indexes, for looking only: what every search process may open. */
export interface ContentIndexView {
  /** One consistent look; `work` must not keep the records. Errors that `work` throws pass through. */
  read<T>(work: (records: IndexRecords) => T): RecordsAnswer<T>;
  /** May be called twice. */
  close(): void;
}

/** Records of indexes: metadata, safety, checkpoints, dirty queues. Synchronous: every transaction is short. */
export interface ContentIndexStore extends ContentIndexView {
  /** One transaction: all of it stands, or nothing when `work` throws or the answer is a refusal. */
  write<T>(work: (records: IndexRecordChanges) => T): RecordsAnswer<T>;
}
