import { isWritError } from '../../../core/errors.ts';
import type { KernelClient, LeaseTerms, PushOptions, Receipt, TaskGateway } from '../../../core/ports/index.ts';
import { gathered } from '../input/gather.ts';
import { createLineFeeder } from '../input/lines.ts';
import { type ParsedTask, parseTask, type Rejection } from '../input/parse-task.ts';
import type { RawItem } from '../input/raw-item.ts';
import { type Sent, sendChunk, signChunk } from './send.ts';
import type { LeaseRefusal } from './submit.ts';

/** Lines per request to the kernel, to the crypto threads and to Redis. */
const CHUNK = 200;

export interface PushStreamPorts {
  readonly tasks: Pick<TaskGateway, 'enqueue' | 'ledger'>;
  /** Checks a task before it is queued (`refuseLease`). */
  refusal(task: Pick<ParsedTask, 'job' | 'granted'>): Promise<LeaseRefusal | undefined>;
  /** Signs what has no lease; `undefined`: a missing lease is refused. */
  readonly kernel: Pick<KernelClient, 'issue'> | undefined;
  /** Told of the tasks of a chunk before it is queued. */
  readonly announce?: (tasks: readonly ParsedTask[]) => Promise<void>;
  /** Told of those of a chunk that were done before they were pushed. */
  readonly finished?: (tasks: readonly ParsedTask[]) => Promise<void>;
}

/** What became of one line. */
export type LineAnswer = { readonly line: number; readonly receipt: Receipt } | Rejection;

/**
 * Pushes the lines of an NDJSON stream in their order. Back-pressure goes both ways: a chunk is pushed when the answers
 * to the one before it have been taken, and while nobody takes them one further chunk is checked and one piece (256 KiB) read.
 *
 * @returns the answers to one chunk after the other, in the order of the lines
 * @throws errors of Redis and the kernel; what was answered before them is queued
 */
export async function* pushStream(
  source: AsyncIterable<Uint8Array>,
  ports: PushStreamPorts,
  options: { readonly push: PushOptions; readonly terms: LeaseTerms },
): AsyncGenerator<readonly LineAnswer[]> {
  const chunks = chunksOf(source);
  const checkNext = async (): Promise<CheckedChunk | undefined> => {
    const chunk = await chunks.next();
    return chunk.done === true ? undefined : check(chunk.value, ports, options.terms);
  };
  let ahead = checkNext();
  for (;;) {
    const checked = await ahead;
    if (!checked) return;
    ahead = checkNext();
    ahead.catch(() => undefined);
    await ports.announce?.(checked.tasks);
    const sent = await sendChunk(checked, ports.tasks.enqueue, options.push);
    await ports.finished?.(sent.receipts.flatMap(([task, { kind }]) => (kind === 'finished' ? [task] : [])));
    yield inOrder(sent);
  }
}

/** Lines as they come in: a slow writer's are not held back until a chunk is full. */
async function* chunksOf(source: AsyncIterable<Uint8Array>): AsyncGenerator<readonly RawItem[]> {
  const feeder = createLineFeeder();
  for await (const bytes of gathered(source)) yield* slices(feeder.push(bytes));
  yield* slices(feeder.end());
}

function* slices(items: readonly RawItem[]): Generator<readonly RawItem[]> {
  for (let at = 0; at < items.length; at += CHUNK) yield items.slice(at, at + CHUNK);
}

interface CheckedChunk {
  readonly tasks: readonly ParsedTask[];
  readonly rejections: readonly Rejection[];
}

/** Shape, lease from the kernel where one is missing and may be asked for, and the lease itself. */
async function check(items: readonly RawItem[], { kernel, refusal }: PushStreamPorts, terms: LeaseTerms): Promise<CheckedChunk> {
  const tasks: ParsedTask[] = [];
  const rejections: Rejection[] = [];
  for (const item of items) {
    const task = parseTask(item);
    if ('code' in task) rejections.push(task);
    else tasks.push(task);
  }
  const signed = await signChunk(tasks, kernel, terms);
  // All at once, so that the crypto threads get one batch.
  const refusals = await Promise.all(signed.tasks.map((task) => refusalOf(task, refusal)));
  const refused = refusals.filter((rejection) => rejection !== undefined);
  return { tasks: signed.tasks.filter((_, at) => refusals[at] === undefined), rejections: [...rejections, ...signed.rejections, ...refused] };
}

async function refusalOf(task: ParsedTask, refusal: PushStreamPorts['refusal']): Promise<Rejection | undefined> {
  const { line, job } = task;
  const task_id = job.manifest.task_id;
  try {
    const refused = await refusal(task);
    return refused && { line, task_id, ...refused };
  } catch (error) {
    if (!isWritError(error) || error.code !== 'INVALID_MANIFEST') throw error;
    return { line, task_id, code: error.code, message: error.message, ...(error.field === undefined ? {} : { field: error.field }) };
  }
}

function inOrder({ receipts, rejections }: Sent): readonly LineAnswer[] {
  const answers: LineAnswer[] = [...receipts.map(([{ line }, receipt]) => ({ line, receipt })), ...rejections];
  return answers.sort((a, b) => a.line - b.line);
}
