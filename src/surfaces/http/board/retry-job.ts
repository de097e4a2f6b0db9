import { WritError } from '../../../core/errors.ts';
import type { Plans } from '../../../core/ports/index.ts';
import { retryPlan } from '../../shared/plans/operate.ts';
import type { OperatorServices } from '../../shared/tasks/operator.ts';
import { type Retried, retryTask } from '../../shared/tasks/retry.ts';
import { taskIdOf } from '../../shared/tasks/task-id.ts';
import { isIndexJob } from './shown-index.ts';
import { planOfJob } from './shown-plan.ts';

/** What a retry on the board works with. */
export interface BoardServices extends OperatorServices {
  readonly plans: Pick<Plans, 'retry' | 'view'>;
}

/** The ids that Writ's own producers and good raw producers give to jobs (`docs/producers.md`). */
const JOB_ID = /^t_(.+)$/;

/**
 * The task that a job stands for.
 *
 * @throws WritError WRONG_STATE: the job has an id of its own, so that a retry could not be found again under its task
 */
export function taskOfJob(jobId: string): string {
  if (isIndexJob(jobId))
    throw new WritError('WRONG_STATE', 'Index maintenance is asked for anew, not retried: POST /v1/index/<key_hash>/<action>, or `writ index`.');
  const task = JOB_ID.exec(jobId)?.[1];
  if (task === undefined) {
    throw new WritError('WRONG_STATE', 'This job was pushed under an id of its own (its task is in its data): push the same manifest again to run it.');
  }
  return taskIdOf(task);
}

/** Runs the failed task again, or the failed plan on. Throws what `retryTask` and `retryPlan` throw. */
export async function retryJob(jobId: string, services: BoardServices): Promise<Retried> {
  const plan = planOfJob(jobId);
  if (plan === undefined) return retryTask(taskOfJob(jobId), {}, services);
  await retryPlan(plan, undefined, services.plans);
  return { regranted: false };
}
