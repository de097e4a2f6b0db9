import { type ApprovalAnswer, type ApprovalState, type ApprovalView, BOUNDS, type Role } from '../../contracts/index.ts';
import { canonicalJson } from '../../core/canonical-json.ts';
import type { Clock } from '../../core/clock.ts';
import { messageOf, WritError } from '../../core/errors.ts';
import { assertIJson } from '../../core/i-json.ts';
import type { JsonObject } from '../../core/json.ts';
import type { ApprovalDecision, ApprovalStore, ApprovalWord, StoredApproval } from '../../core/ports/index.ts';

/** What the kernel does with approvals when a surface asks; `by` is written into the row. */
export interface ApprovalRegister {
  list(planSha256: string | undefined): readonly ApprovalView[];
  decide(word: ApprovalWord, roles: readonly Role[], by: string | undefined): ApprovalView;
}

const MAX_SHOWN = 1_000;
const STATES = { approve: 'approved', deny: 'denied' } as const satisfies Record<ApprovalAnswer, ApprovalState>;

/** The register of approvals (docs/plan-protocol.md 10). */
export function createApprovalRegister(store: ApprovalStore, clock: Clock): ApprovalRegister {
  return {
    list(planSha256) {
      const now = clock.now();
      const rows = planSha256 === undefined ? store.open(now, MAX_SHOWN) : store.ofPlan(planSha256, MAX_SHOWN);
      return rows.map((row) => viewOf(row, now));
    },

    decide(word, roles, by) {
      const found = store.approval(word.taskId);
      if (found === undefined || found.planSha256 !== word.planSha256)
        throw new WritError('NOT_FOUND', 'the plan has asked no such question; a step is answered when the plan has reached it', { field: 'step' });
      if (!roles.includes(found.role)) throw new WritError('FORBIDDEN', `this step waits for somebody with the role ${found.role}`);
      const data = dataOf(word);
      const row = expired(found, store, clock) ?? decided(word, data, by);
      const { decision } = row;
      const mine = decision?.state === STATES[word.answer];
      if (!mine) throw new WritError('WRONG_STATE', lateText(row));
      return viewOf(row, clock.now());
    },
  };

  function decided({ taskId, answer, note }: ApprovalWord, data: JsonObject | undefined, by: string | undefined): StoredApproval {
    const row = store.decide(taskId, { state: STATES[answer], at: clock.now(), by, note, data });
    if (row === undefined) throw new WritError('INTERNAL', `the question ${taskId} has vanished`);
    return row;
  }
}

/** The row with its deadline's word, once that has come; `undefined` while somebody may still answer, or when somebody has. */
export function expired(row: StoredApproval, store: ApprovalStore, clock: Clock): StoredApproval | undefined {
  if (row.decision !== undefined || clock.now() < row.until) return undefined;
  return store.decide(row.taskId, { state: 'expired', at: row.until, by: undefined, note: undefined, data: undefined });
}

function dataOf({ answer, data }: ApprovalWord): JsonObject | undefined {
  if (data === undefined) return undefined;
  if (answer === 'deny') throw new WritError('INVALID_ARGUMENT', 'only an approval brings data', { field: 'data' });
  const text = textOf(data);
  if (Buffer.byteLength(text) > BOUNDS.approvalData)
    throw new WritError('INVALID_ARGUMENT', `data has ${Buffer.byteLength(text)} bytes, at most ${BOUNDS.approvalData} are allowed`, { field: 'data' });
  // What has a canonical form is JSON, and the body's schema wants an object.
  return data as JsonObject;
}

/** Levels of `data`; the result of the step, and the plan's memory, wrap it in levels of their own. */
const DATA_LEVELS = 16;

function textOf(data: unknown): string {
  try {
    assertIJson(data, DATA_LEVELS);
    return canonicalJson(data);
  } catch (error) {
    throw new WritError('INVALID_ARGUMENT', `data cannot travel in a result: ${messageOf(error)}`, { field: 'data' });
  }
}

function lateText({ decision, until }: StoredApproval): string {
  if (decision === undefined || decision.state === 'expired') return `too late: the deadline was ${new Date(until).toISOString()}`;
  return `it was ${decision.state} by ${decision.by ?? 'somebody'} at ${new Date(decision.at).toISOString()}`;
}

function viewOf({ taskId, planSha256, path, role, question, askedAt, until, decision }: StoredApproval, now: number): ApprovalView {
  return {
    plan_id: planSha256,
    step: taskId,
    path,
    role,
    question,
    state: decision?.state ?? (now < until ? 'open' : 'expired'),
    asked_at: new Date(askedAt).toISOString(),
    until: new Date(until).toISOString(),
    ...(decision === undefined ? {} : decisionView(decision)),
  };
}

function decisionView({ at, by, note, data }: ApprovalDecision): Partial<ApprovalView> {
  return {
    decided_at: new Date(at).toISOString(),
    ...(by === undefined ? {} : { decided_by: by }),
    ...(note === undefined ? {} : { note }),
    ...(data === undefined ? {} : { data }),
  };
}
