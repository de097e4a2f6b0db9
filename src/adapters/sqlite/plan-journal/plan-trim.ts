import type { TrimAnswer, TrimmedPlan } from '../../../core/ports/index.ts';
import type { SqliteDatabase } from '../open.ts';

/** Answers that one transaction deletes, in bytes: SQLite walks over every page of a large one. */
const MAX_BYTES = 4 * 1024 * 1024;

interface EndedPlan {
  readonly plan_sha256: string;
  readonly state: 'success' | 'failure';
  readonly generation: number;
  readonly changed_at: number;
}

interface Line {
  readonly state: 'success' | 'failure';
  readonly generation: number;
  readonly done: 0 | 1;
  readonly ended_at: number;
}

interface PlanTrimming {
  /** As `PlanJournal.trim`. */
  trim(after: number, before: number, limit: number): TrimAnswer;
  /** The line of a plan that is not run again. */
  trimmed(planSha256: string): TrimmedPlan | undefined;
  /** The generation in which a plan begins that the journal does not know, or knows no more. */
  firstGeneration(planSha256: string): number;
}

/** Trims plans (docs/plan-protocol.md 7): of one that ended long ago a line stays. Blocks its thread, and needs a transaction around it. */
export function planTrimming(db: SqliteDatabase): PlanTrimming {
  const lineOf = db.prepare<[string], Line>('SELECT state, generation, done, ended_at FROM trimmed WHERE plan_sha256 = ?');
  const keepLine = db.prepare<EndedPlan>(
    `INSERT INTO trimmed (plan_sha256, state, generation, done, ended_at)
     VALUES (@plan_sha256, @state, @generation, EXISTS (SELECT 1 FROM entry WHERE plan_sha256 = @plan_sha256), @changed_at)
     ON CONFLICT (plan_sha256) DO UPDATE SET state = excluded.state, generation = excluded.generation, done = excluded.done, ended_at = excluded.ended_at
     WHERE trimmed.done = 0`,
  );
  const ended = db.prepare<[string, number, number], EndedPlan>(
    `SELECT plan_sha256, state, generation, changed_at FROM plan WHERE state = ? AND changed_at < ? ORDER BY changed_at, plan_sha256 LIMIT ?`,
  );
  const answers = db.prepare<[string, number], { seq: number; bytes: number }>(
    'SELECT seq, octet_length(executor_result) AS bytes FROM entry WHERE plan_sha256 = ? ORDER BY seq LIMIT ?',
  );
  const forgetAnswers = db.prepare<[string, number]>('DELETE FROM entry WHERE plan_sha256 = ? AND seq <= ?');
  const hasAnswers = db.prepare<[string], unknown>('SELECT 1 FROM entry WHERE plan_sha256 = ? LIMIT 1');
  const forgetWishes = db.prepare<[string]>('DELETE FROM wish WHERE plan_sha256 = ?');
  const forgetPlan = db.prepare<[string]>('DELETE FROM plan WHERE plan_sha256 = ?');
  const forgetEnvelope = db.prepare<[string]>('DELETE FROM envelope WHERE plan_sha256 = ?');

  /** One plan, as far as there is room in the portion; answers whether all of it is gone. */
  function trimPlan(plan: EndedPlan, room: { rows: number; bytes: number }): boolean {
    const { plan_sha256: id } = plan;
    keepLine.run(plan);
    room.rows -= 1;
    let last: number | undefined;
    for (const { seq, bytes } of answers.all(id, Math.max(1, room.rows))) {
      last = seq;
      room.rows -= 1;
      room.bytes -= bytes;
      if (room.bytes <= 0) break;
    }
    if (last !== undefined) forgetAnswers.run(id, last);
    if (hasAnswers.get(id) !== undefined) return false;
    forgetEnvelope.run(id);
    room.rows -= forgetWishes.run(id).changes;
    forgetPlan.run(id);
    return true;
  }

  return {
    trim(_after, before, limit) {
      const room = { rows: limit, bytes: MAX_BYTES };
      let tasks = 0;
      for (const state of ['failure', 'success']) {
        for (const plan of ended.all(state, before, limit)) {
          if (room.rows <= 0 || room.bytes <= 0) return { tasks, last: 0 };
          if (trimPlan(plan, room)) tasks += 1;
        }
      }
      // What is full may have left something.
      return { tasks, last: room.rows <= 0 || room.bytes <= 0 ? 0 : undefined };
    },
    trimmed(planSha256) {
      const line = lineOf.get(planSha256);
      if (line?.done !== 1) return undefined;
      return { planSha256, status: line.state === 'success' ? 'SUCCESS' : 'FAILURE', endedAt: line.ended_at };
    },
    firstGeneration(planSha256) {
      const line = lineOf.get(planSha256);
      return line === undefined ? 0 : line.generation + 1;
    },
  };
}
