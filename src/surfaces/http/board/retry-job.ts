import { TaskJob } from '../../../contracts/index.ts';
import { WritError } from '../../../core/errors.ts';
import { type PlanRetryServices, planRetryServices, retryPlan } from '../../shared/plans/retry.ts';
import type { OperatorServices } from '../../shared/tasks/operator.ts';
import { type Retried, retryTask } from '../../shared/tasks/retry.ts';
import { taskIdOf } from '../../shared/tasks/task-id.ts';
import { isIndexJob } from './shown-index.ts';
import { planOfData, planOfJob } from './shown-plan.ts';
import type { BoardSource } from './source.ts';

/** What a retry on the board works with. */
export interface BoardServices extends OperatorServices, Omit<PlanRetryServices, 'kernel'> {}

export function boardServicesOf(operator: OperatorServices, plans: Parameters<typeof planRetryServices>[0]): BoardServices {
  return { ...planRetryServices(plans, operator), ...operator };
}

/** The ids that Writ's own producers give to the jobs of tasks (`docs/producers.md`). */
const JOB_ID = /^t_(.+)$/;

/** What a job stands for. `own`: a raw producer gave the job an id of its own. */
export type JobSubject = { readonly kind: 'plan'; readonly id: string } | { readonly kind: 'task'; readonly id: string; readonly own: boolean };

/**
 * The task or plan that a job stands for, by its id or, where that is its producer's own, by its data.
 *
 * @throws WritError WRONG_STATE for a job that is neither, NOT_FOUND for one that is not there (any more)
 */
export async function subjectOf(jobId: string, source: Pick<BoardSource, 'job'>): Promise<JobSubject> {
  if (isIndexJob(jobId))
    throw new WritError('WRONG_STATE', 'Index maintenance is asked for anew, not retried: POST /v1/index/<key_hash>/<action>, or `writ index`.');
  const named = planOfJob(jobId);
  if (named !== undefined) return { kind: 'plan', id: named };
  const task = JOB_ID.exec(jobId)?.[1];
  if (task !== undefined) return { kind: 'task', id: taskIdOf(task), own: false };
  const job = await source.job(jobId);
  if (job === undefined) throw new WritError('NOT_FOUND', 'There is no such job (any more).');
  const carried = TaskJob.safeParse(job.fields['data']).data?.manifest.task_id;
  if (carried !== undefined) return { kind: 'task', id: carried, own: true };
  const plan = planOfData(job.fields['data']);
  if (plan !== undefined) return { kind: 'plan', id: plan };
  throw new WritError('WRONG_STATE', 'This job is neither a task nor a plan: there is nothing to run.');
}

/** Runs the failed task again, in this very job, or the failed plan on. Throws what `subjectOf`, `retryTask` and `retryPlan` throw. */
export async function retryJob(jobId: string, source: BoardSource, services: BoardServices): Promise<Retried> {
  const subject = await subjectOf(jobId, source);
  if (subject.kind === 'task') return retryTask(subject.id, {}, subject.own ? inJob(source.queueName, jobId, services) : services);
  return retryPlan(subject.id, {}, services);
}

/** The same services, for whom the job of a task is this one. */
function inJob(queue: string, jobId: string, services: BoardServices): BoardServices {
  const { enqueue } = services.tasks;
  const inThis: typeof enqueue = {
    ...enqueue,
    jobState: (taskId) => enqueue.jobState(taskId, queue, jobId),
    retry: (taskId, options) => enqueue.retry(taskId, { ...options, queue, jobId }),
  };
  return { ...services, tasks: { ...services.tasks, enqueue: inThis } };
}
