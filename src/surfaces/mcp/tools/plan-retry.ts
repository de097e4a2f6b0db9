import { z } from 'zod';
import { PlanFilter } from '../../../contracts/index.ts';
import { isWritError } from '../../../core/errors.ts';
import { bulkRetry, countFailed, failedBefore } from '../../shared/bulk-retry.ts';
import { retryablePlans } from '../../shared/plans/retry-many.ts';
import { type ToolCall, tool } from '../tool.ts';

/** Refusals that are told one by one; the rest is counted. */
const TOLD = 20;
/** Plans of one call unless it says otherwise, and at most: a caller waits for the whole answer. */
const USUAL = 1000;
const MAX_PLANS = 10_000;

const input = z.strictObject({
  filter: PlanFilter.meta({ description: 'Which plans, as in list_plans; only failed ones are meant, so state may be left out.' }),
  dry_run: z.boolean().optional().meta({ description: 'true: only counts what the filter finds. Ask so first.' }),
  limit: z
    .int()
    .min(1)
    .max(MAX_PLANS)
    .optional()
    .meta({ description: `At most so many plans; ${USUAL} if absent.` }),
});
type Input = z.infer<typeof input>;

const output = z.strictObject({
  plans: z.int().meta({ description: 'Found, or dealt with.' }),
  retried: z.int(),
  refused: z.int(),
  refused_by: z.record(z.string(), z.int()).meta({ description: 'Refusals by their code.' }),
  refusals: z.array(z.strictObject({ plan_id: z.string(), code: z.string(), message: z.string() })).meta({ description: `The first ${TOLD}.` }),
  stopped_by: z
    .strictObject({ code: z.string(), message: z.string() })
    .optional()
    .meta({ description: 'What would meet the rest as well; what is done stays done.' }),
  rest: PlanFilter.optional().meta({ description: 'Unless nothing is left: the filter that goes on. After dry_run: finds exactly what was counted.' }),
});
type Output = z.infer<typeof output>;

export const retryPlansTool = tool({
  name: 'retry_plans',
  title: 'Run failed plans on',
  description:
    'Every failed plan that the filter finds, each from the step that ended it, under its own lease. Count first with dry_run, then call with the filter in rest. ' +
    'A plan that fails again meanwhile is not retried twice. Audited.',
  access: ['operate'],
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  input,
  output,
  run: (call) => (call.input.dry_run === true ? count(call) : retry(call)),
});

async function count({ input: { filter: asked, limit }, services, signal }: ToolCall<Input>): Promise<Output> {
  const { plans } = await services.plans();
  const rest = failedBefore(asked, services.clock.now(), 'plan');
  const found = await countFailed(rest, retryablePlans(plans), signal, limit);
  return { plans: found, retried: 0, refused: 0, refused_by: {}, refusals: [], rest };
}

async function retry({ input: { filter: asked, limit = USUAL }, services, caller, signal }: ToolCall<Input>): Promise<Output> {
  const [{ plans }, audit] = [await services.plans(), await services.audit()];
  const filter = failedBefore(asked, services.clock.now(), 'plan');
  const entry = { surface: 'mcp', who: caller.name, action: 'plan.retry_all', subject: JSON.stringify(asked) } as const;
  const said: Output = { plans: 0, retried: 0, refused: 0, refused_by: {}, refusals: [] };
  await audit.append({ ...entry, outcome: 'asked' });
  let [more, end, page] = [true, 'caller gone', 0];
  try {
    for await (const found of bulkRetry(filter, retryablePlans(plans), signal, limit)) {
      ({ more } = found);
      if (found.ends.length === 0) continue;
      page += 1;
      for (const { id, refused } of found.ends) tell(said, id, refused);
      await audit.append({ ...entry, outcome: 'done', detail: { page, plans: found.ends.length } });
    }
    if (!signal.aborted) end = more ? 'limit' : 'complete';
  } catch (error) {
    end = isWritError(error) ? error.code : 'INTERNAL';
    if (page === 0 || !isWritError(error)) throw error;
    said.stopped_by = { code: error.code, message: error.message };
  } finally {
    const { plans: all, retried, refused } = said;
    await audit.append({ ...entry, outcome: end === 'complete' || end === 'limit' ? 'done' : 'refused', detail: { end, plans: all, retried, refused } });
  }
  return more ? { ...said, rest: filter } : said;
}

function tell(said: Output, id: string, refused: { readonly code: string; readonly message: string } | undefined): void {
  said.plans += 1;
  if (refused === undefined) {
    said.retried += 1;
    return;
  }
  const { code, message } = refused;
  said.refused += 1;
  said.refused_by[code] = (said.refused_by[code] ?? 0) + 1;
  if (said.refusals.length < TOLD) said.refusals.push({ plan_id: id, code, message });
}
