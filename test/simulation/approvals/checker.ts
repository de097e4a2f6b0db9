import type { ApprovalView } from '../../../src/contracts/index.ts';
import { canonicalJson } from '../../../src/core/canonical-json.ts';
import type { WritError } from '../../../src/core/errors.ts';
import type { ApprovalStore, ApprovalWord, StoredApproval } from '../../../src/core/ports/index.ts';
import type { Parts } from '../parts.ts';
import { stepIds } from '../plan-checker.ts';
import { planRecord } from '../plan-record.ts';
import { EPOCH_MS } from '../scheduler.ts';
import { type Kept, keptOf } from '../step-checker.ts';

/** Where nothing goes wrong, a plan takes the answer to its question within this time, milliseconds. */
const TAKEN_MS = 2_500;
const STATES = { approve: 'approved', deny: 'denied' } as const;

/** Somebody's word as it was acknowledged. */
interface Told {
  readonly word: ApprovalWord;
  readonly by: string;
  readonly view: ApprovalView;
}

interface Refused {
  readonly mayAnswer: boolean;
  readonly wasOver: boolean;
}

/** Beside the kernel: sees what was asked, what people said and heard, and what plans made of it (docs/plan-protocol.md 10). */
export class ApprovalWatch {
  readonly #parts: Parts;
  /** What is on record, whoever lives. */
  readonly #kept: ApprovalStore;
  readonly #told: Told[] = [];
  /** Who has said what, acknowledged or not: `<task id> <answer> <by>`. */
  readonly #said = new Set<string>();
  /** Questions as they were first asked. */
  readonly #asked = new Map<string, StoredApproval>();

  constructor(parts: Parts, kept: ApprovalStore) {
    this.#parts = parts;
    this.#kept = kept;
    this.#watchSteps();
    this.#watchAnswers();
  }

  /** The kernel has told a plan where its question stands. */
  onAsked(row: StoredApproval): void {
    const { checker, reached } = this.#parts;
    const known = this.#asked.get(row.taskId);
    reached.add(known === undefined ? 'question:none' : `question:${row.decision?.state ?? 'open'}`);
    const first = known ?? row;
    this.#asked.set(row.taskId, first);
    if (first.until !== row.until || first.question !== row.question || first.manifestSha256 !== row.manifestSha256)
      checker.violate('a question stays as it was asked', `${row.path} was asked until ${at(first.until)}, and now until ${at(row.until)}`);
    if (this.#kept.approval(row.taskId) === undefined) checker.violate('a question stays as it was asked', `${row.path} was asked, and is not on record`);
  }

  /** Whether everybody is shown now that the plan has ended. */
  isShownOver(planSha256: string): boolean {
    return ['success', 'failure'].includes(this.#parts.redis.views.rows.get(planSha256)?.state ?? '');
  }

  onWord({ taskId, answer }: ApprovalWord, by: string, mayAnswer: boolean): void {
    if (mayAnswer) this.#said.add(`${taskId} ${answer} ${by}`);
  }

  /** Somebody was told that his word counts. */
  onTold(word: ApprovalWord, view: ApprovalView, by: string): void {
    const { checker, reached } = this.#parts;
    reached.add(`approval:told-${word.answer}`);
    const { state = 'open', by: first } = this.#kept.approval(word.taskId)?.decision ?? {};
    // The same word of somebody else has the same answer.
    if (state !== STATES[word.answer]) checker.violate("nobody's answer is lost", `${by} was told that ${view.path} is ${view.state}, and it is ${state}`);
    if (first !== by) reached.add('approval:said-before');
    this.#told.push({ word, by, view });
  }

  /** @param wasOver whether the plan was shown to have ended when the word was said: a retry may have shown otherwise meanwhile */
  onRefused({ planSha256, taskId, answer }: ApprovalWord, { code }: WritError, { mayAnswer, wasOver }: Refused): void {
    const { checker, reached, plans, host, kernel } = this.#parts;
    reached.add(`approval:${code}`);
    const row = this.#kept.approval(taskId);
    if (row === undefined) {
      checker.violate("nobody's answer is lost", `${answer} was refused with ${code}, and its question is nowhere`);
      return;
    }
    if (code === 'FORBIDDEN' && !mayAnswer) return;
    const hasEnded = plans.some((plan) => planRecord(host.stores, plan.planSha256)?.end !== undefined);
    // It has been retried just now, and no delivery has shown that yet.
    const isShown = wasOver || this.isShownOver(planSha256);
    const isOver = row.decision !== undefined || kernel.clock.now() >= row.until || hasEnded || isShown || this.#parts.world.struck.size > 0;
    if (code !== 'WRONG_STATE' || !isOver) checker.violate("nobody's answer is lost", `${answer} was refused with ${code}, and the question is open`);
  }

  /** A plan role that was taken over has been given what only an answer allows. */
  onBelieved(what: string): void {
    this.#parts.checker.violate('a decision is the kernel', what);
  }

  onDisbelieved(code: string): void {
    this.#parts.reached.add(code === 'TASK_ID_CONFLICT' ? 'question:other-hash' : `approval:forged-${code}`);
  }

  /** When the history is over. */
  judge(): void {
    const { checker, plans } = this.#parts;
    for (const { word, by, view } of this.#told) {
      const state = this.#kept.approval(word.taskId)?.decision?.state ?? 'open';
      if (state !== STATES[word.answer])
        checker.violate("nobody's answer is lost", `${by} was told that ${view.path} is ${view.state}, and in the end it is ${state}`);
    }
    for (const { planSha256 } of plans) {
      for (const row of this.#kept.ofPlan(planSha256, 100)) this.#judgeRow(row);
      for (const entry of keptOf(this.#parts, planSha256)) this.#judgeEntry(entry);
    }
  }

  #judgeRow({ taskId, path, decision, until }: StoredApproval): void {
    const { checker } = this.#parts;
    if (decision === undefined) return;
    const answer = decision.state === 'approved' ? 'approve' : 'deny';
    if (decision.state !== 'expired' && !this.#said.has(`${taskId} ${answer} ${decision.by}`))
      checker.violate('nothing is invented', `${path} was ${decision.state} by ${decision.by}, who has not said so`);
    if (decision.state !== 'expired' && decision.at >= until)
      checker.violate('a deadline holds', `${path} was ${decision.state} at ${at(decision.at)}, too late`);
    if (decision.state === 'expired' && decision.at < until) checker.violate('a deadline holds', `${path} expired at ${at(decision.at)}, too early`);
  }

  /** What the plan was told is what the row says: who, when, with which words. */
  #judgeEntry({ path, taskId, executorResult }: Kept): void {
    const { checker } = this.#parts;
    const row = this.#kept.approval(taskId);
    if (row === undefined) return;
    const { status, output, error } = JSON.parse(executorResult) as {
      status: string;
      output: Record<string, unknown> | null;
      error: { error_code: string; message: string } | null;
    };
    const { state, by, note, data } = row.decision ?? {};
    const isTrue =
      state === 'approved'
        ? status === 'SUCCESS' && output?.['by'] === by && output?.['note'] === note && canonicalJson(output?.['data'] ?? null) === canonicalJson(data ?? null)
        : state !== undefined && error?.error_code === `APPROVAL_${state.toUpperCase()}` && error.message.includes(note ?? '');
    if (!isTrue) checker.violate('a decision is the kernel', `${path} is ${state ?? 'open'}, and the plan was told ${error?.error_code ?? status}`);
  }

  /** Nobody works on a step behind a question that is open, or that was denied and ends the plan. */
  #watchSteps(): void {
    const { plans, redis } = this.#parts;
    const steps = new Map(plans.flatMap((ticket) => [...stepIds(ticket)].map(([id, step]) => [id, { ...step, plan: ticket.plan }] as const)));
    const { claim } = redis.ledger;
    const look: typeof claim = async (request) => {
      const step = steps.get(request.taskId);
      if (step !== undefined) {
        for (const [path, kind] of step.plan.steps.slice(0, step.at).entries())
          if (kind === 'approval') this.#behind(step.planSha256, path, step.at, step.plan.goesOn);
      }
      return claim(request);
    };
    Object.assign(redis.ledger, { claim: look });
  }

  #behind(planSha256: string, question: number, step: number, goesOn: boolean): void {
    const { checker, reached } = this.#parts;
    const entry = keptOf(this.#parts, planSha256).find(({ path, voided }) => path === String(question) && !voided);
    const state = this.#kept.approval(entry?.taskId ?? '')?.decision?.state ?? 'open';
    reached.add(`approval:behind-${state}`);
    if (state === 'open' || (state !== 'approved' && !goesOn))
      checker.violate('nothing is done behind a question', `step ${step} was claimed, and the question ${question} is ${state}`);
  }

  #watchAnswers(): void {
    const { host, world, checker } = this.#parts;
    const { plan } = host.stores;
    const ask = plan.ask.bind(plan);
    Object.assign(plan, {
      ask: async (...args: Parameters<typeof ask>) => {
        const answer = await ask(...args);
        const [, method, [, entry]] = args;
        const row = method === 'append' ? this.#kept.approval(String(Reflect.get(Object(entry), 'taskId'))) : undefined;
        const decidedAt = row?.decision === undefined ? undefined : row.decision.at - EPOCH_MS;
        const waited = decidedAt === undefined ? 0 : world.now - decidedAt;
        if (world.struck.size === 0 && waited > TAKEN_MS)
          checker.violate('nobody starves', `the answer to ${row?.path} was taken ${Math.round(waited)} ms after it was given`);
        return answer;
      },
    });
  }
}

function at(ms: number): string {
  return new Date(ms).toISOString().slice(11, 23);
}
