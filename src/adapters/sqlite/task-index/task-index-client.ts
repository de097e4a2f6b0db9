import type { Worker } from 'node:worker_threads';
import { WritError } from '../../../core/errors.ts';
import { startThread } from '../../threads/thread-entry.ts';
import type { IndexOptions } from './task-index-engine.ts';
import type { FromIndexThread, IndexRole, IndexRoles, IndexThreadData, ToIndexThread } from './task-index-messages.ts';

type Operations = Readonly<Record<string, (...args: never[]) => unknown>>;
/** The operations of a thread by their names. */
type Table<R extends IndexRole> = { readonly [K in keyof IndexRoles[R]]: IndexRoles[R][K] } & Operations;

/** A thread of the index, as promises. A thread that died is started again by the next question. */
export interface IndexClient<R extends IndexRole> {
  open(): Promise<void>;
  ask<K extends keyof IndexRoles[R] & string>(op: K, ...args: Parameters<Table<R>[K]>): Promise<ReturnType<Table<R>[K]>>;
  close(): Promise<void>;
}

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

export function createIndexClient<R extends IndexRole>(role: R, options: IndexOptions): IndexClient<R> {
  const waiting = new Map<number, Waiting>();
  let thread: Promise<Worker> | undefined;
  let lastId = 0;
  let closed = true;

  function launch(): Promise<Worker> {
    return new Promise((resolve, reject) => {
      const worker = startThread(import.meta.url, './task-index-thread', {
        workerData: { role, options } satisfies IndexThreadData,
        name: `task-index-${role}`,
      });
      let cause: unknown;
      worker.on('error', (error) => {
        cause = error;
      });
      worker.on('exit', () => {
        thread = undefined;
        const error = new WritError('STORAGE_UNAVAILABLE', 'the thread of the task index ended', { cause });
        reject(error);
        for (const { reject: refuse } of waiting.values()) refuse(error);
        waiting.clear();
      });
      worker.on('message', (message: FromIndexThread) => {
        if (message.kind === 'ready') return resolve(worker);
        if (message.kind === 'refused') return reject(new WritError(message.code, message.message));
        settle(message);
      });
    });
  }

  function settle(message: Extract<FromIndexThread, { id: number }>): void {
    const asked = waiting.get(message.id);
    waiting.delete(message.id);
    if (message.kind === 'answer') asked?.resolve(message.value);
    else asked?.reject(new WritError(message.code, message.message, message.field === undefined ? {} : { field: message.field }));
  }

  async function running(): Promise<Worker> {
    if (closed) throw new WritError('STORAGE_UNAVAILABLE', 'the task index is not running');
    thread ??= launch().catch((error: unknown) => {
      thread = undefined;
      throw error;
    });
    return thread;
  }

  return {
    async open() {
      closed = false;
      await running();
    },
    async ask<K extends keyof IndexRoles[R] & string>(op: K, ...args: Parameters<Table<R>[K]>) {
      const worker = await running();
      const answer = await new Promise<unknown>((resolve, reject) => {
        lastId += 1;
        waiting.set(lastId, { resolve, reject });
        worker.postMessage({ kind: 'ask', id: lastId, op, args } satisfies ToIndexThread);
      });
      // The thread answers with what the operation of this name returns.
      return answer as ReturnType<Table<R>[K]>;
    },
    async close() {
      closed = true;
      const worker = await thread?.catch(() => undefined);
      if (worker === undefined) return;
      const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
      worker.postMessage({ kind: 'stop' } satisfies ToIndexThread);
      await ended;
    },
  };
}
