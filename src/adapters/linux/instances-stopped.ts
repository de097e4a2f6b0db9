import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Lifecycle, lifecycle } from '../../core/lifecycle.ts';
import type { InstanceRegistry } from '../../core/ports/instances.ts';
import type { ProcessIdentity } from '../../core/ports/journal.ts';
import { instanceOf, lockState } from './instances-lock-file.ts';
import { parseStartTime, parseState } from './proc.ts';

export interface StoppedFenceOptions {
  /** The lock files of all worker processes. */
  readonly directory: string;
  readonly instances: Pick<InstanceRegistry, 'ensureDead'>;
  /** A process that is found stopped at two looks this far apart has lost its locks on all jobs; at least a lock's life, milliseconds. */
  readonly graceMs: number;
  /** Told of each one that was ended. */
  readonly report: (ended: ProcessIdentity) => void;
}

/**
 * Ends sibling workers that somebody has stopped (SIGSTOP, a debugger). A process can be stopped in the midst of a commit:
 * then it holds SQLite's write lock, nobody else can begin anything, no new worker can open the journal, and no redelivery
 * comes so far as to fence it. `start` goes before the journal's, and takes one `graceMs` if somebody is stopped.
 */
export function createStoppedFence({ directory, instances, graceMs, report }: StoppedFenceOptions): Lifecycle {
  let before: ReadonlySet<string> = new Set();
  let timer: NodeJS.Timeout | undefined;

  async function look(): Promise<void> {
    const stopped = stoppedInstances(directory);
    const long = stopped.filter(({ instance }) => before.has(instance));
    before = new Set(stopped.map(({ instance }) => instance));
    for (const one of long) if (await instances.ensureDead(one)) report(one);
  }

  return lifecycle(
    async () => {
      await look();
      if (before.size > 0) {
        await delay(graceMs);
        await look();
      }
      // What cannot be done now is tried at the next look.
      timer = setInterval(() => void look().catch(() => undefined), graceMs);
    },
    () => clearInterval(timer),
  );
}

/** Who holds a lock file of the directory and is stopped. */
export function stoppedInstances(directory: string): readonly ProcessIdentity[] {
  return lockFiles(directory).flatMap((file) => {
    const owner = ownerOf(file);
    // The lock is looked at last: its look can keep another look waiting.
    return owner && isStopped(owner) && lockState(file) === 'held' ? [owner] : [];
  });
}

function lockFiles(directory: string): readonly string[] {
  try {
    return readdirSync(directory)
      .filter((name) => instanceOf(name) !== undefined)
      .map((name) => path.join(directory, name));
  } catch {
    // Before the first worker there is no such directory.
    return [];
  }
}

/** What a lock file says about its owner; it may be half written, or gone by now. */
function ownerOf(file: string): ProcessIdentity | undefined {
  try {
    const owner = JSON.parse(readFileSync(file, 'utf8')) as Partial<ProcessIdentity>;
    const { pid, startTime } = owner;
    const instance = instanceOf(path.basename(file));
    if (typeof pid !== 'number' || typeof startTime !== 'string' || instance === undefined || owner.instance !== instance) return undefined;
    return { instance, pid, startTime };
  } catch {
    return undefined;
  }
}

/** `T`: by a signal, `t`: by a debugger (proc_pid_stat(5)). */
const STOPPED: ReadonlySet<string | undefined> = new Set(['T', 't']);

function isStopped({ pid, startTime }: ProcessIdentity): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return parseStartTime(stat) === startTime && STOPPED.has(parseState(stat));
  } catch {
    return false;
  }
}
