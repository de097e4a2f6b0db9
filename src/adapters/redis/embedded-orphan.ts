import { readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { WritError } from '../../core/errors.ts';
import { PID_FILE } from './embedded-files.ts';

const POLL_MS = 20;
/** How long a kill may take on a busy machine. */
const KILL_MS = 5000;

/**
 * Ends a server that was left in the directory by a process that died without stopping it, cleanly, so that nothing of
 * its data is lost. Call it with the directory's lock held: then nobody else can own that server.
 *
 * @throws WritError REDIS_UNAVAILABLE when a server that is not ours listens on the socket
 */
export async function endOrphan(directory: string, socketPath: string, timeoutMs: number): Promise<void> {
  const pid = orphanPid(directory);
  if (pid !== undefined) {
    process.kill(pid, 'SIGTERM');
    if (!(await within(timeoutMs, () => !isServerOf(directory, pid)))) process.kill(pid, 'SIGKILL');
    await within(KILL_MS, () => !isServerOf(directory, pid));
  }
  // A process that is going may hold its socket a moment longer than its name.
  if (!(await within(pid === undefined ? 0 : KILL_MS, async () => !(await accepts(socketPath))))) {
    throw new WritError('REDIS_UNAVAILABLE', `a server that this data directory does not know listens on ${socketPath}; end it first`);
  }
}

async function within(timeoutMs: number, condition: () => boolean | Promise<boolean>): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > deadline) return false;
    await delay(POLL_MS);
  }
  return true;
}

/** The server that a process which died left in the directory: the process in the pid file, if it is still a redis-server that runs in this directory: pids are reused. */
export function orphanPid(directory: string): number | undefined {
  try {
    const pid = Number(readFileSync(join(directory, PID_FILE), 'utf8'));
    return Number.isSafeInteger(pid) && pid > 1 && isServerOf(directory, pid) ? pid : undefined;
  } catch {
    return undefined;
  }
}

function isServerOf(directory: string, pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').startsWith('redis-server') && readlinkSync(`/proc/${pid}/cwd`) === realpathSync(directory);
  } catch {
    return false;
  }
}

function accepts(socketPath: string): Promise<boolean> {
  return new Promise((settle) => {
    const socket = connect({ path: socketPath });
    socket.once('connect', () => {
      socket.destroy();
      settle(true);
    });
    socket.once('error', () => settle(false));
  });
}
