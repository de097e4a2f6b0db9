import type { LeasePayload, TaskJob, TaskManifest } from '../../contracts/index.ts';
import type { ErrorCode } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import type { Enqueue } from './enqueue.ts';
import type { FileJournal, VaultEntry } from './journal.ts';
import type { RevokeAnswer } from './kernel.ts';
import type { Ledger, TaskSignals } from './ledger.ts';
import type { PlanTerms } from './plan-gateway.ts';
import type { GrantedPlanLease } from './plans.ts';

/**
 * What the composition root hands to every surface (command line, HTTP): the same services, so that a task gets the
 * same answer wherever it is asked for.
 */

/** Tasks: the queues, the ledger and, on the host of the pool, the journal. */
export interface TaskGateway {
  readonly enqueue: Enqueue;
  readonly ledger: Pick<Ledger, 'row' | 'refusal' | 'cancel'>;
  readonly signals: Pick<TaskSignals, 'onRecorded'>;
  /** `undefined` where no journal lies: on another host, or before the first file task. */
  readonly journal: Pick<FileJournal, 'view'> | undefined;
}

export interface LeaseTerms {
  /** Life of the lease, seconds; the kernel's default unless given. */
  readonly ttlS?: number;
  /** Who confirmed a manifest with `hrc_required`. */
  readonly confirmedBy?: string;
}

/** The kernel's answer to one wish of many. */
export type Grant =
  | { readonly kind: 'granted'; readonly lease: string }
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly message: string; readonly field?: string };

/** The kernel as a surface needs it; the audit says for whom it asks. Throws WritError KERNEL_UNAVAILABLE and the kernel's refusals. */
export interface KernelClient {
  /** Grants in the order of the manifests; how many are asked for at once is not the caller's concern. */
  issue(manifests: readonly TaskManifest[], terms: LeaseTerms): Promise<readonly Grant[]>;
  /** A lease for a linked envelope. */
  issuePlan(envelope: JsonObject, terms: PlanTerms): Promise<GrantedPlanLease>;
  /** A new lease for the manifest of a failed task; `failure` is its signed result. */
  regrant(manifest: TaskManifest, failure: string, terms: LeaseTerms): Promise<string>;
  /** The task that takes back a standing effect; `success` is the signed result of the task that is undone. */
  undo(undone: { readonly manifest: TaskManifest; readonly success: string; readonly earlierUndos: number }): Promise<TaskJob>;
  /** A lease, or the jti of one with a bound for its expiry (seconds). */
  revoke(lease: string | { readonly jti: string; readonly exp: number }): Promise<RevokeAnswer>;
  /** The manifest that was leased under the id. */
  leasedManifest(taskId: string): Promise<TaskManifest | undefined>;
  ping(): Promise<void>;
}

/** What a lease says and whether it holds; nothing in it is believed before `ok`. */
export type LeaseReading = { readonly ok: true; readonly payload: LeasePayload; readonly kid: string } | { readonly ok: false; readonly message: string };

/** Judges what was signed, with public keys only. */
export interface SignatureReader {
  /** Payload without any check; `undefined` when it is no lease at all. */
  peek(lease: string): LeasePayload | undefined;
  /**
   * Signature, key, issuer and, with a manifest, that the lease was issued for it and for the queue (the capability's own
   * unless given). Expiry is the caller's to look at.
   */
  readLease(lease: string, manifest: TaskManifest | undefined, queue?: string): Promise<LeaseReading>;
  /** The number under which the lease was revoked. */
  revocationOf(jti: string): Promise<number | undefined>;
  verifyResult(result: string, about: { readonly taskId: string; readonly capabilityId: string; readonly manifestSha256: string }): Promise<boolean>;
}

export interface QueueStatus {
  readonly queue: string;
  readonly waiting: number;
  readonly active: number;
  readonly delayed: number;
  readonly completed: number;
  readonly failed: number;
  readonly paused: boolean;
  /** Milliseconds that the oldest waiting job has waited; `undefined` when none waits. */
  readonly oldestWaitingMs: number | undefined;
  /** BullMQ workers that are connected. */
  readonly workers: number;
  /** Error codes of the newest failed jobs. */
  readonly failures: Readonly<Record<string, number>>;
  readonly failuresSampled: number;
}

/** What is known about a queue without looking at its jobs. */
export type QueueFigures = Omit<QueueStatus, 'failures' | 'failuresSampled'>;

/** `SystemStatus` without what is dear to read; for every scrape of the metrics. */
export interface SystemFigures extends Omit<SystemStatus, 'queues'> {
  readonly queues: readonly QueueFigures[];
}

export interface SystemStatus {
  readonly queues: readonly QueueStatus[];
  /** Worker processes of this data directory, by heartbeat. */
  readonly workers: readonly { readonly instance: string; readonly alive: boolean }[];
  readonly ledger: { readonly markers: number; readonly expected: number; readonly generation: string | undefined };
  readonly redis: {
    readonly version: string;
    readonly policy: string;
    readonly appendOnly: boolean;
    /** The last write of the append-only file went well (or there is none). */
    readonly appendOnlyOk: boolean;
    readonly usedBytes: number;
    /** 0: no limit. */
    readonly limitBytes: number;
  };
  /** The imports of messages that went on last, the newest first; none where there are no messages. */
  readonly imports?: readonly ImportProgress[];
}

/** How far an import of messages is stored. */
export interface ImportProgress {
  readonly name: string;
  readonly items: number;
  readonly bad: number;
  readonly finished: boolean;
  /** Milliseconds since 1970. */
  readonly updatedAt: number;
}

/** Deleted files. Removing one is final; callers have asked a person. */
export interface Vault {
  entries(filter: { base?: string; before?: number }, after: string | undefined, limit: number): Promise<readonly VaultEntry[]>;
  usage(): Promise<readonly { readonly base: string; readonly bytes: number; readonly files: number }[]>;
  /** Writes the audit line, then removes the file, then the entry, so that nothing leaves without a trace. */
  purge(entries: readonly VaultEntry[], by: { readonly olderThanS: number; readonly now: number }): Promise<readonly PurgeAnswer[]>;
}

/** `in-use`: an unfinished task wants the file back. `gone`: the file had left the vault already. */
export interface PurgeAnswer {
  readonly entry: VaultEntry;
  readonly what: 'purged' | 'in-use' | 'gone' | 'failed';
  readonly why?: string;
}

/** One finding of `writ doctor`. */
export interface Check {
  readonly area: string;
  readonly title: string;
  readonly level: 'ok' | 'warn' | 'fail';
  readonly found: string;
  /** What to do; always there unless `ok`. */
  readonly todo?: string;
}

export interface Setting {
  readonly key: string;
  readonly value: string;
  readonly source: string;
}

/** A key that was made; the private part stays in its file. */
export interface MadeKey {
  readonly kid: string;
  readonly role: string;
  readonly privateFile: string;
  readonly publicFile: string;
}
