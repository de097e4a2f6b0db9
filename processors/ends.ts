import { ExecutionResult, type TaskManifest } from '../src/contracts/index.ts';
import { failure, type Outcome } from '../src/core/outcome.ts';
import { type Delivery, type End, jobKey } from './delivery.ts';
import type { PipelineDeps } from './deps.ts';

/** Answers a job without touching the task's row. */
export async function refuse(delivery: Delivery, manifest: TaskManifest, manifestSha256: string, outcome: Outcome, deps: PipelineDeps): Promise<End> {
  const result = await deps.signer.sign(manifest, manifestSha256, outcome);
  await deps.ledger.refuse(manifest.task_id, jobKey(delivery), result);
  return { kind: 'refused', code: outcome.error?.error_code ?? '', message: outcome.error?.message ?? '', result };
}

export function conflict(delivery: Delivery, manifest: TaskManifest, manifestSha256: string, deps: PipelineDeps): Promise<End> {
  return refuse(delivery, manifest, manifestSha256, failure('EXECUTION_FAILED', 'task_id already used for another manifest'), deps);
}

export type Answered = Extract<End, { kind: 'answered' }>;

/** The end of a task whose outcome was recorded earlier; `result` is the stored text. */
export function answered(result: string, replayed: boolean): Answered {
  const { status, error } = ExecutionResult.parse(JSON.parse(result));
  return { kind: 'answered', status, code: error?.error_code, message: error?.message ?? '', result, replayed };
}

/** The end of a task that has just been run; `result` is the outcome, signed. */
export function answeredWith({ status, error }: Outcome, result: string): Answered {
  return { kind: 'answered', status, code: error?.error_code, message: error?.message ?? '', result, replayed: false };
}
