import { FILE_CAPABILITIES } from '../../contracts/index.ts';
import { sha256Hex } from '../../core/hash.ts';
import type { Lifecycle } from '../../core/lifecycle.ts';
import type { HostMemory, TaskExecutor } from '../../core/ports/index.ts';
import { createRuns } from '../../core/runs.ts';
import type { FileDeps, OpenedAttempt, Runs } from './deps.ts';
import type { Descriptors } from './descriptors.ts';
import { execute } from './execute.ts';
import { createHeldBases, type HeldBases } from './held-bases.ts';
import { createMemory } from './memory.ts';
import type { FileExecutorOptions } from './options.ts';
import { toPathBase } from './paths.ts';

let started = 0;

/** A part of probe file names that no other executor uses at the same time. */
function probeId(instance: string): string {
  started += 1;
  return `${sha256Hex(instance).slice(0, 16)}-${started}`;
}

/** The file executor always has a memory: its effects are once-only. */
export interface FileExecutor extends TaskExecutor, Lifecycle {
  readonly memory: HostMemory;
  /** How the base directories stand, at this moment; `look` lets time pass for those that are exchanged. */
  readonly bases: Pick<HeldBases, 'states' | 'look'>;
}

/** As `file.settle_s`. */
const SETTLE_MS = 10_000;

/**
 * The file executor (`docs/file-executor.md`): moves, copies and deletes single files beneath its base directories, each
 * task at most once, never replacing and never losing anything.
 *
 * `start` opens the base directories and prepares their vaults; it throws WritError INVALID_CONFIG when one cannot be
 * used. `stop` waits for running effects. `execute` and `recover` outside of that throw WritError INTERNAL.
 *
 * @param runs those of this process, where other executors share them
 */
export function createFileExecutor(options: FileExecutorOptions, runs: Runs = createRuns<OpenedAttempt>()): FileExecutor {
  let starting: Promise<void> | undefined;
  const held = createHeldBases({
    bases: options.bases,
    fileSystem: options.fileSystem,
    probeId: () => probeId(options.instances.self.instance),
    clock: options.clock,
    settleMs: options.settleMs ?? SETTLE_MS,
    onChange: (change) => options.onBaseChange?.(change),
  });
  /** What each run holds of the bases. */
  const holds = new WeakMap<Descriptors, ReturnType<HeldBases['hold']>>();

  const deps: FileDeps = {
    ...options,
    capabilities: options.capabilities ?? FILE_CAPABILITIES,
    pathBases: options.bases.map(toPathBase),
    runs,
    bases(run) {
      const hold = holds.get(run) ?? run.add(held.hold());
      holds.set(run, hold);
      return hold.bases;
    },
  };

  async function open(): Promise<void> {
    try {
      await held.start();
    } catch (error) {
      await held.stop();
      throw error;
    }
  }

  async function stop(): Promise<void> {
    await starting?.catch(() => undefined);
    starting = undefined;
    await runs.idle();
    await held.stop();
  }

  return {
    capabilities: deps.capabilities,
    maxRunMs: options.limits.maxRunMs,
    memory: createMemory(deps),
    bases: held,
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
