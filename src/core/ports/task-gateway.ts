import type { Enqueue } from './enqueue.ts';
import type { FileJournal } from './journal.ts';
import type { Ledger, TaskSignals } from './ledger.ts';

/** Tasks: the queues, the ledger and, on the host of the pool, the journal. */
export interface TaskGateway {
  readonly enqueue: Enqueue;
  readonly ledger: Pick<Ledger, 'row' | 'refusal' | 'cancel'>;
  readonly signals: Pick<TaskSignals, 'onRecorded'>;
  /** `undefined` where no journal lies: on another host, or before the first file task. */
  readonly journal: Pick<FileJournal, 'view'> | undefined;
}
