import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import path from 'node:path';
import { replaceFile } from '../adapters/files/replace-file.ts';
import { connectPrivately, listenPrivately, type PrivateServer } from '../adapters/linux/private-socket.ts';

/** The socket on which commands are run for others of this host, and the file that shows who can read the data directory. */
const SOCKET = 'commands.sock';
const SECRET = 'secret';
const SECRET_BYTES = 32;

/** File of the secret that a call brings along. */
export function commandSecretFile(directory: string): string {
  return path.join(directory, SECRET);
}

/** A connection to whoever runs commands; `undefined`: nobody, or it is not this user's alone. */
export function connectToCommands(directory: string): Promise<Socket | undefined> {
  return connectPrivately(directory, SOCKET);
}

/**
 * Listens for commands; every start has a secret of its own. `undefined`: another process of this user does already.
 *
 * @throws as `listenPrivately`; the error of the file system when the secret cannot be written
 */
export async function listenForCommands(
  directory: string,
  maxConnections: number,
  onConnection: (socket: Socket, secret: string) => void,
): Promise<PrivateServer | undefined> {
  const secret = randomBytes(SECRET_BYTES).toString('hex');
  const server = await listenPrivately({ directory, name: SOCKET, maxConnections, onConnection: (socket) => onConnection(socket, secret) });
  if (server === undefined) return undefined;
  // After it listens: of two processes only that one's secret counts.
  await replaceFile(commandSecretFile(directory), secret);
  return server;
}
