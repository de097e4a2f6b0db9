import type { TaskView } from '../../../contracts/index.ts';
import type { JournalView, SignatureReader, TaskGateway } from '../../../core/ports/index.ts';
import { unknownTask } from './task-id.ts';
import { readTaskStatus, type TaskStatus } from './task-status.ts';
import { verifies } from './verify-result.ts';
import { taskViewOf } from './view.ts';

/** What the journal of this host knows of a task, as far as an operator needs it. */
export interface JournalFacts {
  readonly attempts: number;
  /** An attempt has begun and has no end yet. */
  readonly open: boolean;
  /** Its effect stands on disk, unless it is undone. */
  readonly succeeded: boolean;
  readonly undone_by?: string;
  /** Its effect may have happened, although it ended with a failure. */
  readonly doubtful: boolean;
  /** Only the line that keeps it from running twice is left. */
  readonly trimmed: boolean;
}

/** All that is known of one task. */
export interface TaskDetails {
  /** Absent: what is stored as its outcome was signed by nobody who is trusted here. */
  readonly view?: TaskView;
  /** Which of the three records has told the outcome. */
  readonly from?: 'ledger' | 'journal' | 'refusal';
  /** The executor's signature was looked at again; absent without an outcome. */
  readonly verified?: boolean;
  /** Absent where no journal lies. */
  readonly journal?: JournalFacts;
  readonly may: { readonly retry: boolean; readonly undo: boolean; readonly cancel: boolean };
}

/** @throws WritError NOT_FOUND, REDIS_UNAVAILABLE, STORAGE_UNAVAILABLE */
export async function taskDetails(taskId: string, tasks: TaskGateway, signatures: () => Promise<SignatureReader>): Promise<TaskDetails> {
  const status = await readTaskStatus(taskId, tasks);
  if (status.state === 'unknown') throw unknownTask(taskId);
  const facts = factsOf(await tasks.journal?.view(taskId));
  const common = { ...(facts === undefined ? {} : { journal: facts }), may: mayBe(status, facts) };
  if (status.state === 'unproven') return { ...common, verified: false };
  const view = taskViewOf(taskId, status, await signatures());
  if (status.state !== 'finished') return { ...common, view };
  return { ...common, view, from: status.from, verified: await verifies(taskId, status, await signatures()) };
}

function factsOf(view: JournalView | undefined): JournalFacts | undefined {
  if (view === undefined) return undefined;
  const { attempts, open, success, doubtful, trimmed } = view;
  return {
    attempts,
    open: open !== undefined,
    succeeded: success !== undefined || trimmed !== undefined,
    ...(success?.undoneBy === undefined ? {} : { undone_by: success.undoneBy }),
    doubtful: doubtful !== undefined,
    trimmed: trimmed !== undefined,
  };
}

/** What an operator would not be refused at once; the operation itself decides. */
function mayBe(status: Exclude<TaskStatus, { state: 'unknown' }>, facts: JournalFacts | undefined): TaskDetails['may'] {
  const done = status.state === 'finished' && status.outcome.status === 'SUCCESS';
  return {
    retry: status.state !== 'malformed' && status.job?.state === 'failed' && !done,
    undo: done && facts?.undone_by === undefined && (status.outcome.output?.['undo_metadata'] ?? null) !== null,
    cancel: status.state === 'waiting' || status.state === 'running',
  };
}
