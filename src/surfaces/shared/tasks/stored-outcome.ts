import type { ExecutionResult } from '../../../contracts/index.ts';
import type { GenuineResult, JobView, ResultClaim, TaskGateway, TaskRow } from '../../../core/ports/index.ts';
import { jobDataOf } from './job-data.ts';

/** The last outcome of a task. */
export interface FinishedTask {
  readonly state: 'finished';
  /** The exact signed result. */
  readonly result: string;
  readonly outcome: ExecutionResult;
  /** `refusal`: answered without touching the task, because the lease or the id was wrong. */
  readonly from: 'ledger' | 'journal' | 'refusal';
  /** Empty when it is not known. */
  readonly manifestSha256: string;
  /** The one that was signed; absent where it is not known. */
  readonly capabilityId?: string;
  readonly job: JobView | undefined;
}

/** The outcome in a task's row, when an executor that is trusted here has signed it; its other fields prove nothing. */
export async function storedOutcome(
  taskId: string,
  row: TaskRow | undefined,
  job: JobView | undefined,
  gateway: TaskGateway,
): Promise<FinishedTask | undefined> {
  if (!row?.result) return undefined;
  const genuine = await gateway.results.read(row.result, { taskId, ...claimOf(job, row.manifestSha256) });
  return genuine && finished(row.result, genuine, 'ledger', job);
}

/** The answer to a job that never touched the task's row, when it is signed; `forged` when something else lies in its place. */
export async function storedRefusal(taskId: string, job: JobView, gateway: TaskGateway): Promise<FinishedTask | 'forged' | undefined> {
  const text = await gateway.ledger.refusal(taskId, job.key ?? `${job.queue}:${job.jobId}`);
  if (text === undefined) return undefined;
  const genuine = await gateway.results.read(text, { taskId, ...claimOf(job), refusal: true });
  return genuine === undefined ? 'forged' : finished(text, genuine, 'refusal', job);
}

/** Whether a row says that its task has ended, or can only have been written by somebody else: without a proof that is a lie. */
export function claimsEnd(row: TaskRow | undefined): boolean {
  return row !== undefined && row.state !== 'waiting' && row.state !== 'running';
}

/** The row's hash may have been changed as well: the job's counts too. */
function claimOf(job: JobView | undefined, ...known: readonly string[]): Pick<ResultClaim, 'manifestSha256s' | 'likely'> {
  const data = jobDataOf(job);
  return data === undefined ? { manifestSha256s: known } : { manifestSha256s: [...known, data.manifestSha256], likely: data.manifest.capability_id };
}

function finished(result: string, genuine: GenuineResult, from: FinishedTask['from'], job: JobView | undefined): FinishedTask {
  return { state: 'finished', result, from, job, ...genuine };
}
