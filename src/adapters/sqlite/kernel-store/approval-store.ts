import type { ApproverRole } from '../../../contracts/index.ts';
import type { JsonObject } from '../../../core/json.ts';
import type { ApprovalDecision, ApprovalStore, StoredApproval } from '../../../core/ports/index.ts';
import type { SqliteDatabase } from '../open.ts';

interface ApprovalRow {
  task_id: string;
  plan_sha256: string;
  path: string;
  manifest_sha256: string;
  role: ApproverRole;
  question: string;
  asked_at: number;
  until: number;
  state: ApprovalDecision['state'] | 'open';
  decided_at: number | null;
  decided_by: string | null;
  note: string | null;
  data: string | null;
}

/** Approvals in the kernel's database. */
export function approvalStore(db: SqliteDatabase): ApprovalStore {
  const one = db.prepare<[string], ApprovalRow>('SELECT * FROM approval WHERE task_id = ?');
  const insert = db.prepare<Omit<StoredApproval, 'decision'>>(
    `INSERT INTO approval (task_id, plan_sha256, path, manifest_sha256, role, question, asked_at, until, state)
     VALUES (@taskId, @planSha256, @path, @manifestSha256, @role, @question, @askedAt, @until, 'open') ON CONFLICT (task_id) DO NOTHING`,
  );
  const update = db.prepare<Pick<ApprovalRow, 'task_id' | 'state' | 'decided_at' | 'decided_by' | 'note' | 'data'>>(
    `UPDATE approval SET state = @state, decided_at = @decided_at, decided_by = @decided_by, note = @note, data = @data
     WHERE task_id = @task_id AND state = 'open'`,
  );
  const open = db.prepare<[number, number], ApprovalRow>(`SELECT * FROM approval WHERE state = 'open' AND until > ? ORDER BY until, task_id LIMIT ?`);
  const ofPlan = db.prepare<[string, number], ApprovalRow>('SELECT * FROM approval WHERE plan_sha256 = ? ORDER BY asked_at, task_id LIMIT ?');
  const approval = (taskId: string): StoredApproval | undefined => {
    const row = one.get(taskId);
    return row && approvalOf(row);
  };

  return {
    approval,
    ask: db.transaction((asked: Omit<StoredApproval, 'decision'>) => {
      insert.run(asked);
      return approval(asked.taskId) ?? { ...asked, decision: undefined };
    }) satisfies ApprovalStore['ask'],
    decide: db.transaction((taskId: string, { state, at, by, note, data }: ApprovalDecision) => {
      const text = data === undefined ? null : JSON.stringify(data);
      update.run({ task_id: taskId, state, decided_at: at, decided_by: by ?? null, note: note ?? null, data: text });
      return approval(taskId);
    }) satisfies ApprovalStore['decide'],
    open: (now, limit) => open.all(now, limit).map(approvalOf),
    ofPlan: (planSha256, limit) => ofPlan.all(planSha256, limit).map(approvalOf),
  };
}

function approvalOf(row: ApprovalRow): StoredApproval {
  return {
    taskId: row.task_id,
    planSha256: row.plan_sha256,
    path: row.path,
    manifestSha256: row.manifest_sha256,
    role: row.role,
    question: row.question,
    askedAt: row.asked_at,
    until: row.until,
    decision: decisionOf(row),
  };
}

function decisionOf({ state, decided_at: at, decided_by: by, note, data }: ApprovalRow): ApprovalDecision | undefined {
  if (state === 'open' || at === null) return undefined;
  // An object was written.
  return { state, at, by: by ?? undefined, note: note ?? undefined, data: data === null ? undefined : (JSON.parse(data) as JsonObject) };
}
