import { createPlans } from '../../../queues/plans.ts';
import type { ApprovalView } from '../../../src/contracts/index.ts';
import { isWritError, type WritError } from '../../../src/core/errors.ts';
import type { ApprovalDesk, ApprovalStore, ApprovalWord, AuditLog } from '../../../src/core/ports/index.ts';
import { createApprovalRegister } from '../../../src/kernel/approvals/desk.ts';
import { createPlanEndReader, fixedKeyring } from '../../../src/lease/index.ts';
import { answerApproval } from '../../../src/surfaces/shared/plans/approvals.ts';
import type { Parts } from '../parts.ts';
import { planRecord } from '../plan-record.ts';
import type { PlanTicket } from '../plan-tickets.ts';
import type { SimApprover } from '../scenario.ts';
import { SimProcess } from '../scheduler.ts';
import { EXECUTOR_KEY } from '../tasks.ts';
import { cheapEd25519 } from '../twins/crypto.ts';
import { planJobsFor } from '../twins/plans.ts';
import { remote } from '../world.ts';
import type { ApprovalWatch } from './checker.ts';

const LOOK_MS = 400;
/** Who asked and heard nothing asks again. */
const PATIENCE_MS = 4_000;
const MAX_TRIES = 12;
/** Looks at a plan that has ended: it may be retried, and ask once more. */
const LOOKS_AFTER = 9;

const AUDIT: AuditLog = { append: async (entry) => ({ ...entry, v: 1, n: 1, at: '', prev: '', hash: '' }) };

type Said = { readonly view: ApprovalView } | { readonly error: WritError };

/** Somebody who looks for questions of the plan and answers each one once, over surfaces that may die meanwhile. */
export function answerQuestions(parts: Parts, approver: SimApprover, index: number, store: ApprovalStore, watch: ApprovalWatch): void {
  const { world, host, kernel, open, plans } = parts;
  const [ticket] = plans;
  if (ticket === undefined) return;
  const name = `approver-${index}`;
  const person = new SimProcess(name, world.scheduler, { mortal: false });
  const register = createApprovalRegister(store, kernel.clock);
  let surfaces = 0;

  const deskOf = (process: SimProcess): ApprovalDesk => ({
    list: (plan) => world.call(process, { to: 'kernel', what: 'kernel.approvals', effect: () => register.list(plan) }),
    decide: (word, roles) => world.call(process, { to: 'kernel', what: `kernel.decide ${word.answer}`, effect: () => register.decide(word, roles, name) }),
  });

  /** Over a process of the API that lives for this one request. */
  const say = async (word: ApprovalWord): Promise<Said | undefined> => {
    surfaces += 1;
    const api = new SimProcess(`api-${index}-${surfaces}`, world.scheduler);
    const services = { approvals: deskOf(api), plans: plansFor(parts, api), audit: AUDIT };
    const operator = { surface: 'http', who: name, roles: [approver.mayAnswer ? 'approve' : 'read'] } as const;
    const said = answerApproval(word, operator, services).then(
      (view): Said => ({ view }),
      (error: unknown): Said => {
        if (!isWritError(error)) throw error;
        return { error };
      },
    );
    return Promise.race([said, world.wait(person, PATIENCE_MS).then(() => undefined)]);
  };

  const insist = async (word: ApprovalWord): Promise<void> => {
    for (let left = approver.twice ? 2 : 1, tries = 0; left > 0 && tries < MAX_TRIES; tries += 1) {
      watch.onWord(word, name, approver.mayAnswer);
      const wasOver = watch.isShownOver(word.planSha256);
      const said = await say(word);
      if (said !== undefined && 'view' in said) {
        watch.onTold(word, said.view, name);
        left -= 1;
      } else if (said !== undefined && !said.error.code.endsWith('_UNAVAILABLE')) {
        watch.onRefused(word, said.error, { mayAnswer: approver.mayAnswer, wasOver });
        return;
      } else await world.wait(person, LOOK_MS);
    }
  };

  const hasEnded = (): boolean => planRecord(host.stores, ticket.planSha256)?.end !== undefined;
  const work = async (): Promise<void> => {
    const answered = new Set<string>();
    for (let looks = 0; looks < LOOKS_AFTER; looks = hasEnded() ? looks + 1 : 0) {
      const rows = await deskOf(person)
        .list(ticket.planSha256)
        .catch(() => []);
      const asked = rows.find(({ step, state }) => state === 'open' && !answered.has(step));
      if (asked === undefined) {
        await world.wait(person, LOOK_MS);
        continue;
      }
      answered.add(asked.step);
      await world.wait(person, approver.afterMs);
      await insist(wordOf(ticket, asked, approver, name));
    }
    open.producers -= 1;
  };
  open.producers += 1;
  world.scheduler.at(0, person, () => void work());
}

function wordOf({ planSha256 }: PlanTicket, { step }: ApprovalView, { answer }: SimApprover, name: string): ApprovalWord {
  return { planSha256, taskId: step, answer, note: `${name} says ${answer}`, ...(answer === 'approve' ? { data: { for: step.slice(0, 8) } } : {}) };
}

function plansFor({ world, redis, host }: Parts, process: SimProcess): Parameters<typeof answerApproval>[2]['plans'] {
  const plans = createPlans({
    jobs: planJobsFor(world, process, redis),
    views: remote(world, process, 'redis', 'views', redis.views.port()),
    ends: createPlanEndReader({ keyring: fixedKeyring([EXECUTOR_KEY]), ed25519: cheapEd25519 }),
    clock: process.clock,
  });
  return { view: plans.view, wake: host.seams.wakes === false ? async () => undefined : plans.wake };
}
