import { WritError } from '../../../core/errors.ts';
import { type Lifecycle, lifecycle } from '../../../core/lifecycle.ts';
import { createNotifier } from '../../../core/notifier.ts';
import type { TaskIndexHealth, TaskIndexStore } from '../../../core/ports/index.ts';
import { followEvents } from '../../../core/task-events.ts';
import { holdLock } from '../../files/hold-lock.ts';
import { createIndexReader, createIndexWriter, type IndexNews, type IndexWriterListener, type IndexWriterThread } from './task-index-client.ts';
import type { IndexOptions } from './task-index-engine.ts';
import type { IndexViews, Lost } from './task-index-view.ts';

/** Changes that are kept for readers who come back. */
const MAX_EVENTS = 100_000;

export type SqliteTaskIndex = TaskIndexStore & Lifecycle;

export interface TaskIndexOptions {
  readonly file: string;
  readonly maxTasks: number;
  readonly maxEvents?: number;
  /** Makes the thread that writes, where it also feeds the index; then nobody else calls the writing side. */
  readonly writer?: (options: IndexOptions, listener: IndexWriterListener) => IndexWriterThread;
  /** Told of the troubles of such a thread. */
  readonly onTrouble?: (error: unknown) => void;
}

/** A fed thread that died is started again after this pause. */
const REVIVAL_MS = 1000;

/**
 * The task index in one SQLite file: one thread writes, another reads, from the first page on, so that a page waits for no batch. `maxTasks` rows at most; the oldest go first. A file
 * that is missing, damaged or of another version is made anew, and waits to be filled.
 *
 * @throws WritError from `start`: POOL_OWNED when another process holds the index, STORAGE_UNAVAILABLE when it cannot be
 * opened. Every other method outside `start`..`stop`: STORAGE_UNAVAILABLE.
 */
export function createTaskIndex({ file, maxTasks, maxEvents = MAX_EVENTS, writer, onTrouble = () => undefined }: TaskIndexOptions): SqliteTaskIndex {
  const settings: IndexOptions = { file, maxTasks, maxEvents };
  const thread = writer?.(settings, { onNews: hear, onDeath: revive }) ?? createIndexWriter(settings);
  const reader = createIndexReader(settings);
  const changes = createNotifier();
  let release: (() => void) | undefined;
  let isOpen = false;
  let health: TaskIndexHealth = { state: 'building', tasks: 0, lagMs: 0 };

  const life = lifecycle(
    async () => {
      release = holdLock(file, 'another process already serves the API of this data directory: it holds the task index');
      try {
        await thread.start();
        if (writer === undefined) health = { state: 'building', tasks: (await thread.call('begin')).tasks, lagMs: 0 };
        isOpen = true;
      } catch (error) {
        await end();
        throw error;
      }
    },
    () => end(),
  );

  function hear(news: IndexNews): void {
    if (news.kind === 'trouble') {
      onTrouble(news.code === undefined ? new Error(news.message) : new WritError(news.code, news.message));
    } else {
      health = news.health;
      if (news.isChanged) changes.wake();
    }
  }

  function revive(error: Error): void {
    health = { ...health, state: 'failed', problem: error.message };
    onTrouble(error);
    setTimeout(() => release !== undefined && void thread.start().catch(onTrouble), REVIVAL_MS).unref();
  }

  async function end(): Promise<void> {
    isOpen = false;
    // The last to close the file tidies up behind it, which a reader cannot.
    await reader.stop();
    await thread.stop();
    release?.();
    release = undefined;
    changes.wake();
  }

  /** The thread that reads is started for the first page: few starts of an API are followed by one. */
  async function list(...asked: Parameters<IndexViews['list']>): Promise<ReturnType<IndexViews['list']>> {
    if (isOpen) await reader.start();
    return reader.call('list', ...asked);
  }

  /** A reader that has lost its file looks again after the writer has made sure that there is one. */
  async function found<T extends object>(look: () => Promise<T | Lost>): Promise<T> {
    const first = await look();
    if (!('lost' in first)) return first;
    await thread.call('renew', first.lost);
    const second = await look();
    if ('lost' in second) throw new WritError('STORAGE_UNAVAILABLE', 'the task index cannot be read');
    return second;
  }

  return {
    ...life,
    list: (filter, page) => found(() => list(filter, page)),
    events: (after, signal) =>
      followEvents(after, signal, { look: (at) => thread.call('look', at), changed: changes.next, ended: () => release === undefined }),
    health: () => health,
    async begin() {
      const { generation, positions, tasks } = await thread.call('begin');
      health = { ...health, tasks };
      return { generation, positions };
    },
    async apply(batch) {
      const { answer, tasks } = await thread.call('apply', batch);
      health = { ...health, tasks };
      if (batch.changes.length > 0 || answer === 'lost') changes.wake();
      return answer;
    },
    rows: (jobs) => thread.call('rows', jobs),
    unknown: (taskIds) => thread.call('unknown', taskIds),
    walk: (after, limit) => thread.call('walk', after, limit),
    report(status) {
      health = { ...status, tasks: health.tasks };
    },
  };
}
