import type { Json } from '../json.ts';
import type { Authority, FinishedTask, TrimAnswer, TrimmedTask } from './executor.ts';

/** A worker process, named so that another one can tell whether it still lives. */
export interface ProcessIdentity {
  readonly instance: string;
  readonly pid: number;
  /** Field 22 of /proc/<pid>/stat: pids are reused, start times of a pid are not. */
  readonly startTime: string;
}

/**
 * What makes a file the same file: dev, ino, size and mtime. `ctimeNs` tells in addition that the inode was not
 * touched at all (a rename there and back changes it), so only an equal ctime permits to redo an effect.
 * Integers are decimal strings: inode numbers and nanoseconds exceed 2^53.
 */
export interface FileIdentity {
  readonly dev: string;
  readonly ino: string;
  readonly size: string;
  readonly mtimeNs: string;
  readonly ctimeNs: string;
}

/** A path below a base directory; `segments` has at least one element. */
export interface BasePath {
  readonly base: string;
  readonly segments: readonly string[];
}

export type FileOperation = 'move' | 'copy' | 'delete';
/** How the effect reaches the destination: one rename, link+unlink, or a temporary file that is published. */
export type FileMethod = 'rename' | 'link' | 'copy';

/** Everything that recovery needs, committed before the first effect. */
export interface FileIntent {
  readonly taskId: string;
  readonly manifestSha256: string;
  readonly authority: Authority;
  readonly process: ProcessIdentity;
  readonly operation: FileOperation;
  readonly method: FileMethod;
  readonly source: BasePath;
  /** For a delete: the place in the vault. */
  readonly destination: BasePath;
  readonly sourceIdentity: FileIdentity;
  /** Name of the temporary file beside the destination; method `copy` only. */
  readonly temporary: string | undefined;
  /** Where the source goes after a move across filesystems has published its copy. */
  readonly retired: BasePath | undefined;
  readonly undoOf: string | undefined;
}

/**
 * `intent`: nothing is known to have happened. `sealed`: the temporary file is complete, fsynced and its identity
 * recorded. `published`: it is known to stand under the destination's name (moves across filesystems).
 */
export type AttemptStage = 'intent' | 'sealed' | 'published';

/** A complete temporary file; the hash is there when its bytes were hashed on the way. */
export type SealedFile = FileIdentity & { readonly sha256: string | undefined };

export interface OpenAttempt extends FileIntent {
  /** Counts from 1 per task. */
  readonly n: number;
  readonly stage: AttemptStage;
  /** Identity of the sealed temporary file. */
  readonly sealed: SealedFile | undefined;
}

/** The standing effect of a finished task, for undo. */
export interface FinishedEffect {
  readonly taskId: string;
  readonly manifestSha256: string;
  readonly result: string;
  readonly operation: FileOperation;
  readonly source: BasePath;
  readonly destination: BasePath;
  /** Identity of the file under the destination's name when the effect was recorded, or came to stand again. */
  readonly outcomeIdentity: FileIdentity;
  readonly undoOf: string | undefined;
  /** The task that took this effect back, while it stands. */
  readonly undoneBy: string | undefined;
}

/** A last attempt of which nobody can tell whether its effect happened. */
export interface DoubtfulEnd {
  readonly manifestSha256: string;
  /** The lease of that attempt. */
  readonly jti: string;
  /** The exact signed FAILURE. */
  readonly result: string;
}

export interface JournalView {
  /** Number of attempts so far, trimmed ones included. */
  readonly attempts: number;
  readonly open: OpenAttempt | undefined;
  readonly success: FinishedEffect | undefined;
  readonly doubtful: DoubtfulEnd | undefined;
  /** Its effect happened, and its attempts were trimmed. */
  readonly trimmed: TrimmedTask | undefined;
}

export interface CloseSuccess {
  readonly state: 'success';
  readonly result: string;
  readonly outcomeIdentity: FileIdentity;
}
export interface CloseFailure {
  readonly state: 'failure';
  readonly result: string;
  /** The effect may have happened: see `DoubtfulEnd`. */
  readonly doubtful: boolean;
  /** A copy that a move has left in a vault, under the name there: it is booked as kept. */
  readonly withdrawn?: { readonly place: BasePath; readonly bytes: number } | undefined;
}

export interface Incident {
  readonly taskId: string;
  readonly what: string;
  readonly details: Json;
}

export interface VaultEntry {
  readonly base: string;
  readonly name: string;
  readonly taskId: string;
  /** Where the file was; of a withdrawn copy, where it was to stay. The journal knows bases by id; whoever shows it joins the base's path. */
  readonly original: BasePath;
  readonly bytes: number;
  /** Milliseconds since 1970. */
  readonly since: number;
}

/** A task may have left several files: copies that earlier attempts have withdrawn. */
export type VaultCursor = Pick<VaultEntry, 'taskId' | 'name'>;

/**
 * The host-local journal of file effects: SQLite, one writer thread, group commits. A promise that resolves is
 * durable (fsynced). The SQL constraints refuse a second open attempt and a second success of one task.
 */
export interface FileJournal {
  view(taskId: string): Promise<JournalView>;
  /**
   * Commits an intent as the task's next attempt. `vaultBytes` is reserved against the quota of the vault that the
   * intent moves a file into, in the same transaction.
   * Answers `quota` when the vault is full and `conflict` when an attempt is open or a success exists, trimmed or not.
   */
  open(
    intent: FileIntent,
    vault: { bytes: number; quota: number } | undefined,
    now: number,
  ): Promise<{ kind: 'opened'; n: number } | { kind: 'quota' } | { kind: 'conflict' }>;
  seal(taskId: string, n: number, sealed: SealedFile): Promise<void>;
  publish(taskId: string, n: number): Promise<void>;
  /** Makes this process the owner of an open attempt that a dead one left. */
  adopt(taskId: string, n: number, from: string, to: ProcessIdentity): Promise<boolean>;
  /**
   * Ends an attempt that is still at stage `intent` and had no effect: it leaves no answer, frees a reserved vault place, and the
   * task may be tried again. Its number is used up. Throws WritError WRONG_STATE as `close`.
   */
  withdraw(taskId: string, n: number, now: number): Promise<void>;
  /** Ends the attempt; keeps `undoneBy` of the undone task in step; frees a reserved vault place on failure, and books a withdrawn copy. */
  close(taskId: string, n: number, end: CloseSuccess | CloseFailure, now: number): Promise<void>;
  openAttempts(): Promise<readonly OpenAttempt[]>;
  /** Ordered by task id; `after` is the last task id of the page before. */
  successes(after: string | undefined, limit: number): Promise<readonly FinishedTask[]>;
  reportIncident(incident: Incident, now: number): Promise<void>;
  /** Those whose doubtful end is still the task's last word, newest first: a later attempt under a new lease closes them. */
  openIncidents(limit: number): Promise<readonly (Incident & { at: number })[]>;
  /** Newest first. */
  incidents(limit: number): Promise<readonly (Incident & { at: number })[]>;
  /** Files in vaults, ordered by task id and name; `after` is the last entry of the page before. Reserved places are not listed. */
  vaultEntries(filter: { base?: string; before?: number }, after: VaultCursor | undefined, limit: number): Promise<readonly VaultEntry[]>;
  /** Reserved and kept bytes of every vault that was ever used. */
  vaultUsage(): Promise<readonly { base: string; bytes: number; files: number }[]>;
  /** Forgets an entry whose file has left the vault (undo does it by itself; this is for purge). */
  vaultForget(base: string, name: string): Promise<void>;
  /** Trimmed attempts are in none of them. */
  counts(): Promise<{ open: number; success: number; failure: number; incidents: number }>;
  /**
   * Trims one portion: of tasks whose attempts and leases all ended before `before` (milliseconds since 1970), and of which no
   * vault holds a file, only what once-ness needs stays (docs/protocol.md 5). At most `limit` attempts are looked at, the oldest
   * after the place `after`; 0 is the beginning.
   */
  trim(after: number, before: number, limit: number): Promise<TrimAnswer>;
  /** Tasks of which only a line is left. */
  trimmedTasks(): Promise<number>;
}
