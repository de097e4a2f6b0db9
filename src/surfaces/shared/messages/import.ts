import type { IngestCounts, IngestOp } from '../../../contracts/index.ts';
import { WritError } from '../../../core/errors.ts';
import type { ImportMark, ImportSource, IngestGateway } from '../../../core/ports/index.ts';
import { batchesOf, type ImportBatch } from './batches.ts';

export interface ImportReport {
  /** A record that is left out. */
  bad(where: string, why: string): void | Promise<void>;
  /** After each batch that is stored. */
  progress(read: number, summary: ImportSummary): void;
}

export interface ImportSummary {
  readonly counts: IngestCounts;
  /** Records that were read and sent, and those that could not be, of this run. */
  readonly items: number;
  readonly bad: number;
  /** Why operations were refused by the store, of the first hundred. */
  readonly refusals: readonly string[];
  readonly finished: boolean;
}

interface Sent {
  readonly job: string;
  readonly batch: ImportBatch;
}

/** Jobs that wait for the writer while the next one is read. */
const AHEAD = 4;

/**
 * Sends a source to the writer, and keeps with it how far it came: a position is written only when everything up to it is
 * stored, so that a run that breaks off, at whichever end, goes on without a gap. What is sent twice is stored once.
 *
 * @param mark of an earlier run, to go on behind
 * @throws WritError STORAGE_UNAVAILABLE when the writer gave a job up, REDIS_UNAVAILABLE, REDIS_FULL
 */
export async function importMessages(
  source: ImportSource,
  gateway: IngestGateway,
  mark: ImportMark | undefined,
  report: ImportReport,
  signal: AbortSignal,
): Promise<ImportSummary> {
  const counts = { inserted: 0, updated: 0, deleted: 0, unchanged: 0, refused: 0 };
  const refusals: string[] = [];
  const ahead: Sent[] = [];
  let stored: ImportBatch | undefined;
  let bad = 0;

  const summary = (finished: boolean): ImportSummary => ({ counts, items: stored?.items ?? 0, bad, refusals, finished });
  const markOp = (finished: boolean): readonly IngestOp[] =>
    stored === undefined
      ? []
      : [
          {
            op: 'mark',
            name: source.name,
            position: stored.position,
            items: (mark?.items ?? 0) + stored.items,
            bad: (mark?.bad ?? 0) + stored.bad,
            finished,
          },
        ];

  /** False: it was asked to stop meanwhile. */
  async function settleOldest(): Promise<boolean> {
    const oldest = ahead[0];
    if (oldest === undefined) return true;
    const end = await gateway.settled(oldest.job, signal);
    if (end === undefined) return false;
    if (!end.ok) throw new WritError('STORAGE_UNAVAILABLE', `the writer gave up job ${oldest.job}: ${end.message}`);
    ahead.shift();
    const { outcome } = end;
    // Of the marks in between nobody wants to know; they are never anything but unchanged.
    for (const what of ['inserted', 'updated', 'deleted', 'unchanged', 'refused'] as const) counts[what] += outcome.counts[what];
    refusals.push(...outcome.refusals.slice(0, 100 - refusals.length));
    stored = oldest.batch;
    report.progress(stored.read, summary(false));
    return true;
  }

  const onBad = (where: string, why: string): void | Promise<void> => {
    bad += 1;
    return report.bad(where, why);
  };
  for await (const batch of batchesOf(source.records(mark?.position), onBad)) {
    while (ahead.length >= AHEAD) if (!(await settleOldest())) return summary(false);
    if (signal.aborted) return summary(false);
    const ops = [...markOp(false), ...batch.ops];
    if (ops.length > 0) {
      const { job } = await gateway.submit(ops);
      counts.unchanged -= ops.length - batch.ops.length;
      ahead.push({ job, batch });
    } else stored = batch;
  }
  while (ahead.length > 0) if (!(await settleOldest())) return summary(false);
  const last = markOp(true);
  if (last.length > 0) {
    const { job } = await gateway.submit(last);
    await gateway.settled(job, signal);
  }
  return summary(true);
}
