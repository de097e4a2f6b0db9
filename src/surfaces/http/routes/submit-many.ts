import type { BulkReceipt, BulkSummary } from '../../../contracts/index.ts';
import { WritError } from '../../../core/errors.ts';
import type { Receipt } from '../../../core/ports/index.ts';
import { untilAborted } from '../../shared/input/until-aborted.ts';
import { leaseTermsOf } from '../../shared/tasks/lease-terms.ts';
import { type LineAnswer, type PushStreamPorts, pushStream } from '../../shared/tasks/push-stream.ts';
import { refuseLease, subjectOf, wishOf } from '../../shared/tasks/submit.ts';
import { dropRest } from '../drop-rest.ts';
import { problemOf } from '../problem.ts';
import type { Answer, Call } from '../route.ts';
import { answerLines, linesOf } from './ndjson-answer.ts';
import type { PushQuery } from './shapes.ts';
import { pushOptions, signingKernel } from './submit-one.ts';

type BulkCall = Call<undefined, PushQuery, unknown>;

/** A stream of tasks, answered line by line. What was answered is queued, also when the stream breaks off. */
export async function submitMany(call: BulkCall): Promise<Answer> {
  if (call.query.dry_run === true) throw new WritError('INVALID_ARGUMENT', 'dry_run: takes one task, not a stream', { field: 'dry_run' });
  const kernel = await signingKernel(call);
  return answerLines(call.reply, kernel ? auditedLines(call, bulkLines(call, kernel)) : bulkLines(call, undefined));
}

async function* bulkLines(call: BulkCall, kernel: Awaited<ReturnType<typeof signingKernel>>): AsyncGenerator<string> {
  const { services, query, request, reply } = call;
  const { tasks } = services;
  const signatures = await services.signatures();
  const over = new AbortController();
  // The connection carries the answer as well, so the end of the reading must not end it.
  const body = request.raw.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
  const source = untilAborted(body, AbortSignal.any([call.signal, over.signal]));
  const push = pushOptions(query);
  const refusal: PushStreamPorts['refusal'] = ({ job, granted }) =>
    refuseLease(job, { signatures, tasks, now: services.clock.now(), queue: query.queue, notBefore: push.notBefore, granted });
  const announce: PushStreamPorts['announce'] = (asked) =>
    services.webhooks.want(
      asked.map(({ job }) => wishOf(job)),
      call.caller.name,
      query.webhook,
    );
  const finished: PushStreamPorts['finished'] = (done) => services.webhooks.ended(done.map(({ job }) => subjectOf(job)));
  const { summary } = emptySummary();
  try {
    for await (const answers of pushStream(source, { tasks, refusal, kernel, announce, finished }, { push, terms: leaseTermsOf(push) })) {
      const receipts = answers.map(receiptOf);
      for (const { receipt } of receipts) summary[receipt] += 1;
      summary.lines += receipts.length;
      yield linesOf(receipts);
    }
    yield linesOf([{ summary } satisfies BulkSummary]);
  } catch (error) {
    // Before the first line the answer can still be a status of its own.
    if (summary.lines === 0) throw error;
    yield linesOf([{ summary, problem: problemOf(error) } satisfies BulkSummary]);
  } finally {
    over.abort();
    dropRest(request.raw, reply.raw);
  }
}

function emptySummary(): BulkSummary {
  return { summary: { lines: 0, accepted: 0, in_flight: 0, retried: 0, finished: 0, rejected: 0 } };
}

const WORDS = {
  accepted: 'accepted',
  'in-flight': 'in_flight',
  retried: 'retried',
  finished: 'finished',
  conflict: 'rejected',
} as const satisfies Record<Receipt['kind'], BulkReceipt['receipt']>;

function receiptOf(answer: LineAnswer): BulkReceipt {
  if (!('receipt' in answer)) {
    const { problems, ...refused } = answer;
    return { ...refused, receipt: 'rejected', ...(problems === undefined ? {} : { problems: [...problems] }) };
  }
  const { line, receipt } = answer;
  const { taskId: task_id, kind } = receipt;
  if (kind === 'conflict') {
    return {
      line,
      task_id,
      receipt: 'rejected',
      code: 'TASK_ID_CONFLICT',
      field: 'manifest.task_id',
      message: 'the task_id is already used for another manifest',
    };
  }
  return { line, task_id, receipt: WORDS[kind] };
}

/** Leases of a bulk push are one entry in the audit log; the kernel's own log has each of them. */
async function* auditedLines({ services, caller }: BulkCall, lines: AsyncGenerator<string>): AsyncGenerator<string> {
  const entry = { surface: 'http', who: caller.name, action: 'lease.issue', subject: 'bulk push' } as const;
  await services.audit.append({ ...entry, outcome: 'asked' });
  let ended = false;
  try {
    yield* lines;
    ended = true;
  } finally {
    await services.audit.append({ ...entry, outcome: ended ? 'done' : 'refused' });
  }
}
