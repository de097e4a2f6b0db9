/** An operator's action, before it gets its place in the chain. */
export interface OperatorAction {
  readonly surface: 'http' | 'board' | 'cli' | 'mcp';
  /** Name of the key, session or operating system user. */
  readonly who: string;
  /** `<noun>.<verb>`: `task.retry`, `task.cancel`, `task.undo`, `vault.purge`, `lease.issue`, `lease.revoke`, `key.create`, `queue.pause`, … */
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

/** A log that need not hold up what is urgent. */
export interface PatientAuditLog extends AuditLog {
  /** Keeps what was done although the log could not be written; its record follows with the next one, and says when it was. Throws WritError STORAGE_UNAVAILABLE. */
  keepForLater(entry: OperatorAction): Promise<void>;
}

/** What a check of the whole log found. */
export interface AuditReport {
  /** Records of the chain, up to the first fault. */
  readonly records: number;
  readonly ok: boolean;
  /** Lines of a version before the chain; the chain starts behind them and covers them with one hash. */
  readonly unchained: number;
  /** Hash of the last good record: what one keeps elsewhere to notice a log that was written anew. */
  readonly head: string;
  /** Files of the log, up to the first fault. */
  readonly files: number;
  /** The first fault: the name of the file, and the line of it, from 1; 0: no line of it. */
  readonly brokenAt?: { readonly file: string; readonly line: number; readonly why: string };
}

/** Reads the log beside its writers. Throws WritError STORAGE_UNAVAILABLE. */
export interface AuditReader {
  /** Checks every line of every file, in constant memory; `after`: only those behind this record, which is known to be good. */
  verify(after?: { readonly n: number; readonly hash: string }): Promise<AuditReport>;
  /** The records in their order; what is none (older lines, damage) is left out: `verify` tells of it. */
  records(): AsyncIterable<OperatorRecord>;
}
