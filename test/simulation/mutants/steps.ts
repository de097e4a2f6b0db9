import type { LocalSteps } from '../../../processors/local-steps.ts';
import type { PlanDeps } from '../../../processors/plan/context.ts';
import type { Slots } from '../../../processors/slots.ts';
import type { PlanJournal } from '../../../src/core/ports/index.ts';
import type { PlanState } from '../../../src/core/ports/plan.ts';
import type { Mutant } from './mutant.ts';

/** Faults of resident walks and of steps without a job. */
export const STEP_MUTANTS: readonly Mutant[] = [
  {
    name: 'a step without a job does not claim its task',
    seams: { localDeps: (deps) => ({ ...deps, ledger: { ...deps.ledger, claim: async () => ({ kind: 'new', epoch: 1 }) } }) },
  },
  { name: 'a step begins before the answer that it follows from is on disk', seams: { planJournal: written50MsLater } },
  {
    name: 'a walk that waits for its step never parks',
    seams: { plan: (deps) => ({ ...deps, ...(deps.residents && { residents: { ...deps.residents, hear: () => new Promise(() => undefined) } }) }) },
  },
  { name: 'a step without a job does not give its slot back', seams: { slots: keptByLocalSteps } },
  {
    name: 'a step without a job runs on when its plan is parked, and nobody asks whether it lives',
    seams: { local: (local) => ({ ...local, isHeld: async () => false }) },
  },
  { name: 'a step whose plan is parked takes up a lock that had run out', seams: { local: (local) => ({ ...local, take: withAnyLock(local.take) }) } },
  { name: 'a declared retry does not wait', seams: { plan: (deps) => ({ ...deps, startPlan: withoutWaits(deps.startPlan) }) } },
  { name: 'steps without a job take no slots', seams: { slots: (slots) => ({ ...slots, tryTake: () => true, give: () => undefined, take: () => undefined }) } },
];

/** Once the plan is parked, its lock counts as fresh, whatever had become of it. */
function withAnyLock(take: LocalSteps['take']): LocalSteps['take'] {
  return (...of) => {
    const run = take(...of);
    if (run === undefined) return undefined;
    return (job, { signal, lockIsFresh }) => {
      let isLeft = false;
      const { ended, detach } = run(job, { signal, lockIsFresh: () => isLeft || lockIsFresh() });
      const leave = (): Promise<void> => {
        isLeft = true;
        return detach();
      };
      return { ended, detach: leave };
    };
  };
}

function withoutWaits(start: PlanDeps['startPlan']): PlanDeps['startPlan'] {
  return (envelope) => {
    const run = start(envelope);
    const hasty = (state: PlanState): PlanState => (state.kind === 'call' && state.retry ? { ...state, retry: { ...state.retry, waitMs: 0 } } : state);
    return new Proxy(run, { get: (target, key) => (key === 'current' ? hasty(target.current) : (Reflect.get(target, key, target) as unknown)) });
  };
}

/** Answers before the entry is written. */
function written50MsLater(journal: PlanJournal): PlanJournal {
  const append: PlanJournal['append'] = async (planSha256, entry, now) => {
    setTimeout(() => void journal.append(planSha256, entry, now).catch(() => undefined), 50);
    return { ...entry, voided: false, at: undefined };
  };
  return new Proxy(journal, { get: (target, key, receiver) => (key === 'append' ? append : (Reflect.get(target, key, receiver) as unknown)) });
}

function keptByLocalSteps(slots: Slots): Slots {
  let kept = 0;
  return {
    ...slots,
    tryTake() {
      const taken = slots.tryTake();
      kept += Number(taken);
      return taken;
    },
    give() {
      if (kept === 0) return slots.give();
      kept -= 1;
    },
  };
}
