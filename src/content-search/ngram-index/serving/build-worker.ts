import { createThreadClient } from '../../../adapters/threads/client.ts';
import { startThread } from '../../../adapters/threads/thread-entry.ts';
import { messageOf } from '../../../core/errors.ts';
import type { BuildJob, BuildOutcome, BuildProgress, IndexBuilder } from '../../../core/ports/index.ts';
import type { IndexedTree } from '../build/indexed-tree.ts';
import type { PaceSettings } from '../build/pace.ts';
import type { JobLimits } from '../build/site.ts';
import { type BuildCalls, type BuildThreadData, FLAG, FLAG_BYTES } from './build-messages.ts';

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

/** The build thread of one index. It is started by the first job; one that died is an outcome 'failed', and the next job gets a new one. */
export function createIndexBuilder(options: IndexBuilderOptions): IndexBuilder {
  const { indexed, directory, keyHash, pace } = options;
  const shared = new SharedArrayBuffer(FLAG_BYTES);
  const flags = new Int32Array(shared);
  /** Of the job under way. */
  let onProgress: ((progress: BuildProgress) => void) | undefined;
  let isOpen = false;

  const thread = createThreadClient<BuildCalls, BuildProgress>({
    launch: () =>
      startThread(import.meta.url, './build-thread', {
        workerData: { indexed, directory, keyHash, pace, flags: shared } satisfies BuildThreadData,
        name: 'index-build',
        resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
      }),
    launchedBy: 'calls',
    code: 'INTERNAL',
    died: (cause) => new Error(cause === undefined ? 'it ended' : messageOf(cause)),
    onEvent: (progress) => onProgress?.(progress),
    stopMs: options.shutdownTimeoutMs,
  });

  function raise(on: boolean): void {
    Atomics.store(flags, FLAG.stop, on ? 1 : 0);
    Atomics.notify(flags, FLAG.stop);
  }

  async function run(job: BuildJob, how: Parameters<IndexBuilder['run']>[1]): Promise<BuildOutcome> {
    const { signal } = how;
    if (!isOpen || signal.aborted) return { outcome: 'stopped' };
    if (onProgress !== undefined) return { outcome: 'failed', message: 'another job is under way' };
    raise(false);
    let limit: NodeJS.Timeout | undefined;
    const abort = (): void => {
      raise(true);
      // What it keeps it has to write by then.
      limit = setTimeout(() => void thread.kill(), options.shutdownTimeoutMs);
    };
    signal.addEventListener('abort', abort, { once: true });
    onProgress = how.onProgress;
    try {
      return await thread.call('run', job, options.limits(job));
    } catch (error) {
      return !isOpen || signal.aborted ? { outcome: 'stopped' } : { outcome: 'failed', message: `the build thread: ${messageOf(error)}` };
    } finally {
      onProgress = undefined;
      clearTimeout(limit);
      signal.removeEventListener('abort', abort);
    }
  }

  async function stop(): Promise<void> {
    isOpen = false;
    raise(true);
    await thread.stop();
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
