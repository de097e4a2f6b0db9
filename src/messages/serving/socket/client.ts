import { type LineConnection, lineConnection } from '../../../adapters/linux/line-connection.ts';
import { connectPrivately } from '../../../adapters/linux/private-socket.ts';
import type { MessageAnswer, MessageQuestion, MessageQuestions } from '../../../core/ports/message-search.ts';
import { withTimeout } from '../../../core/with-timeout.ts';
import { readReply, SEARCH_SOCKET, type SocketReply, socketQuestion } from './lines.ts';

/** A page of a thousand long messages, and room. */
const REPLY_MAX = 1 << 30;
/** Whoever listens says so at once, unless it is stopped or overloaded. */
const HELLO_MS = 1000;
/** The other side bounds a search itself. */
const ANSWER_MS = 60_000;

type Connection = LineConnection<SocketReply>;

/** The search of another process. */
export interface SearchSocketClient {
  /** Answers `undefined` when nobody is there, or has other settings. */
  ask<Q extends MessageQuestion>(question: Q, ...args: Parameters<MessageQuestions[Q]>): Promise<MessageAnswer<Q> | undefined>;
  close(): void;
}

/** Asks the process that serves the searches of a directory (server.ts), connected by the first question, and again after it went. */
export function createSearchSocketClient(directory: string, settings: string): SearchSocketClient {
  let connection: Promise<Connection | undefined> | undefined;
  let lastId = 0;

  async function current(): Promise<Connection | undefined> {
    const opening =
      connection ??
      open(directory, () => {
        if (connection === opening) connection = undefined;
      });
    connection = opening;
    const opened = await opening;
    if (opened === undefined && connection === opening) connection = undefined;
    return opened;
  }

  return {
    async ask<Q extends MessageQuestion>(question: Q, ...args: Parameters<MessageQuestions[Q]>): Promise<MessageAnswer<Q> | undefined> {
      const to = await current();
      if (to === undefined || to.socket.destroyed) return undefined;
      lastId += 1;
      const id = lastId;
      to.socket.ref();
      const said = new Promise<SocketReply | undefined>((resolve) => {
        to.waiting.set(id, resolve);
        to.socket.write(`${JSON.stringify(socketQuestion({ id, settings }, question, args))}\n`);
      });
      const reply = await withTimeout(said, ANSWER_MS);
      to.waiting.delete(id);
      if (to.waiting.size === 0) to.socket.unref();
      // The other side has the same version: its search has checked the question and answers as ours does.
      return reply?.value as MessageAnswer<Q> | undefined;
    },
    close() {
      void connection?.then((opened) => opened?.socket.destroy());
      connection = undefined;
    },
  };
}

async function open(directory: string, onClose: () => void): Promise<Connection | undefined> {
  const socket = await connectPrivately(directory, SEARCH_SOCKET);
  if (socket === undefined) return undefined;
  const connection = lineConnection(socket, { most: REPLY_MAX, read: readReply, onClose });
  const { waiting } = connection;
  const hello = new Promise<SocketReply | undefined>((resolve) => waiting.set(0, resolve));
  const isThere = (await withTimeout(hello, HELLO_MS)) !== undefined;
  waiting.delete(0);
  if (isThere) return connection;
  socket.destroy();
  return undefined;
}
