import type { Lifecycle } from '../../../core/lifecycle.ts';
import type { PlanJournal } from '../../../core/ports/index.ts';
import { createInProcessStore } from '../in-process-store.ts';
import { planStatements } from './plan-journal-statements.ts';

/**
 * The plan journal in `<directory>/plan.db`. A stalled disk holds up this event loop, which costs at most the locks of
 * plans that run: they run again, and everything that a plan does may be repeated.
 */
export function createPlanJournal({ directory }: { readonly directory: string }): PlanJournal & Lifecycle {
  const migrations = new URL('../sql/plan-journal/', import.meta.url);
  const { ask, look, ...lifecycle } = createInProcessStore({ directory, file: 'plan.db', migrations, statements: planStatements, name: 'the plan journal' });
  return {
    ...lifecycle,
    begin: (plan, now) => ask((plans) => plans.begin(plan, now)),
    served: (planSha256, wish) => look((plans) => plans.served(planSha256, wish)),
    note: (planSha256, wish) => ask((plans) => plans.note(planSha256, wish)),
    record: (planSha256) => ask((plans) => plans.record(planSha256)),
    generation: (planSha256) => look((plans) => plans.generation(planSha256)),
    entries: (planSha256) => ask((plans) => plans.entries(planSha256)),
    append: (planSha256, entry, now) => ask((plans) => plans.append(planSha256, entry, now)),
    end: (plan, end, now) => ask((plans) => plans.end(plan, end, now)),
    lose: (planSha256) => ask((plans) => plans.lose(planSha256)),
    running: (unchangedSince, limit, after) => ask((plans) => plans.running(unchangedSince, limit, after)),
    trim: (after, before, limit) => ask((plans) => plans.trim(after, before, limit)),
  };
}
