/** An operator's action, before it gets its place in the chain. */
export interface OperatorAction {
  readonly surface: 'http' | 'board' | 'cli';
  /** Name of the key, session or operating system user. */
  readonly who: string;
  /** `<noun>.<verb>`: `task.retry`, `task.cancel`, `task.undo`, `vault.purge`, `lease.issue`, `lease.revoke`, `key.create`, … */
  readonly action: string;
  /** What it was done to: a task id, a key id, a filter as JSON. */
  readonly subject: string;
  readonly outcome: 'asked' | 'done' | 'refused';
  /** Further facts, short. Never a secret. */
  readonly detail?: Readonly<Record<string, string | number | boolean>>;
}

/** An entry as it stands in the log. `hash` = SHA-256 over the canonical JSON of all other fields, `prev` the hash before it. */
export interface OperatorRecord extends OperatorAction {
  readonly v: 1;
  /** Counts from 1 without gaps. */
  readonly n: number;
  /** RFC 3339, milliseconds. */
  readonly at: string;
  readonly prev: string;
  readonly hash: string;
}

/** Append-only, hash-chained, shared by all processes of a data directory. */
export interface AuditLog {
  /** Durable when it resolves. Throws WritError STORAGE_UNAVAILABLE; then the action must not be done. */
  append(entry: OperatorAction): Promise<OperatorRecord>;
}
