import { connect, type Socket } from 'node:net';
import { type LineConnection, lineConnection } from '../../../adapters/linux/line-connection.ts';
import { openSocketDirectory } from '../../../adapters/linux/socket-directory.ts';
import type { BarrierAnswer, BarrierClient, OverlayPaths } from '../../../core/ports/index.ts';
import { type BarrierReply, type BarrierRequest, HOST_SOCKET, readReply } from './barrier-lines.ts';

/** So long a search waits for the host whatever an answer is worth to it (search-rules 1). */
const LIMIT_MS = 20;
/** An overlay of 10,000 long paths, and room. */
const REPLY_MAX = 64 << 20;

interface Connection extends LineConnection<BarrierReply> {
  /** The overlay that the host told last, by its number. */
  overlay: { readonly version: number; readonly paths: OverlayPaths } | undefined;
  /** When the questions were asked that are not answered yet, the oldest first. */
  readonly owed: Map<number, number>;
}

/**
 * Keeps one connection to the index host of a directory, made when it is first needed and again when it broke. A host that
 * does not answer in time, or not at all, is no error: the search goes without the index.
 *
 * A dead host is known at once, because the kernel closes its connections. One that lives and is slow (processors are short,
 * or it was stopped) is waited for as long as an answer is worth it, counted from the oldest question that it owes an answer
 * to: so one that hangs holds up one search, and none behind it until it answers.
 *
 * @param now milliseconds that never go back
 */
export function createBarrierClient(directory: string, limitMs = LIMIT_MS, now = () => performance.now()): BarrierClient {
  let connection: Connection | undefined;
  let lastId = 0;
  const current = (): Connection | undefined => {
    if (connection === undefined) {
      const opened = open(directory, () => {
        if (connection === opened) connection = undefined;
      });
      connection = opened;
    }
    return connection;
  };

  async function ask(worthMs: number, request: (id: number, to: Connection) => BarrierRequest): Promise<{ to: Connection; reply: BarrierReply } | undefined> {
    const to = current();
    if (to === undefined) return undefined;
    const [oldest = now()] = to.owed.values();
    const waitMs = Math.max(limitMs, worthMs) - (now() - oldest);
    if (waitMs <= 0) return undefined;
    lastId += 1;
    const id = lastId;
    to.owed.set(id, now());
    const reply = await new Promise<BarrierReply | undefined>((resolve) => {
      // The last look at what has come is after the limit, not before: this process may have been busy itself.
      const timer = setTimeout(() => setImmediate(() => resolve(undefined)), waitMs);
      // Also an answer that comes too late says that the host lives.
      to.waiting.set(id, (said) => {
        clearTimeout(timer);
        to.waiting.delete(id);
        to.owed.delete(id);
        resolve(said);
      });
      to.socket.write(`${JSON.stringify(request(id, to))}\n`);
    });
    return reply && { to, reply };
  }

  return {
    async barrier(worthMs = 0) {
      const said = await ask(worthMs, (id, { overlay }) => ({ id, barrier: overlay?.version ?? null }));
      return said && 'answer' in said.reply ? whole(said.to, said.reply) : undefined;
    },
    async status() {
      const said = await ask(0, (id) => ({ id, status: true }));
      return said && 'status' in said.reply ? said.reply.status : undefined;
    },
    reportCorrupt(message) {
      current()?.socket.write(`${JSON.stringify({ corrupt: message } satisfies BarrierRequest)}\n`);
    },
    close() {
      connection?.socket.destroy();
      connection = undefined;
    },
  };
}

function whole(to: Connection, { answer, version, overlay }: Extract<BarrierReply, { readonly answer: unknown }>): BarrierAnswer | undefined {
  if (overlay !== 'same') to.overlay = { version, paths: overlay };
  return to.overlay?.version === version ? { ...answer, overlay: to.overlay.paths } : undefined;
}

function open(directory: string, onClose: () => void): Connection | undefined {
  const socket = socketTo(directory);
  if (socket === undefined) return undefined;
  return { ...lineConnection(socket, { most: REPLY_MAX, read: readReply, onClose }), overlay: undefined, owed: new Map() };
}

/** `undefined`: there is none that is ours. The descriptor is not needed once the call of connect(2) was made, and Node makes it at once. */
function socketTo(directory: string): Socket | undefined {
  try {
    const place = openSocketDirectory(directory, HOST_SOCKET);
    try {
      return place.isOurs() ? connect(place.path) : undefined;
    } finally {
      place.close();
    }
  } catch {
    return undefined;
  }
}
