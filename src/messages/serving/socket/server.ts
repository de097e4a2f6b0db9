import type { Socket } from 'node:net';
import { listenPrivately, type PrivateServer } from '../../../adapters/linux/private-socket.ts';
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
  let server: PrivateServer | undefined;

  async function listen(): Promise<void> {
    server = await listenPrivately({
      directory,
      name: SEARCH_SOCKET,
      maxConnections: MAX_CONNECTIONS,
      onConnection(socket) {
        connections.add(socket);
        socket.on('close', () => connections.delete(socket));
        serve(socket);
      },
    });
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
      await server?.close();
      server = undefined;
    },
  );
}
