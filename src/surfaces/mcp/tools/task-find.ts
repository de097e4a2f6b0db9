import { z } from 'zod';
import { TaskFilter, TaskPage } from '../../../contracts/index.ts';
import { WritError } from '../../../core/errors.ts';
import type { TaskIndex } from '../../../core/ports/index.ts';
import { retryableTasks } from '../../shared/tasks/retry-many.ts';
import type { McpServices } from '../services.ts';
import { LOOKS_ONLY, tool } from '../tool.ts';
import { bulkAnswer, bulkArguments, FIRST, FOUND, REST, retryFound } from './bulk-retry.ts';
import { operatorServices } from './outcome.ts';
import { cursor, regrant } from './shapes.ts';

export const listTasksTool = tool({
  name: 'list_tasks',
  title: 'Find tasks',
  description: 'Tasks of the index by state, code, capability, path, plan and time, newest change first. get_task tells one with its signed result.',
  access: ['read'],
  annotations: LOOKS_ONLY,
  input: TaskFilter.extend({ limit: z.int().min(1).max(500).optional().meta({ description: 'Tasks on a page; 50 if absent.' }), cursor }),
  output: TaskPage,
  async run({ input: { limit = 50, cursor: after, ...filter }, services }) {
    return indexOf(services).list(filter, { limit, ...(after === undefined ? {} : { cursor: after }) });
  },
});

export const retryTasksTool = tool({
  name: 'retry_tasks',
  title: 'Run failed tasks again',
  description:
    'Every failed task that the filter finds, under a new lease where the old one has expired and regrant allows it. Count first with dry_run, then call with ' +
    'the filter in rest. A task that fails again meanwhile is not retried twice. Audited.',
  access: ['operate'],
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  input: z.strictObject({
    filter: TaskFilter.meta({ description: 'Which tasks, as in list_tasks; only failed ones are meant, so state may be left out.' }),
    regrant,
    ...bulkArguments,
  }),
  output: z.strictObject({
    tasks: z.int().meta({ description: FOUND }),
    ...bulkAnswer,
    refusals: z.array(z.strictObject({ task_id: z.string(), code: z.string(), message: z.string() })).meta({ description: FIRST }),
    rest: TaskFilter.optional().meta({ description: REST }),
  }),
  async run(call) {
    const index = indexOf(call.services);
    const terms = call.input.regrant === undefined ? {} : { regrant: call.input.regrant };
    const { found, refusals, ...told } = await retryFound(call, retryableTasks(index, terms, await operatorServices(call)));
    return { tasks: found, ...told, refusals: refusals.map(({ id, ...why }) => ({ task_id: id, ...why })) };
  },
});

/**
 * The task index, which the API keeps: over stdio there is none.
 *
 * @throws WritError WRONG_STATE there
 */
function indexOf({ index }: Pick<McpServices, 'index'>): Pick<TaskIndex, 'list'> {
  if (index === undefined) throw new WritError('WRONG_STATE', 'tasks are found in the index of the API: ask its MCP server (POST /mcp), or use `writ tasks`');
  return index;
}
