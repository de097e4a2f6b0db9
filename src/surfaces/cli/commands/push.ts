import type { Rejection } from '../../shared/input/parse-task.ts';
import type { Call } from '../command.ts';
import { openInput } from '../input/open.ts';
import { termsOf } from '../operations/terms.ts';
import { taskStatusJson, taskStatusText } from '../text/task-status.ts';
import { counted, parseSeconds, parseWhole } from '../text/values.ts';
import { createFollower } from './follow.ts';
import { createProgress, type Progress } from './progress.ts';
import { type PushReport, pushAll } from './push-all.ts';
import { emptySummary, exitOf, type PushSummary, summaryText } from './tally.ts';

export interface PushFlags {
  readonly sign?: boolean;
  readonly ttl?: string;
  readonly attempts?: string;
  readonly confirmedBy?: string;
  readonly wait?: boolean;
  readonly timeout: string;
}

/** So many troubles are told one by one to a person; a program gets all of them with --json. */
const TOLD = 50;
const MAX_ATTEMPTS = 25;

/** `writ push`: reads, signs, pushes, waits; answers with a summary even when it was broken off. */
export async function runPush(call: Call, flags: PushFlags, file: string): Promise<number> {
  const terms = termsOf(flags);
  const quietMs = parseSeconds(flags.timeout, '--timeout') * 1000;
  const attempts = flags.attempts === undefined ? undefined : parseWhole(flags.attempts, '--attempts', { min: 1, max: MAX_ATTEMPTS });
  const input = await openInput(call.io, file);
  const services = await call.services();
  const tasks = await services.tasks();
  const kernel = flags.sign === true ? await services.kernel() : undefined;
  const signal = call.interrupted();
  const follower = flags.wait === true ? createFollower(tasks, quietMs, signal) : undefined;

  const summary = emptySummary();
  const started = call.clock.monotonic();
  const progress = createProgress(call.io, input.bytes);
  try {
    const push = attempts === undefined ? {} : { attempts };
    await pushAll(input.stream, { tasks, kernel, follower }, { terms, push, signal }, reporter(call, progress), summary);
  } finally {
    follower?.stop();
    progress.stop();
    summary.ms = Math.round(call.clock.monotonic() - started);
    await close(call, summary);
  }
  return exitOf(summary);
}

function reporter(call: Call, progress: Progress): PushReport {
  let told = 0;
  const tell = (text: string): void => {
    told += 1;
    if (call.output.json || told > TOLD) return;
    progress.aside();
    call.output.note(told === TOLD ? `${text}\n(more of these are only counted; --json tells all)` : text);
  };
  return {
    async receipt({ line }, receipt) {
      const { taskId, kind } = receipt;
      await call.output.line({ line, task_id: taskId, receipt: kind, ...('jobId' in receipt ? { queue: receipt.queue, job_id: receipt.jobId } : {}) });
      if (kind === 'conflict') tell(`line ${line}: ${taskId}: the task_id is already used for another manifest (TASK_ID_CONFLICT)`);
    },
    async rejected(rejection) {
      await call.output.line({ ...rejection, receipt: 'rejected' });
      tell(rejectionText(rejection));
    },
    async outcome(taskId, status) {
      await call.output.line({ task_id: taskId, ...taskStatusJson(status) });
      if (status.state !== 'finished' || status.outcome.status === 'FAILURE') tell(`${taskId}: ${taskStatusText(status, call.clock.now())}`);
    },
    progress: (bytesRead, summary) => progress.update(bytesRead, summary),
  };
}

function rejectionText({ line, task_id, code, field, message }: Rejection): string {
  return `line ${line}: ${task_id === undefined ? '' : `${task_id}: `}${field === undefined ? '' : `${field} `}${message} (${code})`;
}

async function close(call: Call, summary: PushSummary): Promise<void> {
  await call.output.answer({ summary }, () => `${summaryText(summary)} in ${(summary.ms / 1000).toFixed(1)} s`);
  if (!call.output.json && summary.unanswered > 0 && !summary.interrupted) {
    call.output.note(`no outcome yet for ${counted(summary.unanswered, 'task')}: is a worker running? \`npx writ status\` shows it`);
  }
}
