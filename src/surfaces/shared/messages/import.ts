import type { IngestCounts, IngestOp, IngestOutcome } from '../../../contracts/index.ts';
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
  /** Records that were read and sent, of this run. */
  readonly items: number;
  /** Records that could not be, also of the broken-off runs that it goes on with: until it is 0, not everything is in. */
  readonly bad: number;
  /** Why operations were refused by the store, of the first hundred. */
  readonly refusals: readonly string[];
  readonly finished: boolean;
  /** Of a source that is followed: why nothing was deleted, although all of it was read. */
  readonly kept?: string;
}

interface Sent {
  readonly job: string;
  readonly batch: ImportBatch;
}

/** Jobs that wait for the writer while the next one is read. */
const AHEAD = 4;

/** Where a run begins. */
export interface ImportStart {
  /** Of the run that this one goes on with, if any. */
  readonly mark: ImportMark | undefined;
  /** Which reading of the whole source this is. */
  readonly pass: number;
}

/**
 * Where the next run of an import begins. One that was broken off is gone on with. Of those that came to their end, a source
 * that is followed is read anew, and so is one of which something was left out: it may be right by now. Any other goes on
 * behind what was read, if that is as it was.
 *
 * @param now milliseconds since 1970: passes are numbered by the time at which they begin
 */
export async function importStart(source: ImportSource, mark: ImportMark | undefined, now: number): Promise<ImportStart> {
  const isToldAnew = mark === undefined || (mark.finished && (source.follows || mark.bad > 0)) || (source.follows && mark.pass === 0);
  if (isToldAnew || !(await source.fits(mark.position))) return { mark: undefined, pass: source.follows ? now : 0 };
  return { mark, pass: mark.pass };
}

/**
 * Sends a source to the writer, and keeps with it how far it came: a position is written only when everything up to it is
 * stored, so that a run that breaks off, at whichever end, goes on without a gap. What is sent twice is stored once.
 *
 * @throws WritError STORAGE_UNAVAILABLE when the writer gave a job up, REDIS_UNAVAILABLE, REDIS_FULL
 */
export async function importMessages(
  source: ImportSource,
  gateway: IngestGateway,
  { mark, pass }: ImportStart,
  report: ImportReport,
  signal: AbortSignal,
): Promise<ImportSummary> {
  const counts = { inserted: 0, updated: 0, deleted: 0, unchanged: 0, refused: 0 };
  const refusals: string[] = [];
  const ahead: Sent[] = [];
  let stored: ImportBatch | undefined;
  let bad = mark?.bad ?? 0;

  const summary = (finished: boolean): ImportSummary => ({ counts, items: stored?.items ?? 0, bad, refusals, finished });
  const unread = (): number => (mark?.bad ?? 0) + (stored?.bad ?? 0);
  /** What the store refuses is not in either, and is to be read again; a source that is followed is read again anyway. */
  const leftOut = (): number => unread() + (source.follows ? 0 : counts.refused);
  function markOp(finished: boolean): readonly IngestOp[] {
    // A run that finds nothing behind one that was broken off comes to its end, too.
    const position = stored?.position ?? (finished && mark?.finished === false ? mark.position : undefined);
    if (position === undefined) return [];
    return [{ op: 'mark', name: source.name, position, pass, items: (mark?.items ?? 0) + (stored?.items ?? 0), bad: leftOut(), finished }];
  }
  const toldOp = (ops: readonly IngestOp[]): readonly IngestOp[] => {
    const messages = ops.flatMap((op) => (op.op === 'message' ? [{ project: op.project, key: op.key }] : []));
    return source.follows && messages.length > 0 ? [{ op: 'told', name: source.name, pass, messages }] : [];
  };

  function add(outcome: IngestOutcome): void {
    for (const what of ['inserted', 'updated', 'deleted', 'unchanged', 'refused'] as const) counts[what] += outcome.counts[what];
    refusals.push(...outcome.refusals.slice(0, 100 - refusals.length));
  }

  /** False: it was asked to stop meanwhile. */
  async function settle(job: string): Promise<boolean> {
    const end = await gateway.settled(job, signal);
    if (end === undefined) return false;
    if (!end.ok) throw new WritError('STORAGE_UNAVAILABLE', `the writer gave up job ${job}: ${end.message}`);
    add(end.outcome);
    return true;
  }

  async function settleOldest(): Promise<boolean> {
    const oldest = ahead[0];
    if (oldest === undefined) return true;
    if (!(await settle(oldest.job))) return false;
    ahead.shift();
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
    const ops = [...markOp(false), ...batch.ops, ...toldOp(batch.ops)];
    if (ops.length > 0) ahead.push({ job: (await gateway.submit(ops)).job, batch });
    else stored = batch;
  }
  while (ahead.length > 0) if (!(await settleOldest())) return summary(false);
  // What could not be read may still be there.
  const keeps = source.follows && unread() > 0;
  const untold: readonly IngestOp[] = source.follows && !keeps ? [{ op: 'untold', name: source.name, pass }] : [];
  const last = [...untold, ...markOp(true)];
  if (last.length > 0 && !(await settle((await gateway.submit(last)).job))) return summary(false);
  return { ...summary(true), ...(keeps ? { kept: 'nothing was deleted, because some records could not be read' } : {}) };
}
