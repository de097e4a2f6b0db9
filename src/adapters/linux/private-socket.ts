import { once } from 'node:events';
import { chmodSync, unlinkSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { makeDirectory } from '../files/make-directory.ts';
import { openSocketDirectory } from './socket-directory.ts';

/** A server that only processes of this user reach. */
export interface PrivateServer {
  /** Stops listening and removes the socket. Connections that are open stay. */
  close(): Promise<void>;
}

export interface PrivateServerOptions {
  /** Made 0700 when it is missing. */
  readonly directory: string;
  readonly name: string;
  readonly maxConnections: number;
  readonly onConnection: (socket: Socket) => void;
}

/**
 * Listens on a socket in a directory of this user's alone. `undefined`: somebody else of this user listens there already.
 *
 * @throws WritError STORAGE_UNAVAILABLE for a directory that others can enter; the error of the system when it cannot listen
 */
export async function listenPrivately({ directory, name, maxConnections, onConnection }: PrivateServerOptions): Promise<PrivateServer | undefined> {
  makeDirectory(directory);
  const place = openSocketDirectory(directory, name);
  try {
    if (place.isOurs()) {
      if (await isAnswered(place.path)) {
        place.close();
        return undefined;
      }
      unlinkSync(place.path);
    }
    const server = createServer(onConnection);
    server.maxConnections = maxConnections;
    await listening(server, place.path);
    chmodSync(place.path, 0o600);
    return {
      // Closing removes the socket, for which the directory must still be open.
      close: () =>
        new Promise((resolve) => {
          server.close(() => undefined);
          place.close();
          resolve();
        }),
    };
  } catch (error) {
    place.close();
    throw error;
  }
}

/** Connects to such a socket. `undefined`: nobody listens there, or it is not this user's alone. */
export async function connectPrivately(directory: string, name: string): Promise<Socket | undefined> {
  try {
    const place = openSocketDirectory(directory, name);
    try {
      if (!place.isOurs()) return undefined;
      const socket = connect(place.path);
      await once(socket, 'connect');
      return socket;
    } finally {
      place.close();
    }
  } catch {
    return undefined;
  }
}

function listening(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => resolve());
  });
}

/** Whether a process listens there. */
function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const told = (isThere: boolean) => () => {
      socket.destroy();
      resolve(isThere);
    };
    socket.once('connect', told(true)).once('error', told(false));
  });
}
