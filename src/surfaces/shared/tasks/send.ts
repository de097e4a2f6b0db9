import { isWritError } from '../../../core/errors.ts';
import type { Enqueue, Grant, KernelClient, LeaseTerms, PushOptions, Receipt } from '../../../core/ports/index.ts';
import type { ParsedTask, Rejection } from '../input/parse-task.ts';

/** What one chunk became: every task is in exactly one of the lists. */
export interface Sent {
  readonly receipts: readonly (readonly [ParsedTask, Receipt])[];
  readonly rejections: readonly Rejection[];
}

export interface Signed {
  readonly tasks: readonly ParsedTask[];
  readonly rejections: readonly Rejection[];
}

/** Asks the kernel for the leases that are missing, all in one request. A lease that came with the task is kept. */
export async function signChunk(chunk: readonly ParsedTask[], kernel: Pick<KernelClient, 'issue'> | undefined, terms: LeaseTerms): Promise<Signed> {
  const bare = chunk.filter(({ job }) => job.lease === undefined);
  if (kernel === undefined || bare.length === 0) return { tasks: chunk, rejections: [] };
  const grants = await kernel.issue(
    bare.map(({ job }) => job.manifest),
    terms,
  );
  const grantOf = new Map<ParsedTask, Grant | undefined>(bare.map((task, at) => [task, grants[at]]));
  const tasks: ParsedTask[] = [];
  const rejections: Rejection[] = [];
  for (const task of chunk) {
    const grant = grantOf.get(task);
    if (!grantOf.has(task)) tasks.push(task);
    else if (grant?.kind === 'granted') tasks.push({ line: task.line, job: { ...task.job, lease: grant.lease }, granted: true });
    else rejections.push(rejection(task, grant ?? { code: 'KERNEL_UNAVAILABLE', message: 'the kernel did not answer for this task' }));
  }
  return { tasks, rejections };
}

/** Pushes one chunk. When a job of it is refused as it stands, the others are pushed one by one. */
export async function sendChunk({ tasks, rejections }: Signed, enqueue: Enqueue, options: PushOptions): Promise<Sent> {
  if (tasks.length === 0) return { receipts: [], rejections };
  try {
    const receipts = await enqueue.pushMany(
      tasks.map(({ job }) => job),
      options,
    );
    return { receipts: tasks.flatMap((task, at) => (receipts[at] ? [[task, receipts[at]] as const] : [])), rejections };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return oneByOne(tasks, rejections, enqueue, options);
  }
}

async function oneByOne(tasks: readonly ParsedTask[], before: readonly Rejection[], enqueue: Enqueue, options: PushOptions): Promise<Sent> {
  const receipts: (readonly [ParsedTask, Receipt])[] = [];
  const rejections = [...before];
  for (const task of tasks) {
    try {
      receipts.push([task, await enqueue.push(task.job, options)]);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      rejections.push(rejection(task, error));
    }
  }
  return { receipts, rejections };
}

/** About this one task; every other error is about the system and ends the push. */
function isRefusal(error: unknown): error is Parameters<typeof rejection>[1] {
  return isWritError(error) && (error.code === 'INVALID_MANIFEST' || error.code === 'INVALID_ARGUMENT');
}

function rejection({ line, job }: ParsedTask, { code, message, field }: { code: Rejection['code']; message: string; field?: string | undefined }): Rejection {
  return { line, task_id: job.manifest.task_id, code, message, ...(field === undefined ? {} : { field }) };
}
