import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { messageOf, WritError } from '../../core/errors.ts';
import type { Lifecycle } from '../../core/lifecycle.ts';
import type { InstanceRegistry } from '../../core/ports/instances.ts';
import type { ProcessIdentity } from '../../core/ports/journal.ts';
import { makeDirectory } from '../files/make-directory.ts';
import { type FenceTiming, fence } from './instances-fence.ts';
import { createLocked, instanceOf, lockPath, removeIfFree, removeLocked } from './instances-lock-file.ts';
import { startTimeOf } from './proc.ts';

const TIMING = { waitMs: 5000, pollMs: 20 } satisfies FenceTiming;

export interface LinuxInstanceRegistry extends InstanceRegistry, Lifecycle {
  /**
   * Removes lock files that nobody holds, except those of `named` instances (the ones that open intents name).
   *
   * @returns the instances whose files were removed
   */
  removeStale(named: ReadonlySet<string>): readonly string[];
}

interface Held {
  readonly identity: ProcessIdentity;
  readonly file: string;
  readonly fd: number;
}

/**
 * The worker processes of this host (docs/protocol.md 6): one lock file `<directory>/<instance>.lock` each, locked
 * from `start` to the end of the process. `self` throws WRONG_STATE outside `start`..`stop`, so that no intent can name
 * a process that holds no lock. A clean `stop` removes the file.
 *
 * @throws WritError PLATFORM_UNSUPPORTED (no Linux) or STORAGE_UNAVAILABLE from `start`.
 */
export function createInstanceRegistry(options: { directory: string; timing?: FenceTiming }): LinuxInstanceRegistry {
  const { directory, timing = TIMING } = options;
  let held: Held | undefined;
  /** Names are never used twice, so dead is for ever. */
  const dead = new Set<string>();
  /** One look at a time per instance: two looks of ours would see each other's lock. */
  const looking = new Map<string, Promise<boolean>>();

  async function look(other: ProcessIdentity, file: string): Promise<boolean> {
    try {
      // Always ends in a later turn than it began, hence after it was put into `looking`.
      const isDead = await fence(file, other, timing);
      if (isDead) dead.add(other.instance);
      return isDead;
    } finally {
      looking.delete(other.instance);
    }
  }

  async function start(): Promise<void> {
    held ??= take(directory);
  }

  async function stop(): Promise<void> {
    if (held === undefined) return;
    const { file, fd } = held;
    held = undefined;
    removeLocked(file, fd);
  }

  return {
    get self() {
      if (held === undefined) throw new WritError('WRONG_STATE', 'the instance registry is not started: this process holds no lock');
      return held.identity;
    },
    async ensureDead(other) {
      const file = lockPath(directory, other.instance);
      if (file === undefined || other.instance === held?.identity.instance) return false;
      if (dead.has(other.instance)) return true;
      const underWay = looking.get(other.instance) ?? look(other, file);
      looking.set(other.instance, underWay);
      return underWay;
    },
    removeStale(named) {
      const instances = readdirSync(directory).map(instanceOf);
      return instances.filter((instance): instance is string => {
        if (instance === undefined || instance === held?.identity.instance || named.has(instance)) return false;
        const file = lockPath(directory, instance);
        return file !== undefined && removeIfFree(file);
      });
    },
    start,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

function take(directory: string): Held {
  const startTime = startTimeOf(process.pid);
  if (startTime === undefined) throw new WritError('PLATFORM_UNSUPPORTED', 'worker roles need /proc to tell processes apart');
  try {
    makeDirectory(directory);
    for (;;) {
      const identity = { instance: randomUUID(), pid: process.pid, startTime };
      const file = path.join(directory, `${identity.instance}.lock`);
      const fd = createLocked(file, identity);
      if (fd !== undefined) return { identity, file, fd };
    }
  } catch (error) {
    if (error instanceof WritError) throw error;
    throw new WritError('STORAGE_UNAVAILABLE', `no lock file can be made in ${directory}: ${messageOf(error)}`, { cause: error });
  }
}
