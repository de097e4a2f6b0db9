import type { TaskFilter } from '../../../contracts/index.ts';
import type { TaskIndex } from '../../../core/ports/index.ts';
import { asError, type Retryable } from '../bulk-retry.ts';
import type { OperatorServices } from './operator.ts';
import { type RetryTerms, retryTasks } from './retry.ts';

/** Failed tasks, found in the index and run again as `retryTask` does it, their new leases asked for together. */
export function retryableTasks(index: Pick<TaskIndex, 'list'>, terms: RetryTerms, services: OperatorServices): Retryable<TaskFilter> {
  return {
    noun: 'task',
    async list(filter, page) {
      const { tasks, next } = await index.list(filter, page);
      return { ids: tasks.map(({ task_id }) => task_id), next };
    },
    async retry(ids) {
      const ends = await retryTasks(ids, terms, services);
      return ends.map((end) => (end.kind === 'refused' ? asError(end.error) : undefined));
    },
  };
}
