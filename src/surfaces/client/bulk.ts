import { type BatchLimits, batchesOf } from './batches.ts';
import { WritApiError, WritConnectionError } from './errors.ts';
import { ndjsonOf } from './ndjson.ts';
import { pauseAfter, sleep } from './pause.ts';
import { queryOf, type SubmitTerms } from './submit-terms.ts';
import type { Transport } from './transport.ts';
import type { BulkReceipt, BulkSummary, TaskSubmission } from './types.ts';

export type BulkTotals = BulkSummary['summary'];

export interface BulkOptions extends SubmitTerms {
  /** Limits of each request. */
  readonly batch?: Partial<BatchLimits>;
  readonly signal?: AbortSignal;
}

const BATCH: BatchLimits = { lines: 500, chars: 1024 * 1024, lingerMs: 50 };

/**
 * Pushes tasks through the NDJSON route, a request per batch, and yields a receipt per task in their order. The next tasks
 * are read when the receipts of the last ones were taken; the totals are the return value. A batch without a whole answer is
 * sent again, which is safe: its tasks then read `in_flight` or `finished`.
 *
 * @throws WritApiError, WritConnectionError; receipts that were yielded stay valid
 */
export async function* submitMany(
  tasks: Iterable<TaskSubmission> | AsyncIterable<TaskSubmission>,
  { batch, ...options }: BulkOptions,
  transport: Transport,
): AsyncGenerator<BulkReceipt, BulkTotals> {
  const totals: BulkTotals = { lines: 0, accepted: 0, in_flight: 0, retried: 0, finished: 0, rejected: 0 };
  for await (const lines of batchesOf(linesOf(tasks, options.signal), { ...BATCH, ...batch })) {
    for await (const receipts of receiptsOf(lines, options, transport)) {
      for (const receipt of receipts) {
        totals.lines += 1;
        totals[receipt.receipt] += 1;
        yield { ...receipt, line: totals.lines };
      }
    }
  }
  return totals;
}

async function* linesOf(tasks: Iterable<TaskSubmission> | AsyncIterable<TaskSubmission>, signal: AbortSignal | undefined): AsyncGenerator<string> {
  for await (const task of tasks) {
    signal?.throwIfAborted();
    yield `${JSON.stringify(task)}\n`;
  }
}

/** The receipts of one batch. The server may stop in between (its queue is full): then the rest is sent later. */
async function* receiptsOf(lines: readonly string[], options: Omit<BulkOptions, 'batch'>, transport: Transport): AsyncGenerator<readonly BulkReceipt[]> {
  const { retries, random } = transport.settings;
  let rest = lines;
  for (let failures = 0; rest.length > 0; failures += 1) {
    const { receipts, problem } = await sent(rest, options, transport);
    yield receipts;
    rest = rest.slice(receipts.length);
    if (receipts.length > 0) failures = 0;
    if (rest.length === 0) return;
    const error = problem === undefined ? new WritConnectionError('the server answered fewer lines than it was sent') : new WritApiError(problem);
    const pause = failures < retries ? pauseAfter(error, failures, random) : undefined;
    if (pause === undefined) throw error;
    await sleep(pause, options.signal);
  }
}

type Sent = { readonly receipts: readonly BulkReceipt[]; readonly problem: BulkSummary['problem'] };

function sent(lines: readonly string[], { signal, ...terms }: Omit<BulkOptions, 'batch'>, transport: Transport): Promise<Sent> {
  const ask = {
    method: 'POST',
    path: '/v1/tasks',
    query: queryOf(terms),
    headers: { accept: 'application/x-ndjson' },
    ndjson: lines.join(''),
    signal,
    repeatable: true,
  } as const;
  return transport.read(ask, async (chunks) => {
    const receipts: BulkReceipt[] = [];
    for await (const line of ndjsonOf<BulkReceipt | BulkSummary>(chunks)) {
      if ('summary' in line) return { receipts, problem: line.problem };
      receipts.push(line);
    }
    throw new WritConnectionError('the answer ended without its summary');
  });
}
