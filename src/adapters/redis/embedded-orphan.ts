import { readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { WritError } from '../../core/errors.ts';
import { PID_FILE } from './embedded-files.ts';

const POLL_MS = 20;

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
    if (!(await isGone(directory, pid, timeoutMs))) process.kill(pid, 'SIGKILL');
    await isGone(directory, pid, timeoutMs);
  }
  if (await accepts(socketPath)) {
    throw new WritError('REDIS_UNAVAILABLE', `a server that this data directory does not know listens on ${socketPath}; end it first`);
  }
}

/** The process in the pid file, if it is still a redis-server that runs in this directory: pids are reused. */
function orphanPid(directory: string): number | undefined {
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

async function isGone(directory: string, pid: number, timeoutMs: number): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while (isServerOf(directory, pid)) {
    if (performance.now() > deadline) return false;
    await delay(POLL_MS);
  }
  return true;
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
