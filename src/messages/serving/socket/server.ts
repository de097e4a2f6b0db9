import { chmodSync, mkdirSync, unlinkSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { openSocketDirectory, type SocketDirectory } from '../../../adapters/linux/socket-directory.ts';
import { type Lifecycle, lifecycle } from '../../../core/lifecycle.ts';
import { lineCutter } from '../../../core/line-cutter.ts';
import type { MessageSearch } from '../../../core/ports/message-search.ts';
import { answerOf, HELLO, readQuestion, SEARCH_SOCKET } from './lines.ts';

export interface SearchSocketOptions {
  /** Of the messages; made 0700. */
  readonly directory: string;
  /** With what settings `search` searches. */
  readonly settings: string;
  readonly search: MessageSearch;
  /** Told when there is no socket; searches of other processes then load what they need themselves. */
  readonly onError: (error: unknown) => void;
}

const MAX_CONNECTIONS = 256;
const QUESTION_MAX = 1024 * 1024;
/** Characters of answers that wait to be read; who asks on and reads nothing is let go. */
const UNREAD_MAX = 64 * 1024 * 1024;

/**
 * Lets other processes of this user on this host search through this one, which has models, vectors and indexes in memory.
 * Where somebody else does that already, they go on.
 */
export function createSearchSocket({ directory, settings, search, onError }: SearchSocketOptions): Lifecycle {
  const connections = new Set<Socket>();
  let server: Server | undefined;
  let place: SocketDirectory | undefined;

  async function listen(): Promise<void> {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const opened = openSocketDirectory(directory, SEARCH_SOCKET);
    place = opened;
    if (opened.isOurs()) {
      if (await isAnswered(opened.path)) return;
      unlinkSync(opened.path);
    }
    const listening = createServer((socket) => {
      connections.add(socket);
      socket.on('close', () => connections.delete(socket));
      serve(socket);
    });
    listening.maxConnections = MAX_CONNECTIONS;
    server = listening;
    await new Promise<void>((resolve, reject) => {
      listening.once('error', reject);
      listening.listen(opened.path, resolve);
    });
    chmodSync(opened.path, 0o600);
  }

  function serve(socket: Socket): void {
    const cut = lineCutter(QUESTION_MAX);
    socket.setEncoding('utf8');
    socket.write(HELLO);
    socket.on('data', (piece: string) => {
      for (const line of cut(piece) ?? ['']) {
        const question = readQuestion(line);
        if (question === undefined || socket.writableLength > UNREAD_MAX) return void socket.destroy();
        const { id } = question;
        const reply = (value?: unknown): void => void socket.write(`${JSON.stringify({ id, value })}\n`);
        if (question.settings !== settings) reply();
        else answerOf(search, question).then(reply, () => reply());
      }
    });
    // Whoever asks may go at any moment.
    socket.on('error', () => undefined);
  }

  return lifecycle(
    () => listen().catch(onError),
    async () => {
      for (const socket of connections) socket.destroy();
      // Closing removes the socket.
      await new Promise<void>((resolve) => (server === undefined ? resolve() : server.close(() => resolve())));
      server = undefined;
      place?.close();
    },
  );
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
