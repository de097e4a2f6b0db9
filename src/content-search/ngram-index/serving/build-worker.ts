import type { Worker } from 'node:worker_threads';
import { startThread } from '../../../adapters/threads/thread-entry.ts';
import { messageOf } from '../../../core/errors.ts';
import { inTime } from '../../../core/in-time.ts';
import type { BuildJob, BuildOutcome, BuildProgress, IndexBuilder } from '../../../core/ports/index.ts';
import type { IndexedTree } from '../build/indexed-tree.ts';
import type { PaceSettings } from '../build/pace.ts';
import type { JobLimits } from '../build/site.ts';
import { type BuildThreadData, FLAG, FLAG_BYTES, type FromBuildThread, type ToBuildThread } from './build-messages.ts';

export interface IndexBuilderOptions {
  readonly indexed: IndexedTree;
  /** Of this index alone, in a cache root that exists. */
  readonly directory: string;
  /** SHA-256 of the index key, hexadecimal. */
  readonly keyHash: string;
  readonly pace: PaceSettings;
  /** `index_shutdown_timeout_ms`: a thread that does not end by itself is ended (FR-LSI-BG-43). */
  readonly shutdownTimeoutMs: number;
  /** Asked when a job begins. */
  readonly limits: (job: BuildJob) => JobLimits;
}

/** Half of what Node gives a thread: nothing that a build makes for a file outlives it by much, and what is not needed is memory of the host. */
const YOUNG_MB = 24;

/** A job under way. */
interface Running {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: BuildProgress) => void;
  readonly end: (outcome: BuildOutcome) => void;
}

/** The build thread of one index. It is started by the first job; one that died is an outcome 'failed', and the next job gets a new one. */
export function createIndexBuilder(options: IndexBuilderOptions): IndexBuilder {
  const { indexed, directory, keyHash, pace } = options;
  const shared = new SharedArrayBuffer(FLAG_BYTES);
  const flags = new Int32Array(shared);
  let thread: Worker | undefined;
  let running: Running | undefined;
  let ended: Promise<unknown> = Promise.resolve();
  let isOpen = false;

  function raise(on: boolean): void {
    Atomics.store(flags, FLAG.stop, on ? 1 : 0);
    Atomics.notify(flags, FLAG.stop);
  }

  function finish(outcome: BuildOutcome): void {
    const job = running;
    running = undefined;
    job?.end(outcome);
  }

  function launch(): Worker {
    const worker = startThread(import.meta.url, './build-thread', {
      workerData: { indexed, directory, keyHash, pace, flags: shared } satisfies BuildThreadData,
      name: 'index-build',
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
    });
    let cause = 'it ended';
    worker.on('message', (message: FromBuildThread) => {
      if (message.kind === 'end') finish(message.outcome);
      else running?.onProgress(message.progress);
    });
    worker.on('error', (error) => {
      cause = messageOf(error);
    });
    worker.on('exit', () => {
      if (thread === worker) thread = undefined;
      const isWanted = !isOpen || running?.signal.aborted === true;
      finish(isWanted ? { outcome: 'stopped' } : { outcome: 'failed', message: `the build thread: ${cause}` });
    });
    return worker;
  }

  function begin(job: BuildJob, { signal, onProgress }: Parameters<IndexBuilder['run']>[1]): Promise<BuildOutcome> {
    thread ??= launch();
    const outcome = new Promise<BuildOutcome>((end) => {
      running = { signal, onProgress, end };
    });
    thread.postMessage({ job, limits: options.limits(job) } satisfies ToBuildThread);
    return outcome;
  }

  async function run(job: BuildJob, how: Parameters<IndexBuilder['run']>[1]): Promise<BuildOutcome> {
    const { signal } = how;
    if (!isOpen || signal.aborted) return { outcome: 'stopped' };
    if (running !== undefined) return { outcome: 'failed', message: 'another job is under way' };
    raise(false);
    let limit: NodeJS.Timeout | undefined;
    const abort = (): void => {
      raise(true);
      // What it keeps it has to write by then.
      limit = setTimeout(() => void thread?.terminate(), options.shutdownTimeoutMs);
    };
    signal.addEventListener('abort', abort, { once: true });
    const outcome = begin(job, how);
    ended = outcome;
    try {
      return await outcome;
    } finally {
      clearTimeout(limit);
      signal.removeEventListener('abort', abort);
    }
  }

  async function stop(): Promise<void> {
    isOpen = false;
    raise(true);
    await inTime(ended, options.shutdownTimeoutMs);
    await thread?.terminate();
  }

  return {
    run,
    setBoost(on) {
      Atomics.store(flags, FLAG.boost, on ? 1 : 0);
      // A job that sleeps need not sleep on.
      if (on) Atomics.notify(flags, FLAG.stop);
    },
    start: async () => {
      isOpen = true;
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
