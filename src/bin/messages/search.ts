import type { Worker } from 'node:worker_threads';
import { systemClock } from '../../core/clock.ts';
import { messageOf } from '../../core/errors.ts';
import type { Lifecycle } from '../../core/lifecycle.ts';
import type { SearchError } from '../../core/ports/message-engine.ts';
import type { MessageSearch, MessageSearchEvent } from '../../core/ports/message-search.ts';
import { startThread } from '../../core/thread-entry.ts';
import { createTurns } from '../../core/turns.ts';
import { type KillSwitch, unanswered } from '../../message-search/index.ts';
import type { VectorSettings } from './models.ts';
import type { FromSearchThread, SearchThreadAnswers, SearchThreadData, SearchThreadOp, ToSearchThread } from './search-messages.ts';

/** A search that takes longer is ended together with its thread. */
const TIMEOUT_MS = 30_000;
/** Searches that wait for those before them; further ones are answered at once, with nothing found and the reason. */
const MOST_WAITING = 256;

export interface MessageSearchOptions {
  /** The database of messages; it may be made later. */
  readonly file: string;
  /** The directory of Tantivy's index; without it there is none. */
  readonly tantivy?: string;
  /** Where vectors are and what makes them; without it there are none. */
  readonly vectors?: VectorSettings;
  readonly killSwitch?: KillSwitch;
  readonly onEvent?: (event: MessageSearchEvent) => void;
  readonly timeoutMs?: number;
}

interface Waiting {
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Message search in a thread of its own, started by the first question and again after it died. A search that the thread
 * cannot answer is answered here, with nothing found and the reason in diagnostics.
 */
export function createMessageSearch(options: MessageSearchOptions): Lifecycle & MessageSearch {
  const { onEvent = () => {}, timeoutMs = TIMEOUT_MS } = options;
  const parts = { killSwitch: options.killSwitch, now: systemClock.now, elapsed: systemClock.monotonic, emit: onEvent };
  const waiting = new Map<number, Waiting>();
  const turns = createTurns();
  let pending = 0;
  let worker: Worker | undefined;
  let lastId = 0;
  let stopped = false;

  function launch(): Worker {
    const data: SearchThreadData = { file: options.file, tantivy: options.tantivy ?? null, vectors: options.vectors ?? null, killSwitch: options.killSwitch };
    const thread = startThread(import.meta.url, './search-thread', { workerData: data, name: 'message-search' });
    let cause: unknown;
    thread.on('error', (error) => {
      cause = error;
    });
    thread.on('message', (message: FromSearchThread) => (message.kind === 'event' ? onEvent(message.event) : settle(message)));
    thread.on('exit', () => {
      if (worker === thread) worker = undefined;
      const error = new Error(`the thread of message search ended${cause === undefined ? '' : `: ${messageOf(cause)}`}`);
      for (const { reject } of waiting.values()) reject(error);
      waiting.clear();
    });
    // A command that has its answer ends, whether or not somebody stopped the search.
    thread.unref();
    return thread;
  }

  function settle(message: Exclude<FromSearchThread, { kind: 'event' }>): void {
    const asked = waiting.get(message.id);
    waiting.delete(message.id);
    if (message.kind === 'error') asked?.reject(new Error(message.message));
    // The thread answers what was asked under this number.
    else asked?.resolve(message.value as never);
  }

  /** One at a time, so that whoever is ended for taking long ends nobody else. */
  async function ask<Op extends SearchThreadOp>(op: Op, ...args: SearchThreadAnswers[Op]['args']): Promise<SearchThreadAnswers[Op]['answer']> {
    if (pending >= MOST_WAITING) throw new Error('too many searches wait');
    pending += 1;
    try {
      return await turns('thread', () => askThread(op, ...args));
    } finally {
      pending -= 1;
    }
  }

  async function askThread<Op extends SearchThreadOp>(op: Op, ...args: SearchThreadAnswers[Op]['args']): Promise<SearchThreadAnswers[Op]['answer']> {
    if (stopped) throw new Error('message search is not running');
    worker ??= launch();
    const thread = worker;
    lastId += 1;
    const id = lastId;
    // An answer that somebody waits for keeps the process alive: the timer does.
    const timer = setTimeout(() => void thread.terminate(), timeoutMs);
    try {
      return await new Promise<SearchThreadAnswers[Op]['answer']>((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        thread.postMessage({ kind: 'ask', id, op, args } as ToSearchThread);
      });
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    async search(query, viewer) {
      try {
        return await ask('search', query, viewer);
      } catch (error) {
        return unanswered(query, viewer, faultOf(error), parts);
      }
    },
    project: (key) => ask('project', key).catch((error) => ({ ok: false, error: faultOf(error) })),
    product: (key) => ask('product', key).catch((error) => ({ ok: false, error: faultOf(error) })),
    unanswered: (query, error) => unanswered(query, null, error, parts),
    async start() {
      stopped = false;
    },
    async stop() {
      stopped = true;
      const thread = worker;
      if (thread === undefined) return;
      const ended = new Promise<void>((resolve) => thread.once('exit', () => resolve()));
      thread.ref();
      thread.postMessage({ kind: 'stop' } satisfies ToSearchThread);
      await ended;
    },
    async [Symbol.asyncDispose]() {
      await this.stop();
    },
  };
}

/** The thread, not a database, is at fault. */
function faultOf(error: unknown): SearchError {
  return { kind: 'engine_error', message: messageOf(error) };
}
