import { holdLock, lockOf } from '../../adapters/files/hold-lock.ts';
import { isThere } from '../../adapters/files/is-there.ts';
import type { IngestOutcome } from '../../contracts/index.ts';
import { WritError } from '../../core/errors.ts';
import { lifecycle } from '../../core/lifecycle.ts';
import type { CommitNews, IngestBatch, MessageStore } from '../../core/ports/index.ts';
import { createWriterThread } from './write/thread-client.ts';

export interface MessageStoreOptions {
  /** The database; made with its directory if it is missing. */
  readonly file: string;
  /** Operations after which no further batch joins a transaction. */
  readonly batchOps: number;
  /** Told of every transaction. */
  readonly onCommit?: (news: CommitNews) => void;
  /** Told when a rebuild begins, how many rows it is about. */
  readonly onRebuild?: (documents: number) => void;
  /** Told when the database of an earlier start is gone, so that an empty one is made. */
  readonly onLost?: () => void;
}

interface Waiting {
  readonly batch: IngestBatch;
  readonly resolve: (outcome: IngestOutcome) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The messages in one SQLite file, written by a thread of this process and by nobody else.
 *
 * @throws WritError from `start`: POOL_OWNED when another process writes them, STORAGE_UNAVAILABLE
 */
export function createMessageStore({ file, batchOps, onCommit = noop, onRebuild = noop, onLost = noop }: MessageStoreOptions): MessageStore {
  const thread = createWriterThread(file, onRebuild);
  const queue: Waiting[] = [];
  let release: (() => void) | undefined;
  let working: Promise<void> | undefined;
  let filling: Promise<void> | undefined;
  let isStopping = false;

  const life = lifecycle(
    async () => {
      const isLost = wasTakenAway(file);
      release = holdLock(file, 'another process already writes the messages of this data directory');
      try {
        await thread.start();
        if (isLost) onLost();
      } catch (error) {
        letGo();
        throw error;
      }
      isStopping = false;
      filling = fill();
    },
    async () => {
      isStopping = true;
      await filling;
      await working;
      await thread.stop();
      letGo();
    },
  );

  function letGo(): void {
    release?.();
    release = undefined;
  }

  /** What a store of before lacks, between the batches; what fails is tried again by the next start. */
  async function fill(): Promise<void> {
    try {
      for (let isWhole = false; !isWhole && !isStopping; ) isWhole = await thread.call('advance');
    } catch {
      // A disk that is full refuses batches too, and they say so.
    }
  }

  async function work(): Promise<void> {
    for (let group = take(queue, batchOps); group.length > 0; group = take(queue, batchOps)) await apply(group);
    working = undefined;
  }

  async function apply(group: readonly Waiting[]): Promise<void> {
    try {
      const { outcomes, news } = await thread.call(
        'apply',
        group.map(({ batch }) => batch),
      );
      onCommit(news);
      group.forEach(({ resolve, reject }, i) => {
        const outcome = outcomes[i];
        if (outcome === undefined) reject(new WritError('STORAGE_UNAVAILABLE', 'the writer of messages answered less than it was asked'));
        else resolve(outcome);
      });
    } catch (error) {
      if (group.length === 1) return group[0]?.reject(error);
      // One of them may be at fault; the others shall not suffer for it.
      for (const one of group) await apply([one]);
    }
  }

  return {
    ...life,
    async write(batch) {
      if (release === undefined) throw new WritError('STORAGE_UNAVAILABLE', 'the writer of messages is not running');
      return new Promise((resolve, reject) => {
        queue.push({ batch, resolve, reject });
        working ??= work();
      });
    },
  };
}

/** The lock stays when the database is removed: there was one. */
export function wasTakenAway(file: string): boolean {
  return !isThere(file) && isThere(lockOf(file));
}

function noop(): void {}

/** The first of those that wait, and as many more as fit into one transaction. */
function take(queue: Waiting[], batchOps: number): readonly Waiting[] {
  let [count, ops] = [0, 0];
  for (const { batch } of queue) {
    if (count > 0 && ops + batch.ops.length > batchOps) break;
    count += 1;
    ops += batch.ops.length;
  }
  return queue.splice(0, count);
}
