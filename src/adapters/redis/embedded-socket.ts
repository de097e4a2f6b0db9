import { statSync } from 'node:fs';
import path from 'node:path';
import { isThere } from '../files/is-there.ts';
import { SOCKET } from './embedded-files.ts';
import { endServer, type Server } from './embedded-server.ts';

/** Between two looks. One look may fall between the server's start and its socket. */
const LOOK_MS = 2000;
const LOOKS = 2;

/**
 * Ends a server whose socket somebody has removed: who is connected sees nothing of that, and whoever comes anew finds nobody, until it
 * is started again. A directory that was moved away, or exchanged, is left alone: there is nothing to start it in.
 *
 * @returns ends the watch
 */
export function endWithoutSocket(server: Server, { directory, stopTimeoutMs }: { directory: string; stopTimeoutMs: number }): () => void {
  const ours = inodeOf(directory);
  let missed = 0;
  const looks = setInterval(() => {
    const isGone = ours !== undefined && inodeOf(directory) === ours && !mayBeThere(path.join(directory, SOCKET));
    missed = isGone ? missed + 1 : 0;
    if (missed === LOOKS) void endServer(server, stopTimeoutMs);
  }, LOOK_MS).unref();
  return () => clearInterval(looks);
}

/** What cannot be looked at is not gone. */
function mayBeThere(socket: string): boolean {
  try {
    return isThere(socket);
  } catch {
    return true;
  }
}

function inodeOf(directory: string): number | undefined {
  try {
    return statSync(directory).ino;
  } catch {
    return undefined;
  }
}
