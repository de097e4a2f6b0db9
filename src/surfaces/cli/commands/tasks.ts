import { WritError } from '../../../core/errors.ts';
import type { OperatorServices } from '../../shared/tasks/operator.ts';
import type { TaskStatus } from '../../shared/tasks/task-status.ts';
import { auditedCommand, type CommandContext, command, type Registrar } from '../command.ts';
import { operatorServices } from '../operator.ts';
import { toldOfPause } from '../paused-watch.ts';
import { type RegrantFlags, regrantTerms, withRegrant } from '../regrant.ts';
import type { CliServices } from '../services.ts';
import { pairs } from '../text/table.ts';
import { taskStatusJson, taskStatusText } from '../text/task-status.ts';
import { parseSeconds } from '../text/values.ts';

export const register: Registrar = (program, deps, exit) => {
  program
    .command('result <task_id>')
    .description('show the last outcome of a task, or where it stands')
    .option('--verify', "check the executor's signature with the public keys of this data directory")
    .addHelpText('after', '\nExits 0 for SUCCESS, 1 for FAILURE or an unknown id, 3 while there is no outcome yet.')
    .action(command<[string], ResultFlags>(deps, exit, runResult));
  withRegrant(program.command('retry <task_id>').description('run a failed task again; an expired lease is renewed by the kernel'))
    .option('--wait', 'wait for the outcome')
    .option('--timeout <time>', 'with --wait: give up after so long', '60s')
    .action(command<[string], RetryFlags>(deps, exit, runRetry));
  program
    .command('undo <task_id>')
    .description('take back a finished move or delete; the undo is a task of its own')
    .option('--wait', 'wait for the outcome')
    .option('--timeout <time>', 'with --wait: give up after so long', '60s')
    .action(command<[string], UndoFlags>(deps, exit, runUndo));
  program
    .command('cancel <task_id>')
    .description('ask that a task is not done; what has begun is finished')
    .option('--timeout <time>', 'how long to wait for the outcome', '10s')
    .action(command<[string], CancelFlags>(deps, exit, runCancel));
};

interface ResultFlags {
  readonly verify?: boolean;
}

/** `writ result`: the last outcome, or where the task stands. */
async function runResult(context: CommandContext, flags: ResultFlags, word: string): Promise<number> {
  const { taskIdOf, unknownTask, unprovenTask } = await import('../../shared/tasks/task-id.ts');
  const { readTaskStatus } = await import('../../shared/tasks/task-status.ts');
  const taskId = taskIdOf(word);
  const services = await context.services();
  const status = await readTaskStatus(taskId, await services.tasks());
  if (status.state === 'unknown') throw unknownTask(taskId);
  const verified = await verdict(taskId, status, flags, services);

  const value = { task_id: taskId, ...taskStatusJson(status), ...(verified === undefined ? {} : { verified }) };
  await context.output.answer(value, () => resultText(taskId, status, verified, context.clock.now()));
  if (status.state === 'unproven') throw unprovenTask(taskId);
  if (verified === false)
    throw new WritError('INVALID_RESULT', `the result of ${taskId} was not signed by an executor key of this data directory: do not trust it`);
  return exitOf(status);
}

/** Whether the signature holds; a journal's result is looked at again only when it is asked for. */
async function verdict(taskId: string, status: TaskStatus, { verify }: ResultFlags, services: CliServices): Promise<boolean | undefined> {
  if (status.state === 'unproven') return false;
  if (verify !== true || status.state !== 'finished') return undefined;
  const { verifies } = await import('../../shared/tasks/verify-result.ts');
  return verifies(taskId, status, await services.signatures());
}

/** 3 while there is no outcome: asking again later may answer. */
function exitOf(status: TaskStatus): number {
  if (status.state === 'waiting' || status.state === 'running') return 3;
  return status.state === 'finished' && status.outcome.status === 'SUCCESS' ? 0 : 1;
}

function resultText(taskId: string, status: TaskStatus, verified: boolean | undefined, now: number): string {
  const rows: [string, string][] = [
    ['task', taskId],
    ['state', taskStatusText(status, now)],
  ];
  if (status.state === 'finished') {
    rows.push(['from', status.from]);
    if (status.outcome.output) rows.push(['output', JSON.stringify(status.outcome.output)]);
  }
  if (verified !== undefined) rows.push(['signature', verified ? 'verified' : 'DOES NOT VERIFY']);
  return pairs(rows);
}

interface RetryFlags extends RegrantFlags {
  readonly wait?: boolean;
  readonly timeout: string;
}

/** `writ retry`: the failed job runs again with its full budget, under a new lease where the old one has expired. */
async function runRetry(context: CommandContext, flags: RetryFlags, word: string): Promise<number> {
  const { taskIdOf } = await import('../../shared/tasks/task-id.ts');
  const { retryDetail, retryTask } = await import('../../shared/tasks/retry.ts');
  const taskId = taskIdOf(word);
  const services = await operatorServices(context);
  const terms = regrantTerms(flags);
  const { regranted } = await auditedCommand(
    context,
    { action: 'task.retry', subject: taskId, detail: terms },
    () => retryTask(taskId, terms, services),
    retryDetail,
  );
  const said = { value: { retried: true, regranted }, text: `${taskId} runs again${regranted ? ' under a new lease' : ''}` };
  return answerOrWait(context, services, taskId, flags, said);
}

interface UndoFlags {
  readonly wait?: boolean;
  readonly timeout: string;
}

/** `writ undo`: the kernel computes and signs the task that takes the effect back; it is pushed like any other. */
async function runUndo(context: CommandContext, flags: UndoFlags, word: string): Promise<number> {
  const { taskIdOf } = await import('../../shared/tasks/task-id.ts');
  const { undoTask } = await import('../../shared/tasks/undo.ts');
  const taskId = taskIdOf(word);
  const services = await operatorServices(context);
  const { undoId, receipt } = await auditedCommand(context, { action: 'task.undo', subject: taskId }, () => undoTask(taskId, services));
  const said = { value: { undo_of: taskId, receipt: receipt.kind }, text: `${undoId} takes back ${taskId}` };
  return answerOrWait(context, services, undoId, flags, said);
}

interface CancelFlags {
  readonly timeout: string;
}

/** `writ cancel`: asks, and tells what the outcome decided. */
async function runCancel(context: CommandContext, flags: CancelFlags, word: string): Promise<number> {
  const { taskIdOf } = await import('../../shared/tasks/task-id.ts');
  const { cancelTask } = await import('../../shared/tasks/cancel.ts');
  const taskId = taskIdOf(word);
  const timeoutMs = parseSeconds(flags.timeout, '--timeout') * 1000;
  const services = await operatorServices(context);
  const cancelled = await auditedCommand(context, { action: 'task.cancel', subject: taskId }, () =>
    cancelTask(taskId, { timeoutMs, signal: context.interrupted() }, services),
  );
  if (cancelled.kind === 'cancelled') {
    await context.output.answer({ task_id: taskId, cancel: 'cancelled' }, () => `${taskId} is cancelled; nothing was done`);
    return 0;
  }
  const { state } = cancelled.status;
  const why = state === 'running' ? 'the worker has begun' : 'no worker has taken the task yet';
  await context.output.answer({ task_id: taskId, cancel: 'requested', state }, () => `a cancel of ${taskId} is requested: ${why}`);
  return 0;
}

/**
 * The end of a command that put a task on its way: answers at once, or with its outcome when asked to wait.
 *
 * @param said what was done, for both kinds of output
 * @throws WritError TIMEOUT when no outcome came in time
 */
async function answerOrWait(
  context: CommandContext,
  { tasks }: OperatorServices,
  taskId: string,
  flags: { readonly wait?: boolean; readonly timeout: string },
  said: { readonly value: Record<string, unknown>; readonly text: string },
): Promise<number> {
  if (flags.wait !== true) {
    await context.output.answer({ task_id: taskId, ...said.value }, () => said.text);
    return 0;
  }
  const { waitForOutcome } = await import('../../shared/tasks/task-status.ts');
  const timeoutMs = parseSeconds(flags.timeout, '--timeout') * 1000;
  const status = await toldOfPause(context, taskId, waitForOutcome(taskId, tasks, { timeoutMs, signal: context.interrupted() }));
  const { unprovenTask } = await import('../../shared/tasks/task-id.ts');
  if (status.state === 'unproven') throw unprovenTask(taskId);
  const code = exitOf(status);
  if (code === 3) throw new WritError('TIMEOUT', `${said.text}; no outcome within ${flags.timeout}: ${taskStatusText(status, context.clock.now())}`);
  await context.output.answer(
    { task_id: taskId, ...said.value, ...taskStatusJson(status) },
    () => `${said.text}\n${taskStatusText(status, context.clock.now())}`,
  );
  return code;
}
