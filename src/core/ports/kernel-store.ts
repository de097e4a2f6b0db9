import type { Json } from '../json.ts';

/** A lease about to be handed out. */
export interface IssueEntry {
  readonly taskId: string;
  readonly manifestSha256: string;
  readonly capabilityId: string;
  readonly jti: string;
  /** Set for a manifest that needs a person's confirmation. */
  readonly confirmedBy: string | undefined;
  /** Canonical text, kept so that the task can be undone when its job is long gone. */
  readonly manifest?: string;
  /** Written to the audit log beside the lease. */
  readonly audit: AuditEntry | undefined;
}

export type AuditAction = 'confirm' | 'regrant' | 'undo' | 'revoke';

export interface AuditEntry {
  readonly action: AuditAction;
  readonly taskId: string | undefined;
  readonly jti: string;
  /** Who asked; undefined when nobody said. */
  readonly by: string | undefined;
  readonly details: Json;
}

/** What the issue log knows about a task id. */
export interface IssuedTask {
  readonly manifestSha256: string;
  /** The newest lease for it. */
  readonly jti: string;
  readonly confirmedBy: string | undefined;
}

export interface StoredRevocation {
  readonly n: number;
  readonly jti: string;
  /** Seconds since 1970. */
  readonly exp: number;
  readonly at: number;
  /** The signed entry. */
  readonly token: string;
}

/** The kernel's own records. Calls are synchronous and durable (fsynced) when they return; one process holds the store. */
export interface KernelStore {
  issued(taskId: string): IssuedTask | undefined;
  /** Canonical text of the manifest that was leased under the id. */
  manifest(taskId: string): string | undefined;
  /** One transaction; `conflict` where the task id belongs to another manifest, and then nothing is written for that entry. */
  issue(entries: readonly IssueEntry[], now: number): readonly ('recorded' | 'conflict')[];
  /** Number of the newest revocation, 0 when there is none. */
  lastRevocation(): number;
  revocation(jti: string): StoredRevocation | undefined;
  /** The next entries of the log, without gaps. */
  revoke(entries: readonly StoredRevocation[], audit: AuditEntry | undefined, now: number): void;
  revocationsFrom(n: number, limit: number): readonly StoredRevocation[];
  /** The audit log from a row on, oldest first. */
  audit(afterId: number, limit: number): readonly (AuditEntry & { readonly id: number; readonly at: number })[];
  close(): void;
}
