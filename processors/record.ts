import type { Execution } from '../src/core/outcome.ts';
import type { RecordAnswer, Task } from '../src/core/ports/index.ts';
import { type Answered, answered, answeredWith, conflict } from './answers.ts';
import { type Delivery, type End, jobKey } from './delivery.ts';
import type { PipelineDeps } from './deps.ts';

/**
 * Step 6: sign, close the journal (durable), then the ledger. In this order, so that what Redis calls finished is
 * finished on the host. Ends without an outcome give the claim back.
 */
export async function record(
  delivery: Delivery,
  task: Task,
  execution: Execution | { kind: 'finished'; result: string } | { kind: 'conflict' },
  deps: PipelineDeps,
): Promise<End> {
  const { manifest, manifestSha256, epoch } = task;
  switch (execution.kind) {
    case 'outcome': {
      const result = await deps.signer.sign(manifest, manifestSha256, execution.outcome);
      await deps.executorOf(manifest.capability_id).memory?.conclude(task, execution.outcome.status, result);
      return write(delivery, task, answeredWith(execution.outcome, result), deps);
    }
    case 'finished':
      return write(delivery, task, answered(execution.result, true), deps);
    case 'conflict':
      await deps.ledger.release(manifest.task_id, epoch);
      return conflict(delivery, manifest, manifestSha256, deps);
    case 'busy':
      await deps.ledger.release(manifest.task_id, epoch);
      return { kind: 'busy', why: execution.why };
    case 'interrupted':
      await deps.ledger.release(manifest.task_id, epoch);
      return { kind: 'interrupted', reason: execution.reason };
  }
}

async function write(delivery: Delivery, task: Task, end: Answered, deps: PipelineDeps): Promise<End> {
  const { status, code: errorCode, result } = end;
  const request = { taskId: task.manifest.task_id, epoch: task.epoch, status, errorCode, result, now: deps.clock.now() };
  let answer: RecordAnswer = await deps.ledger.record(request);
  if (answer === 'lost') answer = await recordAfterLoss(delivery, task, request, deps);
  return answer === 'recorded' ? end : { kind: 'interrupted', reason: 'stale' };
}

/** The row went with Redis: rebuild, claim the empty place, write. A SUCCESS came back with the journal already. */
async function recordAfterLoss(
  delivery: Delivery,
  task: Task,
  request: Parameters<PipelineDeps['ledger']['record']>[0],
  deps: PipelineDeps,
): Promise<RecordAnswer> {
  await deps.recoverLedger();
  const answer = await deps.ledger.claim({
    taskId: request.taskId,
    manifestSha256: task.manifestSha256,
    jobKey: jobKey(delivery),
    instance: deps.instance,
    exp: task.authority.exp,
    now: deps.clock.now(),
  });
  if (answer.kind === 'finished') return answer.result === request.result ? 'recorded' : 'stale';
  return 'epoch' in answer ? deps.ledger.record({ ...request, epoch: answer.epoch }) : 'stale';
}
