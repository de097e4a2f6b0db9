import { z } from 'zod';
import { BulkPlanRetryLine, BulkPlanRetryRequest, BulkPlanRetrySummary, BulkRetryLine, BulkRetryRequest, BulkRetrySummary } from '../../../contracts/index.ts';
import { type FailedFilter, failedBefore, type Retryable } from '../../shared/bulk-retry.ts';
import { planRetryServices } from '../../shared/plans/retry.ts';
import { retryablePlans } from '../../shared/plans/retry-many.ts';
import { retryableTasks } from '../../shared/tasks/retry-many.ts';
import { NDJSON } from '../body.ts';
import { type Answer, type Call, route } from '../route.ts';
import { operatorServices } from './answers.ts';
import { answerLines } from './ndjson-answer.ts';
import { countLine, retryLines } from './retry-lines.ts';
import { BulkRetryQuery } from './shapes.ts';

const HOW =
  'Page by page, answered with a line for each and a closing summary. What fails again during the run is not retried twice. ' +
  '`dry_run=true` answers the summary alone, with how many there are. `rest` in the summary is the filter that goes on with what is left. ' +
  'Ends when the client goes. Audited: the filter once, and every page with its counts.';

export const retryManyTasks = route({
  method: 'POST',
  path: '/v1/tasks/retry',
  operation: 'retryTasks',
  summary: 'Run every failed task that a filter finds again',
  description: `Over the task index. ${HOW}`,
  tag: 'tasks',
  access: ['operate'],
  query: BulkRetryQuery,
  body: BulkRetryRequest,
  responses: { 200: { description: 'One line per task, then the summary.', type: NDJSON, schema: z.union([BulkRetryLine, BulkRetrySummary]) } },
  problems: ['INVALID_ARGUMENT', 'KERNEL_UNAVAILABLE', 'REDIS_FULL', 'REDIS_UNAVAILABLE', 'STORAGE_UNAVAILABLE'],
  async handle(call) {
    const { body, caller, services } = call;
    const terms = body.regrant === undefined ? {} : { regrant: body.regrant };
    return answered(call, body.filter, retryableTasks(services.index, terms, operatorServices(services, caller)));
  },
});

export const retryManyPlans = route({
  method: 'POST',
  path: '/v1/plans/retry',
  operation: 'retryPlans',
  summary: 'Run every failed plan that a filter finds on',
  description: `Over the plan journal, on the host of the pool; each from the step that ended it, under a new lease where the old one has expired and \`regrant\` allows it. ${HOW}`,
  tag: 'plans',
  access: ['operate'],
  query: BulkRetryQuery,
  body: BulkPlanRetryRequest,
  responses: { 200: { description: 'One line per plan, then the summary.', type: NDJSON, schema: z.union([BulkPlanRetryLine, BulkPlanRetrySummary]) } },
  problems: ['INVALID_ARGUMENT', 'KERNEL_UNAVAILABLE', 'REDIS_FULL', 'REDIS_UNAVAILABLE', 'STORAGE_UNAVAILABLE'],
  async handle(call) {
    const { body, caller, services } = call;
    const terms = body.regrant === undefined ? {} : { regrant: body.regrant };
    return answered(call, body.filter, retryablePlans(services.plans.plans, terms, planRetryServices(services.plans, operatorServices(services, caller))));
  },
});

type BulkCall = Call<undefined, BulkRetryQuery, { readonly limit?: number | undefined }>;

function answered<F extends FailedFilter>({ query, body, caller, services, reply, signal }: BulkCall, asked: F, of: Retryable<F>): Promise<Answer> {
  const { clock, audit } = services;
  const filter: F = failedBefore(asked, clock.now(), of.noun);
  const run = { who: caller.name, audit, asked, filter, limit: body.limit, of, signal };
  return answerLines(reply, query.dry_run === true ? once(countLine(run)) : retryLines(run));
}

async function* once(line: Promise<string>): AsyncGenerator<string> {
  yield await line;
}
