import { z } from 'zod';
import { IngestOp, MAX_INGEST_OPS } from '../src/contracts/index.ts';
import type { IngestBatch } from '../src/core/ports/index.ts';

/** The data of a job of the queue `message-index`. */
const MessageJobData = z.strictObject({ v: z.literal(1), at: z.int().min(0), ops: z.array(IngestOp).min(1).max(MAX_INGEST_OPS) });

/** What is left of a job that is done: the board need not keep what it brought. */
const DoneJobData = z.strictObject({ v: z.literal(1), done: z.literal(true), ops: z.int() });

export type ReadMessageJob =
  | { readonly kind: 'batch'; readonly batch: IngestBatch }
  | { readonly kind: 'done' }
  | { readonly kind: 'malformed'; readonly message: string };

/** Whoever can write to Redis can put anything there: a job that is none is refused as a whole, before anything of it is done. */
export function readMessageJob({ data }: { readonly data: unknown }): ReadMessageJob {
  const parsed = MessageJobData.safeParse(data);
  if (parsed.success) return { kind: 'batch', batch: { at: parsed.data.at, ops: parsed.data.ops } };
  if (DoneJobData.safeParse(data).success) return { kind: 'done' };
  const issue = parsed.error.issues[0];
  return { kind: 'malformed', message: `INVALID_ARGUMENT: the job is no list of operations${issue === undefined ? '' : ` (${issue.path.join('.')})`}` };
}

export function messageJobData(batch: IngestBatch): z.input<typeof MessageJobData> {
  return { v: 1, at: batch.at, ops: [...batch.ops] };
}

export function doneJobData(ops: number): z.input<typeof DoneJobData> {
  return { v: 1, done: true, ops };
}
