import type { IndexChange, IndexedTask, JobRef } from '../src/core/ports/index.ts';
import type { FeedContext } from './task-feed-context.ts';
import { readJobs } from './task-feed-jobs.ts';
import { type LedgerLook, readLedger, taskOfLedger } from './task-feed-ledger.ts';
import { taskIdOfJob, taskOfJob } from './task-feed-row.ts';
import type { JobEvent } from './task-feed-stream.ts';
import { reasonOf } from './task-feed-text.ts';

/** What the newest events of jobs mean for the index: the jobs are read as they are now; the forgotten ones are looked up. */
export async function changesOf(context: FeedContext, events: readonly JobEvent[]): Promise<readonly IndexChange[]> {
  const jobs = await readJobs(context.redis, events);
  const changes: IndexChange[] = [];
  const forgotten: JobEvent[] = [];
  for (const [index, event] of events.entries()) {
    const job = jobs[index];
    if (job === undefined) forgotten.push(event);
    // A job that was removed and is there was added again: that event follows.
    else if (event.state !== undefined) changes.push({ kind: 'event', task: taskOfJob(job, { state: event.state, at: event.at, seenAt: event.at }) });
  }
  return forgotten.length === 0 ? changes : [...changes, ...(await forgottenChanges(context, forgotten))];
}

/** Jobs that BullMQ has removed. The event may still tell how they ended; otherwise the ledger may know the task. */
async function forgottenChanges(context: FeedContext, events: readonly JobEvent[]): Promise<readonly IndexChange[]> {
  const known = await context.index.rows(events);
  const looks = await ledgerOf(
    context,
    events.map((event, index) => known[index]?.taskId ?? taskIdOfJob(event.jobId)),
  );
  return events.flatMap((event, index): readonly IndexChange[] => {
    const ended = known[index] && endedBy(event, known[index]);
    return ended ? [{ kind: 'event', task: ended }] : afterJob(context, event, known[index], looks[index], event.at);
  });
}

function endedBy({ state, at, failedReason }: JobEvent, known: IndexedTask): IndexedTask | undefined {
  if (state !== 'success' && state !== 'failure') return undefined;
  const { code: errorCode, message } = state === 'failure' ? reasonOf(failedReason) : { code: undefined, message: undefined };
  return { ...known, state, errorCode: errorCode ?? (state === 'failure' ? known.errorCode : undefined), message, updatedAt: at, seenAt: at };
}

/**
 * What is left of a task whose job is gone: a row that ended stays while the ledger knows the task; another gets the
 * ledger's outcome, or goes, because nobody will run it.
 */
export function afterJob(
  { pool }: FeedContext,
  { queue, jobId }: JobRef,
  known: IndexedTask | undefined,
  look: LedgerLook | undefined,
  seenAt: number,
): readonly IndexChange[] {
  const hasEnded = known?.state === 'success' || known?.state === 'failure';
  if (hasEnded && look !== undefined && look.kind !== 'none') return [];
  const taskId = known?.taskId ?? taskIdOfJob(jobId);
  if (taskId === undefined || look?.kind !== 'ended') return [{ kind: 'gone', queue, jobId, seenAt }];
  return [{ kind: 'look', task: { ...taskOfLedger(taskId, look, known, { pool, seenAt }), queue, jobId } }];
}

/** The ledger rows of these tasks, in their order; `undefined` for no id. */
export async function ledgerOf({ redis, results }: FeedContext, taskIds: readonly (string | undefined)[]): Promise<readonly (LedgerLook | undefined)[]> {
  const asked = taskIds.filter((taskId) => taskId !== undefined);
  const looks = asked.length === 0 ? [] : await readLedger(redis, results, asked);
  let next = 0;
  return taskIds.map((taskId) => {
    if (taskId === undefined) return undefined;
    next += 1;
    return looks[next - 1];
  });
}
