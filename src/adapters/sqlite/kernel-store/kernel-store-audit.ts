import type { Json } from '../../../core/json.ts';
import type { AuditAction, AuditEntry } from '../../../core/ports/index.ts';
import type { SqliteDatabase } from '../open.ts';

interface AuditRow {
  id: number;
  at: number;
  action: AuditAction;
  task_id: string | null;
  jti: string;
  by: string | null;
  details: string;
}

type ListedAudit = AuditEntry & { readonly id: number; readonly at: number };

/** The kernel's audit log: who confirmed, renewed, took back and revoked what. Append-only by triggers. */
export function auditStatements(db: SqliteDatabase): { insert(entry: AuditEntry, now: number): void; list(afterId: number, limit: number): ListedAudit[] } {
  const insert = db.prepare<Record<string, string | number | null>>(
    'INSERT INTO audit (at, action, task_id, jti, by, details) VALUES (@at, @action, @taskId, @jti, @by, @details)',
  );
  const list = db.prepare<[number, number], AuditRow>('SELECT id, at, action, task_id, jti, by, details FROM audit WHERE id > ? ORDER BY id LIMIT ?');
  return {
    insert({ action, taskId, jti, by, details }, now) {
      insert.run({ at: now, action, taskId: taskId ?? null, jti, by: by ?? null, details: JSON.stringify(details) });
    },
    list: (afterId, limit) =>
      list.all(afterId, limit).map(({ task_id, by, details, ...row }) => ({
        ...row,
        taskId: task_id ?? undefined,
        by: by ?? undefined,
        details: JSON.parse(details) as Json,
      })),
  };
}
