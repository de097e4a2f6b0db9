import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type LineConnection, lineConnection } from '../../../adapters/linux/line-connection.ts';
import { openSocketDirectory } from '../../../adapters/linux/socket-directory.ts';
import type { MessageSearch } from '../../../core/ports/message-search.ts';
import { withTimeout } from '../../../core/with-timeout.ts';
import { readReply, SEARCH_SOCKET, type SocketCall, type SocketQuestion, type SocketReply } from './lines.ts';

/** A page of a thousand long messages, and room. */
const REPLY_MAX = 1 << 30;
/** Whoever listens says so at once, unless it is stopped or overloaded. */
const HELLO_MS = 1000;
/** The other side bounds a search itself. */
const ANSWER_MS = 60_000;

type Connection = LineConnection<SocketReply>;

/** A search that another process may have for us. Each call answers `undefined` when nobody does, or not with our settings. */
export interface SearchSocketClient extends Pick<MessageSearchOf, 'search' | 'project' | 'product'> {
  close(): void;
}
type MessageSearchOf = {
  readonly [Op in keyof MessageSearch]: (...args: Parameters<MessageSearch[Op]>) => Promise<Awaited<ReturnType<MessageSearch[Op]>> | undefined>;
};

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

  /** What the other side answers is what its search says: it has checked the question, and it is ours. */
  async function ask<T>(call: SocketCall): Promise<T | undefined> {
    const to = await current();
    if (to === undefined || to.socket.destroyed) return undefined;
    lastId += 1;
    const question: SocketQuestion = { ...call, id: lastId, settings };
    to.socket.ref();
    const said = new Promise<SocketReply | undefined>((resolve) => {
      to.waiting.set(question.id, resolve);
      to.socket.write(`${JSON.stringify(question)}\n`);
    });
    const reply = await withTimeout(said, ANSWER_MS);
    to.waiting.delete(question.id);
    if (to.waiting.size === 0) to.socket.unref();
    return reply?.value as T | undefined;
  }

  return {
    search: (query, viewer) => ask({ op: 'search', query, viewer }),
    project: (key) => ask({ op: 'project', key }),
    product: (key) => ask({ op: 'product', key }),
    close() {
      void connection?.then((opened) => opened?.socket.destroy());
      connection = undefined;
    },
  };
}

async function open(directory: string, onClose: () => void): Promise<Connection | undefined> {
  const socket = await connected(directory);
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

/** `undefined`: nobody listens there, or it is not ours. */
async function connected(directory: string): Promise<Socket | undefined> {
  try {
    const place = openSocketDirectory(directory, SEARCH_SOCKET);
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
