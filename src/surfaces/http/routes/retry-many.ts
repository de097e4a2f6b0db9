import { z } from 'zod';
import { BulkRetryLine, BulkRetryRequest, BulkRetrySummary } from '../../../contracts/index.ts';
import { isWritError } from '../../../core/errors.ts';
import { assertRetryable, retryMany } from '../../shared/tasks/retry-many.ts';
import { NDJSON } from '../body.ts';
import { problemOf } from '../problem.ts';
import { type Call, route } from '../route.ts';
import { operatorServices } from './answers.ts';
import { answerLines, linesOf } from './ndjson-answer.ts';

export const retryManyTasks = route({
  method: 'POST',
  path: '/v1/tasks/retry',
  operation: 'retryTasks',
  summary: 'Run every failed task that a filter finds again',
  description:
    'Page by page over the task index, answered with a line per task and a closing summary. A task that fails again during the run is not retried twice. ' +
    'Ends when the client goes. Audited: the filter once, and every page with its counts.',
  tag: 'tasks',
  access: ['operate'],
  body: BulkRetryRequest,
  responses: { 200: { description: 'One line per task, then the summary.', type: NDJSON, schema: z.union([BulkRetryLine, BulkRetrySummary]) } },
  problems: ['INVALID_ARGUMENT', 'KERNEL_UNAVAILABLE', 'REDIS_FULL', 'REDIS_UNAVAILABLE', 'STORAGE_UNAVAILABLE'],
  async handle(call) {
    assertRetryable(call.body.filter);
    return answerLines(call.reply, retryLines(call));
  },
});

/** Why a run ended, as the audit log says it. */
type End = 'complete' | 'client gone' | string;

async function* retryLines({ body, caller, services, signal }: Call<undefined, undefined, BulkRetryRequest>): AsyncGenerator<string> {
  const entry = { surface: 'http', who: caller.name, action: 'task.retry_all', subject: JSON.stringify(body.filter) } as const;
  await services.audit.append({ ...entry, outcome: 'asked' });
  const summary = { tasks: 0, retried: 0, refused: 0 };
  let page = 0;
  let end: End = 'client gone';
  try {
    for await (const lines of retryMany(body, services.index, operatorServices(services, caller), signal)) {
      page += 1;
      const counts = countsOf(lines);
      summary.tasks += counts.tasks;
      summary.retried += counts.retried;
      summary.refused += counts.refused;
      await services.audit.append({ ...entry, outcome: 'done', detail: { page, ...counts } });
      yield linesOf(lines);
    }
    if (!signal.aborted) end = 'complete';
    yield linesOf([{ summary } satisfies BulkRetrySummary]);
  } catch (error) {
    end = isWritError(error) ? error.code : 'INTERNAL';
    if (page === 0) throw error;
    yield linesOf([{ summary, problem: problemOf(error) } satisfies BulkRetrySummary]);
  } finally {
    await services.audit.append({ ...entry, outcome: end === 'complete' ? 'done' : 'refused', detail: { end, ...summary } });
  }
}

function countsOf(lines: readonly BulkRetryLine[]): { tasks: number; retried: number; refused: number } {
  const retried = lines.filter(({ outcome }) => outcome === 'retried').length;
  return { tasks: lines.length, retried, refused: lines.length - retried };
}
