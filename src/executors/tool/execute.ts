import { type Execution, failure } from '../../core/outcome.ts';
import type { RunContext, Task, ToolAnswer } from '../../core/ports/index.ts';
import { stopped, stopReason } from '../../core/stopped.ts';
import { outcomeOf, refusal } from './answers.ts';
import { parseTask, type ToolTask } from './inputs.ts';
import { sendOnce } from './once.ts';
import type { RunEnd, ToolDeps } from './options.ts';
import { timeLimit } from './time-limit.ts';

/** One call that this host does not know: parseTask, prepare, gate, and for `once` the intent, then the request. */
export function execute(task: Task, context: RunContext, deps: ToolDeps): Promise<Execution> {
  return deps.runs.once(task, async () => {
    const parsed = parseTask(task.manifest, deps.tools);
    if (!parsed.ok) return { execution: { kind: 'outcome', outcome: parsed.error } };
    return call(task, parsed.value, context, deps);
  });
}

async function call(task: Task, toolTask: ToolTask, context: RunContext, deps: ToolDeps): Promise<RunEnd> {
  const { tool, effect, request, timeoutMs } = toolTask;
  // Disposed of at the end of this function, hence `return await` below.
  using limit = timeLimit(context.signal, timeoutMs);
  const prepared = await tool.adapter.prepare(request, limit.signal);
  const early = stopReason(limit.signal);
  if (early === 'timeout')
    return { execution: { kind: 'outcome', outcome: failure('TOOL_FAILED', 'the tool could not be reached within the time limit of the call') } };
  if (early) return { execution: stopped(early) };
  if (prepared.kind !== 'ready') return { execution: refusal(prepared) };
  if (effect === 'once') return await sendOnce({ task, call: toolTask, ready: prepared, limit }, context, deps);

  const closed = context.gate();
  if (closed) return { execution: closed };
  return { execution: repeatable(await prepared.send(limit.signal), limit.signal) };
}

/** The end of a call that may be sent again: what was interrupted runs anew. */
function repeatable(answer: ToolAnswer, signal: AbortSignal): Execution {
  const reason = stopReason(signal);
  const answered = answer.kind === 'ok' || answer.kind === 'failed';
  if (!answered && reason !== undefined && reason !== 'timeout') return stopped(reason);
  return { kind: 'outcome', outcome: outcomeOf(answer, false) };
}
