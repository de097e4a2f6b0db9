import type { TaskManifest } from '../../contracts/index.ts';
import type { Enqueue } from './enqueue.ts';
import type { FilePreview } from './file-preview.ts';
import type { FileJournal } from './journal.ts';
import type { Ledger, TaskSignals } from './ledger.ts';
import type { ResultReader } from './signatures.ts';

/** Tasks: the queues, the ledger and, on the host of the pool, the journal. */
export interface TaskGateway {
  readonly enqueue: Enqueue;
  readonly ledger: Pick<Ledger, 'row' | 'refusal' | 'cancel'>;
  /** Whatever the ledger holds counts only when this reads it: everybody who may write to Redis may write there. */
  readonly results: ResultReader;
  readonly signals: Pick<TaskSignals, 'onRecorded'>;
  /** `undefined` where no journal lies: on another host, or before the first file task. */
  readonly journal: Pick<FileJournal, 'view'> | undefined;
  /** Whether a new job would be taken. Throws WritError REDIS_FULL, REDIS_UNAVAILABLE. Absent where nobody asks. */
  assertRoom?(): Promise<void>;
  /** What a file task would find on this host now, nothing touched; `undefined`: it is none. */
  preview?(manifest: TaskManifest): Promise<FilePreview | undefined>;
}
