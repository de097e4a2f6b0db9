/** The content-search index as it travels, in plain TypeScript; a test compares every type with its contract. */

export type IndexState = 'ABSENT' | 'BUILDING' | 'COMPLETE' | 'UNCERTAIN' | 'CORRUPT' | 'DISABLED';

export type IndexReason =
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
  | 'DIRTY_BACKLOG'
  | 'BELOW_THRESHOLD'
  | 'PERSISTENCE_NOT_PERMITTED'
  | 'MEMORY_BUDGET_EXCEEDED';

export type IndexVeto = 'NOT_ARMED' | 'OVERFLOW' | 'WATCHER_DOWN' | 'ELIGIBILITY' | 'POLICY' | 'MOUNT' | 'HARD_LINK' | 'BACKLOG' | 'NOT_COMPLETE';

export type IndexTaskKind = 'build' | 'reconcile' | 'update' | 'merge' | 'check' | 'drop';

/** The current task of an index. `total` is null while it is unknown. */
export interface IndexActivity {
  kind: IndexTaskKind;
  phase: 'ENUMERATE' | 'TOKENIZE' | 'PERSIST' | 'ACTIVATE' | 'VALIDATE' | 'CHECK';
  done: number;
  total: number | null;
  started_at: string;
}

export interface IndexTaskEnd {
  kind: IndexTaskKind;
  /** The job that asked for it; null when the host did it on its own. */
  job: string | null;
  ok: boolean;
  detail: string;
  ended_at: string;
  elapsed_ms: number;
}

/** The index of one root. */
export interface IndexStatus {
  root: string;
  key_hash: string | null;
  state: IndexState;
  reason: IndexReason | null;
  host: 'running' | 'stopped';
  veto: IndexVeto | null;
  /** Whether searches may leave files out. */
  serving: boolean;
  guarantee: 'inotify' | 'stat' | 'none';
  storage_mode: 'memory' | 'sqlite' | 'none';
  storage_fallback_reason: string | null;
  files: number | null;
  bytes: number;
  generation: number | null;
  deltas: number | null;
  overlay: { files: number; subtrees: number };
  activity: IndexActivity | null;
  last_build: { elapsed_ms: number; files: number; bytes: number; ended_at: string } | null;
  /** The last end of each kind of task, newest first. */
  ended: IndexTaskEnd[];
}

export interface IndexReport {
  mode: 'off' | 'auto' | 'on';
  indexes: IndexStatus[];
}

/** The receipt of a request. `joined`: the same job was waiting already, and `job` is that one. */
export interface IndexReceipt {
  job: string;
  joined: boolean;
}
