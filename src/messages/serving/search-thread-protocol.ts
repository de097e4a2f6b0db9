import type { EngineTag, MessageEngine } from '../../core/ports/message-engine.ts';
import type { MessageSearchEvent } from '../../core/ports/message-search.ts';
import type { ServerEvent } from '../engines/postgresql/servers.ts';
import { ENGINE_TAGS } from '../search/engines.ts';
import type { KillSwitch } from '../search/planner.ts';
import type { VectorSettings } from './models.ts';
import type { PostgresqlServers } from './postgresql-target.ts';

/** Engines that hung, by what a cursor says of them, each with a sentence that says so. */
export type Hung = Readonly<Partial<Record<EngineTag, string>>>;

/** What a search tells besides its answers: of itself, and of the servers of PostgreSQL. */
export type SearchThreadEvent = MessageSearchEvent | ServerEvent;

/** What the thread of message search is started with. */
export interface SearchThreadData {
  readonly file: string;
  /** The directory of Tantivy's index; `null`: there shall be none. */
  readonly tantivy: string | null;
  /** Where vectors are and what makes them; `null`: there shall be none. */
  readonly vectors: VectorSettings | null;
  /** Where PostgreSQL has a copy of the messages; `null`: it shall not be asked. */
  readonly postgresql: PostgresqlServers | null;
  /** This host has no store: the copy in PostgreSQL answers everything. */
  readonly readOnly: boolean;
  readonly killSwitch: KillSwitch;
  /** Engines that are not asked, and not even loaded. */
  readonly hung: Hung;
  /** After how many milliseconds FTS5 is ended, in a process of its own; `null`: it runs here, in a process that is ended. */
  readonly deadlineMs: number | null;
  /** Memory in which the thread says which engine it asks and which process it has; a process shares none. */
  readonly atWork?: SharedArrayBuffer;
}

/** Engines by their numbers in that memory. FTS5, the first, is asked when no other is at work. */
const TAGS = ENGINE_TAGS;

const TAG = 0;
const STEP = 1;
const PROCESS = 2;

export interface AtWork {
  readonly tag: EngineTag;
  readonly step: number;
}

/**
 * Which engine a thread is asking, in memory that whoever waits for the thread can read: an engine that hangs keeps its
 * thread from saying so.
 *
 * @param buffer that of the other side; absent: a new one
 */
export function engineAtWork(buffer = new SharedArrayBuffer(3 * Int32Array.BYTES_PER_ELEMENT)) {
  const shared = new Int32Array(buffer);

  function set(tag: number): number {
    Atomics.add(shared, STEP, 1);
    return Atomics.exchange(shared, TAG, tag);
  }

  function enter(tag: EngineTag): Disposable {
    const before = set(TAGS.indexOf(tag));
    return { [Symbol.dispose]: () => void set(before) };
  }

  return {
    buffer,
    /** The step is another one after every call that began or ended. */
    now: (): AtWork => ({ tag: TAGS[Atomics.load(shared, TAG)] ?? 'fts5', step: Atomics.load(shared, STEP) }),
    enter,
    /** The child that the thread has started and that has not ended; 0: none. When the thread is gone, somebody else must take its end. */
    process: (): number => Atomics.load(shared, PROCESS),
    setProcess: (pid: number): void => void Atomics.store(shared, PROCESS, pid),
    /** An engine that says in the memory when it is asked. */
    watched(engine: MessageEngine): MessageEngine {
      const { name, tag, mode, absent } = engine;
      return {
        name,
        tag,
        mode,
        async find(ask) {
          using _ = enter(tag);
          return await engine.find(ask);
        },
        async rows(set) {
          using _ = enter(tag);
          return await engine.rows(set);
        },
        ...(absent !== undefined && {
          absent(resuming: boolean) {
            using _ = enter(tag);
            return absent.call(engine, resuming);
          },
        }),
      };
    },
  };
}
