import { FILE_CAPABILITIES } from '../../contracts/index.ts';
import { WritError } from '../../core/errors.ts';
import { sha256Hex } from '../../core/hash.ts';
import type { Lifecycle } from '../../core/lifecycle.ts';
import type { HostMemory, TaskExecutor } from '../../core/ports/index.ts';
import { createRuns } from '../../core/runs.ts';
import { type OpenBases, openBases } from './bases.ts';
import type { FileDeps, OpenedAttempt } from './deps.ts';
import { execute } from './execute.ts';
import { createMemory } from './memory.ts';
import type { FileExecutorOptions } from './options.ts';
import { toPathBase } from './paths.ts';

export type { BaseOption, FileExecutorOptions, FileLimits } from './options.ts';
export { CRASH_POINTS, type CrashPoint } from './options.ts';
export { purgeVault } from './purge-vault.ts';

let started = 0;

/** A part of probe file names that no other executor uses at the same time. */
function probeId(instance: string): string {
  started += 1;
  return `${sha256Hex(instance).slice(0, 16)}-${started}`;
}

/** The file executor always has a memory: its effects are once-only. */
export interface FileExecutor extends TaskExecutor, Lifecycle {
  readonly memory: HostMemory;
}

/**
 * The file executor (`docs/file-executor.md`): moves, copies and deletes single files beneath its base directories, each
 * task at most once, never replacing and never losing anything.
 *
 * `start` opens the base directories and prepares their vaults; it throws WritError INVALID_CONFIG when one cannot be
 * used. `stop` waits for running effects. `execute` and `recover` outside of that throw WritError INTERNAL.
 */
export function createFileExecutor(options: FileExecutorOptions): FileExecutor {
  const runs = createRuns<OpenedAttempt>();
  let opened: OpenBases | undefined;
  let starting: Promise<void> | undefined;

  const deps: FileDeps = {
    ...options,
    capabilities: options.capabilities ?? FILE_CAPABILITIES,
    pathBases: options.bases.map(toPathBase),
    runs,
    bases() {
      if (!opened) throw new WritError('INTERNAL', 'the file executor is not running');
      return opened;
    },
  };

  async function open(): Promise<void> {
    opened = await openBases(options.bases, options.fileSystem, probeId(options.instances.self.instance));
  }

  async function stop(): Promise<void> {
    await starting?.catch(() => undefined);
    starting = undefined;
    await runs.idle();
    const closing = opened;
    opened = undefined;
    await closing?.close();
  }

  return {
    capabilities: deps.capabilities,
    maxRunMs: options.limits.maxRunMs,
    memory: createMemory(deps),
    execute: (task, context) => execute(task, context, deps),
    async start() {
      starting ??= open();
      try {
        await starting;
      } catch (error) {
        starting = undefined;
        throw error;
      }
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
