import { z } from 'zod';
import { PlanFilter } from '../../../contracts/index.ts';
import { retryablePlans } from '../../shared/plans/retry-many.ts';
import { tool } from '../tool.ts';
import { bulkAnswer, bulkArguments, FIRST, FOUND, REST, retryFound } from './bulk-retry.ts';

export const retryPlansTool = tool({
  name: 'retry_plans',
  title: 'Run failed plans on',
  description:
    'Every failed plan that the filter finds, each from the step that ended it, under its own lease. Count first with dry_run, then call with the filter in rest. ' +
    'A plan that fails again meanwhile is not retried twice. Audited.',
  access: ['operate'],
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  input: z.strictObject({
    filter: PlanFilter.meta({ description: 'Which plans, as in list_plans; only failed ones are meant, so state may be left out.' }),
    ...bulkArguments,
  }),
  output: z.strictObject({
    plans: z.int().meta({ description: FOUND }),
    ...bulkAnswer,
    refusals: z.array(z.strictObject({ plan_id: z.string(), code: z.string(), message: z.string() })).meta({ description: FIRST }),
    rest: PlanFilter.optional().meta({ description: REST }),
  }),
  async run(call) {
    const { plans } = await call.services.plans();
    const { found, refusals, ...told } = await retryFound(call, retryablePlans(plans));
    return { plans: found, ...told, refusals: refusals.map(({ id, ...why }) => ({ plan_id: id, ...why })) };
  },
});
