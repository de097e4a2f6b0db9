import type { IndexTaskKind } from '../../../contracts/index.ts';
import type {
  BuildProgress,
  ContentIndexStore,
  FreshnessGuarantee,
  HostVeto,
  IndexBuilder,
  IndexFiles,
  IndexHostEvent,
  IndexMeta,
  IndexSafety,
  IndexWatch,
  MaintenanceLane,
  SnapshotId,
} from '../../../core/ports/index.ts';
import type { IndexSpec } from '../safety/key.ts';

export interface HostSettings {
  /** `index_mode` but for `off`, which has no host. */
  readonly mode: 'auto' | 'on';
  readonly autoThresholdFiles: number;
  readonly autoThresholdBytes: number;
  /** Searches after which a tree that was too small is measured again. */
  readonly autoReevalCalls: number;
  /** `index_watch`. */
  readonly watch: boolean;
  readonly retryOnFailure: boolean;
  readonly checkpointOnShutdown: boolean;
  readonly integrityCheck: 'off' | 'on_open' | 'periodic';
  /** With `periodic`: searches between two checks. */
  readonly integrityPeriodCalls: number;
  /** Without a search for so long, builds run at full speed; 0: always. */
  readonly idleBoostMs: number;
}

/** What one index may take of the cache root, which all share (FR-LSI-IDX-RM-01). */
export interface IndexQuota {
  /** Lets others go until everything fits, this index as it is now included; false if that is not enough: then nothing went. */
  makeRoom(): boolean;
  /** Whether this index itself is what has to go, because the limits are others now. */
  isOverLimit(): boolean;
}

export interface HostPauses {
  /** Before a thing that failed for the first time is tried again; twice as long after each further time. */
  readonly firstMs: number;
  readonly mostMs: number;
  /** An index in memory that was too large is not tried sooner. */
  readonly memoryMs: number;
}

export interface HostDeps {
  readonly keyHash: string;
  /** `policyOf` the tree: what the index holds was let in by these rules. */
  readonly policy: string;
  /** Hash of the limits of builds. */
  readonly limitsHash: string;
  readonly quota: IndexQuota;
  readonly pauses: HostPauses;
  /** What the index must be to serve. */
  readonly spec: IndexSpec;
  /** What the file system of the root allows. */
  readonly freshness: FreshnessGuarantee;
  readonly settings: HostSettings;
  readonly store: ContentIndexStore;
  readonly storage: { readonly mode: 'memory' | 'sqlite' | 'none'; readonly fallback: string | null };
  readonly files: IndexFiles;
  readonly watch: IndexWatch;
  readonly builder: IndexBuilder;
  readonly lane: Pick<MaintenanceLane, 'submit'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** At least 0, below 1; pauses are cut by it. */
  readonly random: () => number;
  readonly report: (event: IndexHostEvent) => void;
}

/** What a host knows beside its records. */
export interface HostMemory {
  safety: IndexSafety;
  snapshot: SnapshotId | null;
  guarantee: FreshnessGuarantee;
  /** Why the watcher is not to be relied on until it is armed anew; `null` when it is. */
  unarmed: string | null;
  /** The records cannot be written: nothing may be left out until they can. */
  recordsLost: boolean;
  /** The last one that was raised and not yet lifted. */
  veto: { readonly veto: HostVeto; readonly seq: number } | null;
  pending: number;
  meta: IndexMeta | undefined;
  /** By which rules the index that is there was read; `null`: nobody knows. */
  policy: string | null;
  /** Counts how often the index was given up: what began before that is not adopted. */
  resets: number;
  /** Ends the job that runs. */
  job: AbortController | null;
  activity: { readonly kind: IndexTaskKind; readonly startedAtMs: number; readonly progress: BuildProgress | null } | null;
}
