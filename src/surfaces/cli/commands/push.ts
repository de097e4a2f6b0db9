import { counted } from '../../../core/units.ts';
import type { Rejection } from '../../shared/input/parse-task.ts';
import { whyNothingCame } from '../../shared/queues.ts';
import { leaseTermsOf } from '../../shared/tasks/lease-terms.ts';
import { type CommandContext, command, openInput, type Registrar } from '../command.ts';
import { watchPaused } from '../paused-watch.ts';
import type { Progress } from '../push/progress.ts';
import type { PushReport, PushSummary } from '../push/push-all.ts';
import { taskStatusJson, taskStatusText } from '../text/task-status.ts';
import { parseLeaseTerms, parseSeconds, parseWhen, parseWhole } from '../text/values.ts';

const EXAMPLES = `
Examples:
  writ push task.json --sign --wait          one manifest, printed or on one line
  writ push tasks.ndjson --sign              a manifest or {"manifest", "lease"} per line
  generate | writ push - --json > receipts   a stream, answered as a stream`;

export const register: Registrar = (program, deps, exit) => {
  program
    .command('push <file>')
    .description('push tasks onto their queue: JSON or NDJSON, "-" reads standard input')
    .option('--sign', 'have the kernel issue a lease for every task that has none')
    .option('--ttl <time>', 'life of these leases, e.g. 15m, 24h, 30d')
    .option('--confirmed-by <person>', 'who confirmed the manifests that say hrc_required')
    .option('--attempts <count>', 'tries for errors that may pass (1 to 25)')
    .option('--not-before <time>', 'no worker takes them before: RFC 3339, or from now on, e.g. 15m, 24h, 30d')
    .option('--priority <number>', '0, as without: before every other; then 1 before 2')
    .option('--dry-run', 'only say what each task would meet: authority, paths, what stands in the way')
    .option('--wait', 'wait for every outcome')
    .option('--timeout <time>', 'with --wait: give up after so long without news', '300s')
    .addHelpText('after', EXAMPLES)
    .action(command<[string], PushFlags>(deps, exit, runPush));
};

interface PushFlags {
  readonly sign?: boolean;
  readonly ttl?: string;
  readonly attempts?: string;
  readonly confirmedBy?: string;
  readonly notBefore?: string;
  readonly priority?: string;
  readonly dryRun?: boolean;
  readonly wait?: boolean;
  readonly timeout: string;
}

/** So many troubles are told one by one to a person; a program gets all of them with --json. */
const TOLD = 50;
const MAX_ATTEMPTS = 25;

/** `writ push`: reads, signs, pushes, waits; answers with a summary even when it was broken off. */
async function runPush(context: CommandContext, flags: PushFlags, file: string): Promise<number> {
  const { createProgress } = await import('../push/progress.ts');
  const { createFollower, emptySummary, pushAll } = await import('../push/push-all.ts');
  const terms = parseLeaseTerms(flags);
  const quietMs = parseSeconds(flags.timeout, '--timeout') * 1000;
  const attempts = flags.attempts === undefined ? undefined : parseWhole(flags.attempts, '--attempts', { min: 1, max: MAX_ATTEMPTS });
  const push = { ...(attempts === undefined ? {} : { attempts }), ...parseWhen(flags, context.clock.now()) };
  const input = await openInput(context, file);
  if (flags.dryRun === true) return (await import('../push/dry-run.ts')).runDryRun(context, input.stream, { sign: flags.sign === true, push });
  const services = await context.services();
  const tasks = await services.tasks();
  const kernel = flags.sign === true ? await services.kernel() : undefined;
  const signal = context.interrupted();
  const follower = flags.wait === true ? createFollower(tasks, quietMs, signal) : undefined;

  const summary = emptySummary();
  const started = context.clock.monotonic();
  const progress = createProgress(context.io, input.bytes, follower !== undefined);
  const queues = new Set<string>();
  const look = async (): Promise<readonly string[]> => (await (await services.queues()).paused()).filter((name) => queues.has(name));
  const watch = follower && watchPaused(context, look, progress.aside);
  let isWhole = false;
  try {
    await pushAll(
      input.stream,
      { tasks, kernel, follower },
      { terms: { ...terms, ...leaseTermsOf(push) }, push, signal },
      reporter(context, progress, summary, queues),
      summary,
    );
    isWhole = true;
  } finally {
    follower?.stop();
    watch?.stop();
    progress.stop();
    summary.ms = Math.round(context.clock.monotonic() - started);
    await close(context, summary, isWhole);
  }
  return exitOf(summary);
}

/** @param queues those on which something was put, for whoever looks whether they are paused */
function reporter(context: CommandContext, progress: Progress, summary: PushSummary, queues: Set<string>): PushReport {
  let told = 0;
  let read = 0;
  const show = (): void => progress.update(read, takenOver(summary), summary.succeeded + summary.failed);
  const tell = (text: string): void => {
    told += 1;
    if (context.output.json || told > TOLD) return;
    progress.aside();
    context.output.note(told === TOLD ? `${text}\n(more of these are only counted; --json tells all)` : text);
  };
  return {
    async receipt({ line }, receipt) {
      const { taskId, kind } = receipt;
      if ('queue' in receipt) queues.add(receipt.queue);
      show();
      await context.output.line({ line, task_id: taskId, receipt: kind, ...('jobId' in receipt ? { queue: receipt.queue, job_id: receipt.jobId } : {}) });
      if (kind === 'conflict') tell(`line ${line}: ${taskId}: the task_id is already used for another manifest (TASK_ID_CONFLICT)`);
    },
    async rejected(rejection) {
      await context.output.line({ ...rejection, receipt: rejection.code === 'TASK_ID_CONFLICT' ? 'conflict' : 'rejected' });
      tell(rejectionText(rejection));
    },
    async outcome(taskId, status) {
      show();
      await context.output.line({ task_id: taskId, ...taskStatusJson(status) });
      if (status.state !== 'finished' || status.outcome.status === 'FAILURE') tell(`${taskId}: ${taskStatusText(status, context.clock.now())}`);
    },
    progress(bytesRead) {
      read = bytesRead;
      show();
    },
  };
}

function rejectionText({ line, task_id, code, field, message, problems = [] }: Rejection): string {
  const others = problems.slice(1).map((one) => `\n         ${one.field} ${one.message}`);
  return `line ${line}: ${task_id === undefined ? '' : `${task_id}: `}${field === undefined || message.startsWith(`the ${field} `) ? '' : `${field} `}${message} (${code})${others.join('')}`;
}

/** @param isWhole nothing broke the push off: what was not counted was not there */
async function close(context: CommandContext, summary: PushSummary, isWhole: boolean): Promise<void> {
  await context.output.answer({ summary }, () => `${summaryText(summary, isWhole)} in ${(summary.ms / 1000).toFixed(1)} s`);
  if (!context.output.json && summary.unanswered > 0 && !summary.interrupted) {
    const why = await whyNothingCame(async () => (await context.services()).queues());
    context.output.note(`no outcome yet for ${counted(summary.unanswered, 'task')}: ${why}`);
  }
}

/** Tasks that a queue or the ledger knows now. */
function takenOver({ accepted, retried, in_flight, replayed }: PushSummary): number {
  return accepted + retried + in_flight + replayed;
}

/** 2: nothing was usable, or nothing was there. 1: something was refused, failed or broken off. 3: no outcome in time. */
export function exitOf(summary: PushSummary): number {
  if (!summary.interrupted && takenOver(summary) + summary.conflicts === 0) return 2;
  if (summary.rejected + summary.conflicts + summary.failed > 0 || summary.interrupted) return 1;
  return summary.unanswered > 0 ? 3 : 0;
}

/** `accepted 3, rejected 1`, without the zeros. */
function summaryText(summary: PushSummary, isWhole: boolean): string {
  const words = Object.entries(summary)
    .filter((entry): entry is [string, number] => typeof entry[1] === 'number' && entry[0] !== 'ms' && entry[1] > 0)
    .map(([name, count]) => `${name.replace('_', ' ')} ${count}`);
  const nothing = isWhole ? 'nothing to push' : 'no task was answered';
  const end = summary.interrupted ? ' (interrupted)' : isWhole ? '' : ' (broken off)';
  return `${words.length === 0 ? nothing : words.join(', ')}${end}`;
}
