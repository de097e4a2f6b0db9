import { createKeptThread } from '../../adapters/threads/kept-thread.ts';
import { startThread } from '../../adapters/threads/thread-entry.ts';
import { messageOf, WritError } from '../../core/errors.ts';
import type { Lifecycle } from '../../core/lifecycle.ts';

/** What the thread is started with. */
export interface ResidentData {
  readonly directory: string;
  readonly build: string;
}

/** What the thread says when it has opened: whether it listens, or somebody else of this user does. */
export type ResidentReady = 'listens' | 'stands by';

export interface ResidentServerOptions {
  /** Of the socket. */
  readonly directory: string;
  /** What this program was built from; `undefined`: no command can know that it is the same, and none is run. */
  readonly build: string | undefined;
  /** Told when there is none, or its thread has died; commands then run in their own processes. */
  readonly onError: (error: unknown) => void;
}

/** For the garbage of a command that answers much; beyond it the thread ends, and not the API. */
const HEAP_MB = 512;

/** Lets commands of this user on this host run in this process, in a thread of their own. */
export function createResidentServer({ directory, build, onError }: ResidentServerOptions): Lifecycle {
  return createKeptThread<ResidentReady>({
    isWanted: build !== undefined,
    launch: () =>
      startThread(import.meta.url, './resident-thread', {
        workerData: { directory, build: build ?? '' } satisfies ResidentData,
        name: 'commands',
        // Commands close with Node what the C library has opened; a thread that keeps books of Node's own ones would warn of each, and close numbers of others at its end.
        trackUnmanagedFds: false,
        resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
      }),
    code: 'INTERNAL',
    died: (cause, code) =>
      new WritError('INTERNAL', `the thread of commands ended with ${code}${cause === undefined ? '' : `: ${messageOf(cause)}`}`, { cause }),
    stopMs: 1_000,
    onError,
  });
}
