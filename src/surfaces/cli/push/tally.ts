import type { Receipt } from '../../../core/ports/index.ts';

/** The closing summary of a push. */
export interface PushSummary {
  /** New jobs. */
  accepted: number;
  /** Failed jobs that run again. */
  retried: number;
  in_flight: number;
  /** Finished before; the same result stands. */
  replayed: number;
  conflicts: number;
  /** Lines that are no task, and tasks that were not taken. */
  rejected: number;
  /** With --wait: outcomes, those of finished tasks included. */
  succeeded: number;
  failed: number;
  /** With --wait: no outcome in time. */
  unanswered: number;
  interrupted: boolean;
  ms: number;
}

export function emptySummary(): PushSummary {
  return { accepted: 0, retried: 0, in_flight: 0, replayed: 0, conflicts: 0, rejected: 0, succeeded: 0, failed: 0, unanswered: 0, interrupted: false, ms: 0 };
}

/** Where a receipt is counted. */
const COUNTED_AS = {
  accepted: 'accepted',
  retried: 'retried',
  'in-flight': 'in_flight',
  finished: 'replayed',
  conflict: 'conflicts',
} satisfies Record<Receipt['kind'], keyof PushSummary>;

export function countReceipt(summary: PushSummary, kind: Receipt['kind']): void {
  summary[COUNTED_AS[kind]] += 1;
}

/** Tasks that a queue or the ledger knows now. */
export function takenOver({ accepted, retried, in_flight, replayed }: PushSummary): number {
  return accepted + retried + in_flight + replayed;
}

/** 2: nothing was usable. 1: something was refused, failed or broken off. 3: no outcome in time. */
export function exitOf(summary: PushSummary): number {
  if (summary.rejected > 0 && takenOver(summary) + summary.conflicts === 0) return 2;
  if (summary.rejected + summary.conflicts + summary.failed > 0 || summary.interrupted) return 1;
  return summary.unanswered > 0 ? 3 : 0;
}

/** `accepted 3, rejected 1`, without the zeros. */
export function summaryText(summary: PushSummary): string {
  const words = Object.entries(summary)
    .filter((entry): entry is [string, number] => typeof entry[1] === 'number' && entry[0] !== 'ms' && entry[1] > 0)
    .map(([name, count]) => `${name.replace('_', ' ')} ${count}`);
  return `${words.length === 0 ? 'nothing to push' : words.join(', ')}${summary.interrupted ? ' (interrupted)' : ''}`;
}
