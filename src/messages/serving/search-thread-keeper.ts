import { reapChild } from '../../adapters/linux/reap-child.ts';
import { createThreadClient, type ThreadClient } from '../../adapters/threads/client.ts';
import { startProcess } from '../../adapters/threads/process.ts';
import { startThread } from '../../adapters/threads/thread-entry.ts';
import { systemClock } from '../../core/clock.ts';
import { messageOf } from '../../core/errors.ts';
import { createKeyedMutex } from '../../core/keyed-mutex.ts';
import type { Lifecycle } from '../../core/lifecycle.ts';
import type { EngineTag } from '../../core/ports/message-engine.ts';
import type { MessageAnswer, MessageQuestion, MessageQuestions, MessageSearchEvent } from '../../core/ports/message-search.ts';
import { withTimeout } from '../../core/with-timeout.ts';
import type { ServerEvent } from '../engines/postgresql/servers.ts';
import type { KillSwitch } from '../search/planner.ts';
import type { VectorSettings } from './models.ts';
import type { PostgresqlServers } from './postgresql-target.ts';
import { type AtWork, engineAtWork, type Hung, type SearchThreadData, type SearchThreadEvent } from './search-thread-protocol.ts';

/** A search that takes longer is ended together with its process; starting that is not part of it. */
export const DEADLINE_MS = 2000;
/** A process that is still searching then is ended: it only reads. */
const PROCESS_STOP_MS = 250;
/** A search that takes longer is ended together with its thread, whatever it waits for. */
const TIMEOUT_MS = 30_000;
/** An engine other than FTS5 that has moved on by nothing in this time is given up together with the thread; a new one asks the next engine. The next times it has more (`patienceOf`). */
const ENGINE_TIMEOUT_MS = 5000;
/** How often the thread is looked at in this time. */
const LOOKS = 5;
/** After this time an engine that hung is asked again, if its thread has ended: until then it hangs. */
const HUNG_FOR_MS = 60_000;
/** Threads that were given up and have not ended; with more of them nothing is searched. */
const MAX_STUCK = 4;

export interface MessageSearchOptions {
  /** The database of messages; it may be made later. */
  readonly file: string;
  /** The directory of Tantivy's index; without it there is none. */
  readonly tantivy?: string;
  /** Where vectors are and what makes them; without it there are none. */
  readonly vectors?: VectorSettings;
  /** Where PostgreSQL has a copy of the messages; without it that is not asked. */
  readonly postgresql?: PostgresqlServers;
  /** This host has no store: the copy in PostgreSQL answers everything. */
  readonly readOnly?: true;
  readonly killSwitch?: KillSwitch;
  readonly onEvent?: (event: MessageSearchEvent) => void;
  /** Told what was found when a server of PostgreSQL was asked. */
  readonly onServer?: (event: ServerEvent) => void;
  /** Milliseconds after which FTS5 is ended. */
  readonly deadlineMs?: number;
  /** Processes that search for words at the same time. */
  readonly processes?: number;
  readonly timeoutMs?: number;
  readonly engineTimeoutMs?: number;
  readonly hungForMs?: number;
}

/** A thread, what it was started without, and what it is doing. */
interface Running {
  readonly thread: ThreadClient<MessageQuestions>;
  readonly hung: Hung;
  readonly atWork: () => AtWork;
}

/** That an engine hung, how often so far, and when it may be asked again. */
interface Hang {
  readonly times: number;
  readonly until: number;
  readonly tookMs: number;
}

type Call<T> = (thread: ThreadClient<MessageQuestions>) => Promise<T>;

const NONE_HUNG: Hung = {};

/** What a question is refused with whose engine hung: it is asked again. */
const AGAIN = new Error('again');

/** A search that was ended at its deadline. */
export class TooSlow extends Error {}

function tooLong(ms: number): string {
  return `the search took longer than ${ms} ms`;
}

/**
 * How long an engine may take that has hung so many times, milliseconds. More each time, as long as another engine can still
 * answer: what reads a large index for the first time is slow, and with the same limit would never come to an end.
 */
export function patienceOf(times: number, engineTimeoutMs: number, timeoutMs: number): number {
  return Math.min(engineTimeoutMs * (1 + times), Math.max(engineTimeoutMs, timeoutMs / 2));
}

/**
 * The thread that searches, started by the first question and again after it died. An engine that hangs in it is given up
 * together with it, and the question is asked again of a thread without that engine.
 *
 * @param kind `process`: a process stands for the thread, in which FTS5 runs and can be ended at its deadline
 */
export function createSearchThread(options: MessageSearchOptions, kind: 'thread' | 'process') {
  const {
    onEvent = () => {},
    onServer = () => {},
    deadlineMs = DEADLINE_MS,
    timeoutMs = TIMEOUT_MS,
    engineTimeoutMs = ENGINE_TIMEOUT_MS,
    hungForMs = HUNG_FOR_MS,
  } = options;
  const turns = createKeyedMutex();
  const hangs = new Map<EngineTag, Hang>();
  /** Threads that were given up, until they end, with the engine that they were asking. */
  const stuck = new Map<ThreadClient<MessageQuestions>, EngineTag>();
  let running: Running | undefined;
  let stopped = false;

  function launch(): Running {
    if (stuck.size >= MAX_STUCK) throw new Error(`${stuck.size} threads of message search hang`);
    const atWork = engineAtWork();
    const hung = hungNow();
    const workerData: SearchThreadData = {
      file: options.file,
      tantivy: options.tantivy ?? null,
      vectors: options.vectors ?? null,
      postgresql: options.postgresql ?? null,
      readOnly: options.readOnly === true,
      killSwitch: options.killSwitch,
      hung,
      deadlineMs: kind === 'process' ? null : deadlineMs,
      ...(kind === 'thread' && { atWork: atWork.buffer }),
    };
    const thread = createThreadClient<MessageQuestions, SearchThreadEvent>({
      launch() {
        if (kind === 'process') return startProcess(import.meta.url, './search-thread', workerData, 'json');
        const started = startThread(import.meta.url, './search-thread', { workerData, name: 'message-search' });
        started.once('exit', () => void reapChild(atWork.process()));
        return started;
      },
      launchedBy: 'calls',
      code: 'INTERNAL',
      died: (cause) => new Error(`the thread of message search ended${cause === undefined ? '' : `: ${messageOf(cause)}`}`),
      onEvent: (event) => (event.event === 'search.database' ? onServer(event) : onEvent(event)),
      onDeath() {
        if (running?.thread === thread) running = undefined;
      },
      // A command that has its answer ends, whether or not somebody stopped the search.
      keepsAlive: 'calls',
    });
    return { thread, hung, atWork: atWork.now };
  }

  function hungNow(): Hung {
    if (hangs.size === 0) return NONE_HUNG;
    const now = systemClock.monotonic();
    const hanging = new Set(stuck.values());
    const left = [...hangs].filter(([tag, { until }]) => until > now || hanging.has(tag));
    return Object.fromEntries(left.map(([tag, { tookMs }]) => [tag, `it took longer than ${tookMs} ms and is not asked for a while`]));
  }

  /** Nobody waits for the thread's end: native code that hangs never lets it come. By now it may have gone on to another engine than the one for which it is given up. */
  function giveUp(why: Error, tag = running?.atWork().tag): void {
    if (running === undefined || tag === undefined) return;
    const { thread } = running;
    running = undefined;
    stuck.set(thread, tag);
    void thread.kill(why).then(() => stuck.delete(thread));
  }

  /** Looks again and again at what the thread does, until the answer is there. */
  function watch({ atWork }: Running): NodeJS.Timeout {
    let seen = { step: -1, at: 0 };
    return setInterval(() => {
      const { tag, step } = atWork();
      const now = systemClock.monotonic();
      if (step !== seen.step) seen = { step, at: now };
      else if (tag !== 'fts5' && now - seen.at >= patience(tag)) giveUpEngine(tag);
    }, engineTimeoutMs / LOOKS);
  }

  function patience(tag: EngineTag): number {
    return patienceOf(hangs.get(tag)?.times ?? 0, engineTimeoutMs, timeoutMs);
  }

  function giveUpEngine(tag: EngineTag): void {
    const tookMs = patience(tag);
    hangs.set(tag, { times: (hangs.get(tag)?.times ?? 0) + 1, until: systemClock.monotonic() + hungForMs, tookMs });
    onEvent({ event: 'search.engine.error', engine: tag, message: `it took longer than ${tookMs} ms: its thread is given up` });
    giveUp(AGAIN, tag);
  }

  /** One at a time, so that whoever is ended for taking long ends nobody else. */
  async function ask<Q extends MessageQuestion>(question: Q, ...args: Parameters<MessageQuestions[Q]>): Promise<MessageAnswer<Q>> {
    return turns('thread', () => askThread((thread) => thread.call(question, ...args)));
  }

  async function askThread<T>(call: Call<T>): Promise<T> {
    for (;;) {
      try {
        return await askOnce(call);
      } catch (error) {
        // An engine that hung is not in the next thread, so this ends.
        if (error !== AGAIN) throw error;
      }
    }
  }

  async function askOnce<T>(call: Call<T>): Promise<T> {
    if (stopped) throw new Error('message search is not running');
    const asked = usable();
    // An answer that somebody waits for keeps the process alive: the timers do.
    const limit = setTimeout(() => giveUp(new Error(tooLong(timeoutMs))), timeoutMs);
    const look = watch(asked);
    let deadline: NodeJS.Timeout | undefined;
    try {
      await asked.thread.start();
      if (kind === 'process') deadline = setTimeout(() => giveUp(new TooSlow(tooLong(deadlineMs))), deadlineMs);
      return await call(asked.thread);
    } finally {
      clearTimeout(limit);
      clearTimeout(deadline);
      clearInterval(look);
    }
  }

  /** A thread with all engines that may be asked by now. Nobody waits for an answer of the one that it takes the place of. */
  function usable(): Running {
    const allowed = hungNow();
    if (running !== undefined && Object.keys(running.hung).some((tag) => !(tag in allowed))) {
      void running.thread.stop();
      running = undefined;
    }
    running ??= launch();
    return running;
  }

  return {
    /** Throws Error with the reason when there is no answer. */
    ask,
    async start() {
      stopped = false;
    },
    async stop() {
      stopped = true;
      const thread = running?.thread;
      if (thread === undefined) return;
      const ended = thread.stop().then(() => {
        if (running?.thread === thread) running = undefined;
        return true;
      });
      if ((await withTimeout(ended, kind === 'process' ? PROCESS_STOP_MS : engineTimeoutMs)) === undefined) giveUp(new Error('message search was stopped'));
    },
    async [Symbol.asyncDispose]() {
      await this.stop();
    },
  } satisfies Lifecycle & Record<'ask', unknown>;
}
