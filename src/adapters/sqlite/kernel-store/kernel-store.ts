import { join } from 'node:path';
import type { ApprovalStore, IssueEntry, KernelStore, ScheduleStore, StoredRevocation } from '../../../core/ports/index.ts';
import { makeDirectory } from '../../files/make-directory.ts';
import type { SqliteDatabase } from '../open.ts';
import { openPrepared } from '../open-migrated.ts';
import { approvalStore } from './approval-store.ts';
import { auditStatements } from './kernel-store-audit.ts';
import { holdKernelLock } from './kernel-store-lock.ts';
import { scheduleStore } from './schedule-store.ts';

const MIGRATIONS = new URL('../sql/kernel/', import.meta.url);

interface IssueRow {
  manifest_sha256: string;
  jti: string;
  confirmed_by: string | null;
}

/**
 * Opens the kernel's records in `directory` (created 0700): `kernel.db`, and `kernel.lock`, which is held until `close`.
 *
 * @throws WritError POOL_OWNED when another process holds them, STORAGE_UNAVAILABLE when they cannot be opened
 */
export function openKernelStore(directory: string): KernelStore & { readonly schedules: ScheduleStore; readonly approvals: ApprovalStore } {
  makeDirectory(directory);
  const release = holdKernelLock(join(directory, 'kernel.lock'));
  try {
    const stores = (db: SqliteDatabase): ReturnType<typeof openKernelStore> => ({
      ...kernelStore(db, release),
      schedules: scheduleStore(db),
      approvals: approvalStore(db),
    });
    return openPrepared(join(directory, 'kernel.db'), MIGRATIONS, stores, { name: 'the records of the kernel' });
  } catch (error) {
    release();
    throw error;
  }
}

function kernelStore(db: SqliteDatabase, release: () => void): KernelStore {
  const audit = auditStatements(db);
  const selectIssue = db.prepare<[string], IssueRow>('SELECT manifest_sha256, jti, confirmed_by FROM issue WHERE task_id = ?');
  const insertIssue = db.prepare<Record<string, string | number | null>>(
    `INSERT INTO issue (task_id, manifest_sha256, capability_id, jti, leases, confirmed_by, first_at, last_at)
     VALUES (@taskId, @manifestSha256, @capabilityId, @jti, 1, @confirmedBy, @now, @now)
     ON CONFLICT (task_id) DO UPDATE SET jti = @jti, leases = leases + 1, confirmed_by = coalesce(confirmed_by, @confirmedBy), last_at = @now
     WHERE manifest_sha256 = @manifestSha256`,
  );
  const keepManifest = db.prepare<[string, string]>('INSERT OR IGNORE INTO manifest (task_id, text) VALUES (?, ?)');
  const manifestOf = db.prepare<[string], { text: string }>('SELECT text FROM manifest WHERE task_id = ?');
  const last = db.prepare<[], { n: number }>('SELECT coalesce(max(n), 0) AS n FROM revocation');
  const byJti = db.prepare<[string], StoredRevocation>('SELECT n, jti, exp, at, token FROM revocation WHERE jti = ?');
  const fromN = db.prepare<[number, number], StoredRevocation>('SELECT n, jti, exp, at, token FROM revocation WHERE n >= ? ORDER BY n LIMIT ?');
  const insertRevocation = db.prepare<StoredRevocation>('INSERT INTO revocation (n, jti, exp, at, token) VALUES (@n, @jti, @exp, @at, @token)');

  function issueOne({ audit: row, confirmedBy, taskId, manifestSha256, capabilityId, jti, manifest }: IssueEntry, now: number): 'recorded' | 'conflict' {
    const { changes } = insertIssue.run({ taskId, manifestSha256, capabilityId, jti, confirmedBy: confirmedBy ?? null, now });
    if (changes === 0) return 'conflict';
    if (manifest !== undefined) keepManifest.run(taskId, manifest);
    if (row !== undefined) audit.insert(row, now);
    return 'recorded';
  }

  return {
    issued(taskId) {
      const row = selectIssue.get(taskId);
      return row && { manifestSha256: row.manifest_sha256, jti: row.jti, confirmedBy: row.confirmed_by ?? undefined };
    },
    manifest: (taskId) => manifestOf.get(taskId)?.text,
    issue: (entries, now) => db.transaction(() => entries.map((entry) => issueOne(entry, now))).immediate(),
    lastRevocation: () => last.get()?.n ?? 0,
    revocation: (jti) => byJti.get(jti),
    revoke: db.transaction((entries: readonly StoredRevocation[], row, now) => {
      for (const entry of entries) insertRevocation.run(entry);
      if (row !== undefined) audit.insert(row, now);
    }) satisfies KernelStore['revoke'],
    revocationsFrom: (n, limit) => fromN.all(n, limit),
    audit: audit.list,
    close() {
      db.close();
      release();
    },
  };
}
