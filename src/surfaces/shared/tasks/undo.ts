import type { TaskManifest } from '../../../contracts/index.ts';
import { canonicalJson } from '../../../core/canonical-json.ts';
import { WritError } from '../../../core/errors.ts';
import { manifestSha256, sha256Hex } from '../../../core/hash.ts';
import type { Receipt, TaskGateway } from '../../../core/ports/index.ts';
import { jobDataOf } from './job-data.ts';
import type { OperatorServices } from './operator.ts';
import type { FinishedTask } from './stored-outcome.ts';
import { unknownTask, unprovenTask } from './task-id.ts';
import { readTaskStatus } from './task-status.ts';

/**
 * Takes back what a finished task did: the kernel computes and signs the undo, which is pushed like any other task.
 *
 * @returns the id of the undo's own task, and its receipt
 * @throws WritError NOT_FOUND, WRONG_STATE, INVALID_RESULT, TASK_ID_CONFLICT, and the kernel's refusals
 */
export async function undoTask(taskId: string, services: OperatorServices): Promise<{ readonly undoId: string; readonly receipt: Receipt }> {
  const { tasks } = services;
  const done = await finishedWithSuccess(taskId, tasks);
  await assertStanding(taskId, tasks);
  const manifest = await manifestOf(taskId, done, services);
  const earlierUndos = await countUndos(taskId, tasks);

  const job = await (await services.kernel()).undo({ manifest, success: done.result, earlierUndos });
  const undoId = job.manifest.task_id;
  const receipt = await tasks.enqueue.push(job);
  if (receipt.kind === 'conflict') throw new WritError('TASK_ID_CONFLICT', `the undo ${undoId} is already used for another manifest`);
  return { undoId, receipt };
}

async function finishedWithSuccess(taskId: string, tasks: TaskGateway): Promise<FinishedTask> {
  const status = await readTaskStatus(taskId, tasks);
  if (status.state === 'unknown') throw unknownTask(taskId);
  if (status.state === 'unproven') throw unprovenTask(taskId);
  if (status.state !== 'finished') throw new WritError('WRONG_STATE', `${taskId} is ${status.state}; only a finished task can be undone`);
  if (status.outcome.status === 'FAILURE') throw new WritError('WRONG_STATE', `${taskId} has failed, so there is no effect to take back`);
  return status;
}

/** On the host of the journal it is known beforehand; elsewhere the executor refuses the second undo. */
async function assertStanding(taskId: string, tasks: TaskGateway): Promise<void> {
  const undoneBy = (await tasks.journal?.view(taskId))?.success?.undoneBy;
  if (undoneBy !== undefined) throw new WritError('WRONG_STATE', `${taskId} is undone already, by ${undoneBy}; \`writ undo ${undoneBy}\` does it again`);
}

/** The manifest with exactly the recorded hash: the job's, while it is kept, else the one that the kernel issued a lease for. */
export async function manifestOf(taskId: string, done: FinishedTask, services: OperatorServices): Promise<TaskManifest> {
  const data = jobDataOf(done.job);
  if (data?.manifestSha256 === done.manifestSha256) return data.manifest;
  const leased = await (await services.kernel()).leasedManifest(taskId);
  if (leased && manifestSha256(leased) === done.manifestSha256) return leased;
  throw new WritError('NOT_FOUND', `the manifest of ${taskId} is no longer known here: neither its job nor the kernel's issue log has it`);
}

/** More undos of one task than anybody makes; a bound for the loop. */
const MAX_UNDOS = 10_000;

/** How often the task was undone: the id of the next undo counts on (`docs/protocol.md` 8). */
async function countUndos(taskId: string, tasks: TaskGateway): Promise<number> {
  for (let count = 0; count < MAX_UNDOS; count += 1) {
    const status = await readTaskStatus(undoIdOf(taskId, count), tasks);
    if (status.state !== 'finished' || status.outcome.status !== 'SUCCESS') return count;
  }
  throw new WritError('WRONG_STATE', `${taskId} was undone more than ${MAX_UNDOS} times`);
}

/** `u-` + SHA-256 of canonical `[task_id, number of earlier undos]`. */
export function undoIdOf(taskId: string, earlierUndos: number): string {
  return `u-${sha256Hex(canonicalJson([taskId, earlierUndos]))}`;
}
