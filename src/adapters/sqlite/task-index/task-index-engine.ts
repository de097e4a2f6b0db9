import { WritError } from '../../../core/errors.ts';
import type { IndexBatch, IndexedTask, JobRef, NumberedTask } from '../../../core/ports/index.ts';
import type { EventLook } from '../../../core/task-events.ts';
import { isDamage, type OpenIndex, openIndex, removeIndex } from './task-index-open.ts';
import { type IndexReads, indexReads } from './task-index-reads.ts';
import { type IndexLimits, type IndexWrites, indexWrites } from './task-index-writes.ts';

export interface Begun {
  readonly generation: string;
  readonly positions: Readonly<Record<string, string>>;
  readonly tasks: number;
}

/** What the writing thread answers. */
export interface IndexOperations {
  begin(): Begun;
  apply(batch: IndexBatch): { readonly answer: 'applied' | 'lost'; readonly tasks: number };
  /** Makes the file anew when it is gone or damaged, or is still of a generation that a reader found damaged. */
  renew(generation: string): void;
  rows(jobs: readonly JobRef[]): readonly (IndexedTask | undefined)[];
  unknown(taskIds: readonly string[]): readonly string[];
  walk(after: number, limit: number): readonly NumberedTask[];
  /** Here, not with the reader: in turn with the batches, a look that was asked for before one does not see it. */
  look(after: number): EventLook;
}

export interface IndexEngine extends IndexOperations {
  close(): void;
}

export interface IndexOptions extends IndexLimits {
  readonly file: string;
}

/**
 * The task index on its file, for whoever feeds it; blocks its thread. A file that was removed or damaged while it was open is replaced by an
 * empty one of another generation, and `apply` answers `lost`.
 *
 * @throws WritError STORAGE_UNAVAILABLE
 */
export function createIndexEngine(options: IndexOptions): IndexEngine {
  type Opened = OpenIndex & { readonly reads: IndexReads; readonly writes: IndexWrites };
  /** `undefined` while its directory is away, or full: each call tries again. */
  let open: Opened | undefined = begin();

  function begin(): Opened {
    return openIndex(options.file, (opened) => ({ ...opened, reads: indexReads(opened.db), writes: indexWrites(opened.db, options, opened.floor) }));
  }

  function close(): void {
    open?.db.close();
    open = undefined;
  }

  function anew(): Opened {
    close();
    removeIndex(options.file);
    open = begin();
    return open;
  }

  function guarded<T>(work: (open: Opened) => T): T {
    open ??= begin();
    const index = open.intact() ? open : anew();
    try {
      return work(index);
    } catch (error) {
      if (!isDamage(error)) throw error;
      anew();
      throw new WritError('STORAGE_UNAVAILABLE', 'the task index was damaged and is built anew', { cause: error });
    }
  }

  return {
    begin: () => guarded(({ generation, reads, writes }) => ({ generation, positions: reads.positions(), tasks: writes.tasks() })),
    apply: (batch) =>
      guarded(({ generation, writes }) => {
        const known = batch.generation === generation;
        if (known) writes.apply(batch);
        return { answer: known ? 'applied' : 'lost', tasks: writes.tasks() };
      }),
    renew: (damaged) =>
      guarded(({ generation }) => {
        if (damaged === generation) anew();
      }),
    rows: (jobs) => guarded(({ reads }) => reads.rows(jobs)),
    unknown: (taskIds) => guarded(({ reads }) => reads.unknown(taskIds)),
    walk: (after, limit) => guarded(({ reads }) => reads.walk(after, limit)),
    look: (after) => guarded(({ reads }) => reads.look(after)),
    close,
  };
}
