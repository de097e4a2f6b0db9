import { WritError } from '../../../core/errors.ts';
import type { IdlePlan, PlanEnd, PlanEntry, PlanGeneration, PlanRecord, StoredPlan, TrimmedPlan, WishedPlan } from '../../../core/ports/index.ts';
import type { SqliteDatabase } from '../open.ts';
import { planTrimming } from './plan-trim.ts';
import { planWishes } from './plan-wishes.ts';

interface PlanRow {
  readonly plan_sha256: string;
  readonly lease: string;
  readonly state: 'running' | 'success' | 'failure';
  readonly ended_by: string | null;
  readonly code: string | null;
  readonly message: string | null;
  readonly result: string | null;
  readonly losses: number;
  readonly generation: number;
  readonly entries: number;
  readonly voided: number;
}

interface EntryRow {
  readonly path: string;
  readonly generation: number;
  readonly task_id: string;
  readonly executor_result: string;
  readonly capability_id: string | null;
  readonly voided: number;
  readonly at: number | null;
}

/** The operations of the plan journal on an open database; each blocks its thread and needs a transaction around it. */
export function planStatements(db: SqliteDatabase) {
  const insert = db.prepare<[string, string, number, number]>(
    "INSERT INTO plan (plan_sha256, lease, state, changed_at, generation) VALUES (?, ?, 'running', ?, ?)",
  );
  const keepEnvelope = db.prepare<[string, string]>('INSERT INTO envelope (plan_sha256, text) VALUES (?, ?)');
  const envelopeOf = db.prepare<[string], { text: string }>('SELECT text FROM envelope WHERE plan_sha256 = ?');
  const renew = db.prepare<[string, string]>("UPDATE plan SET lease = ? WHERE plan_sha256 = ? AND state = 'running'");
  const select = db.prepare<[string], PlanRow>(
    `SELECT plan.*, (SELECT count(*) FROM entry WHERE entry.plan_sha256 = plan.plan_sha256) AS entries,
     (SELECT count(*) FROM entry WHERE entry.plan_sha256 = plan.plan_sha256 AND voided = 1) AS voided FROM plan WHERE plan_sha256 = ?`,
  );
  const generation = db.prepare<[string], { generation: number }>('SELECT generation FROM plan WHERE plan_sha256 = ?');
  const entries = db.prepare<[string], EntryRow>(
    'SELECT path, generation, task_id, executor_result, capability_id, voided, at FROM entry WHERE plan_sha256 = ? ORDER BY seq',
  );
  const addEntry = db.prepare<Record<string, string | number | null>>(
    `INSERT INTO entry (plan_sha256, path, generation, seq, task_id, executor_result, capability_id, since, at)
     SELECT @planSha256, @path, @generation, coalesce(max(seq), 0) + 1, @taskId, @executorResult, @capabilityId,
       (SELECT changed_at FROM plan WHERE plan_sha256 = @planSha256), @now FROM entry WHERE plan_sha256 = @planSha256
     ON CONFLICT DO NOTHING`,
  );
  const entryAt = db.prepare<[string, string, number], EntryRow>(
    `SELECT path, generation, task_id, executor_result, capability_id, voided, at FROM entry
     WHERE plan_sha256 = ? AND path = ? AND generation = ? AND voided = 0`,
  );
  const touch = db.prepare<[number, string]>("UPDATE plan SET losses = 0, changed_at = ? WHERE plan_sha256 = ? AND state = 'running'");
  const finish = db.prepare<Record<string, string | number | null>>(
    `UPDATE plan SET state = @state, ended_by = @endedBy, code = @code, message = @message, result = @result, changed_at = @now
     WHERE plan_sha256 = @planSha256 AND generation = @generation AND state = 'running'`,
  );
  const voidEntry = db.prepare<[string, string]>('UPDATE entry SET voided = 1 WHERE plan_sha256 = ? AND path = ? AND voided = 0');
  const reopen = db.prepare<[string, number, string]>(
    `UPDATE plan SET state = 'running', lease = ?, ended_by = NULL, code = NULL, message = NULL, result = NULL, losses = 0, changed_at = ?,
     generation = generation + 1 WHERE plan_sha256 = ? AND state = 'failure'`,
  );
  const lost = db.prepare<[string], { losses: number }>("UPDATE plan SET losses = losses + 1 WHERE plan_sha256 = ? AND state = 'running' RETURNING losses");
  const idle = db.prepare<[number, number, string, number], { plan_sha256: string; changed_at: number }>(
    `SELECT plan_sha256, changed_at FROM plan WHERE state = 'running' AND changed_at <= ? AND (changed_at, plan_sha256) > (?, ?)
     ORDER BY changed_at, plan_sha256 LIMIT ?`,
  );
  const { trim, trimmed, firstGeneration } = planTrimming(db);
  const wishes = planWishes(db);

  function record(planSha256: string): PlanRecord | undefined {
    const row = select.get(planSha256);
    if (row === undefined) return undefined;
    return {
      planSha256,
      lease: row.lease,
      end: endOf(row),
      losses: row.losses,
      generation: row.generation,
      entries: row.entries,
      voided: row.voided,
    };
  }

  function known(planSha256: string): PlanRecord {
    const found = record(planSha256);
    if (found === undefined) throw new WritError('INTERNAL', `the plan journal has no plan ${planSha256}`);
    return found;
  }

  function runOn(planSha256: string, { endedBy }: PlanEnd, lease: string, now: number): void {
    reopen.run(lease, now, planSha256);
    if (endedBy !== undefined) voidEntry.run(planSha256, endedBy);
  }

  return {
    begin(plan: WishedPlan, now: number): PlanRecord | TrimmedPlan {
      const { planSha256, envelope, lease, wish, keepsLease = false } = plan;
      const line = trimmed(planSha256);
      if (line !== undefined) return line;
      const found = record(planSha256);
      if (found?.end?.status === 'SUCCESS') return found;
      if (found === undefined) {
        insert.run(planSha256, lease, now, firstGeneration(planSha256));
        keepEnvelope.run(planSha256, envelope);
      }
      const isNew = wishes.keep(planSha256, wish);
      if (found?.end === undefined) {
        if (keepsLease || found?.lease === lease) return found ?? known(planSha256);
        renew.run(lease, planSha256);
      } else if (!isNew || wishes.unmark(planSha256)) return found;
      else runOn(planSha256, found.end, lease, now);
      return known(planSha256);
    },
    served: wishes.served,
    note(planSha256: string, wish: string): boolean {
      const runs = trimmed(planSha256) === undefined && select.get(planSha256)?.state === 'running';
      if (runs) wishes.keep(planSha256, wish);
      return runs;
    },
    record(planSha256: string): StoredPlan | undefined {
      const found = record(planSha256);
      return found && { ...found, envelope: envelopeOf.get(planSha256)?.text ?? '' };
    },
    generation: (planSha256: string): number | undefined => generation.get(planSha256)?.generation,
    entries: (planSha256: string): readonly PlanEntry[] => entries.all(planSha256).map(entryOf),
    append(planSha256: string, { capabilityId, ...entry }: Omit<PlanEntry, 'voided' | 'at'>, now: number): PlanEntry | undefined {
      if (generation.get(planSha256) === undefined && firstGeneration(planSha256) > 0) return undefined;
      // The plan's last change, before this one, is when the step's turn began: its begin, a retry, or the answer before.
      addEntry.run({ planSha256, ...entry, capabilityId: capabilityId ?? null, now });
      touch.run(now, planSha256);
      const kept = entryAt.get(planSha256, entry.path, entry.generation);
      return kept && entryOf(kept);
    },
    end({ planSha256, generation }: PlanGeneration, { status, endedBy, code, message, result }: PlanEnd, now: number): PlanEnd | undefined {
      const state = status === 'SUCCESS' ? 'success' : 'failure';
      const { changes } = finish.run({ planSha256, generation, state, endedBy: endedBy ?? null, code: code ?? null, message, result, now });
      return changes === 1 ? { status, code, message, endedBy, result } : record(planSha256)?.end;
    },
    lose: (planSha256: string): number => lost.get(planSha256)?.losses ?? 0,
    running: (unchangedSince: number, limit: number, after?: IdlePlan): readonly IdlePlan[] =>
      idle
        .all(unchangedSince, after?.changedAt ?? Number.MIN_SAFE_INTEGER, after?.planSha256 ?? '', limit)
        .map(({ plan_sha256, changed_at }) => ({ planSha256: plan_sha256, changedAt: changed_at })),
    trimmed,
    trim,
  };
}

export type PlanStatements = ReturnType<typeof planStatements>;

function endOf({ state, code, message, ended_by, result }: PlanRow): PlanEnd | undefined {
  if (state === 'running' || result === null) return undefined;
  return { status: state === 'success' ? 'SUCCESS' : 'FAILURE', code: code ?? undefined, message: message ?? '', endedBy: ended_by ?? undefined, result };
}

function entryOf({ path, generation, task_id, executor_result, capability_id, voided, at }: EntryRow): PlanEntry {
  return {
    path,
    generation,
    taskId: task_id,
    executorResult: executor_result,
    capabilityId: capability_id ?? undefined,
    voided: voided === 1,
    at: at ?? undefined,
  };
}
