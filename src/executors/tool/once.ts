import type { Execution } from '../../core/outcome.ts';
import type { PreparedRequest, RunContext, Task, ToolAnswer } from '../../core/ports/index.ts';
import { stopped, stopReason } from '../../core/stopped.ts';
import { outcomeOf, unknown } from './answers.ts';
import type { ToolTask } from './inputs.ts';
import type { RunEnd, ToolDeps } from './options.ts';
import type { TimeLimit } from './time-limit.ts';

const ELSEWHERE: Execution = { kind: 'busy', why: 'another worker has just begun or finished this call' };

interface OnceCall {
  readonly task: Task;
  readonly call: ToolTask;
  readonly ready: Extract<PreparedRequest, { kind: 'ready' }>;
  readonly limit: TimeLimit;
}

/** A call that is made at most once (docs/plan-protocol.md 5): gate, intent on disk, both looked at once more, request. */
export async function sendOnce({ task, call, ready, limit }: OnceCall, context: RunContext, deps: ToolDeps): Promise<RunEnd> {
  const { journal, clock, onPoint } = deps;
  const { task_id: taskId } = task.manifest;
  // From the gate to the request of the intent nothing waits: what the gate saw is what the intent is committed under.
  const closed = context.gate();
  if (closed) return { execution: closed };
  const { manifestSha256, authority } = task;
  const opened = await journal.open({ taskId, manifestSha256, authority, tool: call.ref, operation: call.request.operation }, clock.now());
  if (opened.kind === 'conflict') return { execution: ELSEWHERE };
  if (opened.kind === 'spent') return { execution: { kind: 'outcome', outcome: unknown('a request was sent under this lease before') } };
  onPoint?.('intent', taskId);

  const inTheWay = await lookAgain(taskId, opened.n, limit, context, deps);
  if (inTheWay) {
    await journal.withdraw(taskId, opened.n, clock.now());
    return { execution: inTheWay };
  }
  limit.ignoreCancel();
  const answer = await ready.send(limit.signal);
  onPoint?.('answered', taskId);
  return ended(answer, limit.signal, taskId, opened.n, deps);
}

/**
 * What has changed while the intent was written: this worker may have stood still so long that another has ended the task,
 * or that its lock, its lease or its time is over. From the gate to the request nothing waits.
 */
async function lookAgain(taskId: string, n: number, limit: TimeLimit, context: RunContext, { journal }: ToolDeps): Promise<Execution | undefined> {
  const { open } = await journal.view(taskId);
  if (open?.n !== n) return ELSEWHERE;
  const reason = stopReason(limit.signal);
  return reason ? stopped(reason) : context.gate();
}

async function ended(answer: ToolAnswer, signal: AbortSignal, taskId: string, n: number, { journal, clock }: ToolDeps): Promise<RunEnd> {
  const reason = stopReason(signal);
  const interrupted = reason === 'shutdown' || reason === 'lock-lost';
  // An answer that came in spite of the stop is an answer.
  if (interrupted && answer.kind === 'unsent') {
    await journal.withdraw(taskId, n, clock.now());
    return { execution: stopped(reason) };
  }
  // The attempt stays open: whoever takes over answers TOOL_OUTCOME_UNKNOWN.
  if (interrupted && answer.kind === 'unclear') return { execution: stopped(reason) };
  return { execution: { kind: 'outcome', outcome: outcomeOf(answer, true) }, opened: { n, sent: answer.kind !== 'unsent' } };
}
