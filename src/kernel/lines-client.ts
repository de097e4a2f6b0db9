import { request } from 'node:http';
import type { Socket } from 'node:net';
import { BOUNDS } from '../contracts/index.ts';
import { messageOf, WritError } from '../core/errors.ts';
import { lineCutter } from '../core/line-cutter.ts';
import { LINES, type LineQuestion, LineReply } from './wire.ts';

/** Questions to the kernel by lines (lines-server.ts). */
export interface LineCalls {
  /**
   * The kernel's reply; `undefined`: it speaks HTTP only.
   *
   * @throws WritError KERNEL_UNAVAILABLE
   */
  ask(question: Omit<LineQuestion, 'id'>): Promise<LineReply | undefined>;
  close(): void;
}

interface Connection {
  readonly socket: Socket;
  /** Whoever waits for an answer, by number; `undefined` is told when there will be none. */
  readonly waiting: Map<number, (reply: LineReply | undefined) => void>;
}

/** A kernel of an earlier version may be replaced at any time. */
const HTTP_FOR_MS = 60_000;

/** One connection, made by the first question, and again after it went. */
export function createLineCalls(socketPath: string, timeoutMs: number): LineCalls {
  let connection: Promise<Connection | undefined> | undefined;
  let httpUntil = Number.NEGATIVE_INFINITY;
  let lastId = 0;
  const unavailable = (why: string): WritError => new WritError('KERNEL_UNAVAILABLE', `the kernel does not answer on ${socketPath}: ${why}`);

  async function current(): Promise<Connection | undefined> {
    if (connection === undefined && performance.now() < httpUntil) return undefined;
    const opening = connection ?? open();
    connection = opening;
    const forget = (): void => {
      if (connection === opening) connection = undefined;
    };
    try {
      const opened = await opening;
      if (opened === undefined) httpUntil = performance.now() + HTTP_FOR_MS;
      if (opened === undefined || opened.socket.destroyed) forget();
      return opened;
    } catch (error) {
      forget();
      throw unavailable(messageOf(error));
    }
  }

  async function open(): Promise<Connection | undefined> {
    const socket = await upgraded(socketPath, timeoutMs);
    return socket && connectionOf(socket);
  }

  /** `closed`: the connection went before the answer came. */
  function askOn({ socket, waiting }: Connection, question: Omit<LineQuestion, 'id'>): Promise<LineReply | 'closed'> {
    return new Promise((resolve, reject) => {
      lastId += 1;
      const id = lastId;
      const timer = setTimeout(() => {
        waiting.delete(id);
        reject(unavailable(`no answer within ${timeoutMs} ms`));
      }, timeoutMs);
      waiting.set(id, (reply) => {
        clearTimeout(timer);
        waiting.delete(id);
        resolve(reply ?? 'closed');
      });
      socket.write(`${JSON.stringify({ id, ...question })}\n`);
    });
  }

  return {
    async ask(question) {
      // The kernel may have gone since it was asked last; what it is asked here may be asked twice.
      for (let tries = 0; tries < 2; tries += 1) {
        const to = await current();
        if (to === undefined) return undefined;
        const reply = to.socket.destroyed ? 'closed' : await askOn(to, question);
        if (reply !== 'closed') return reply;
      }
      throw unavailable('the connection was closed');
    },
    close() {
      void connection?.then(
        (opened) => opened?.socket.destroy(),
        () => undefined,
      );
      connection = undefined;
    },
  };
}

/** Reads the answers of a socket, which keeps no process alive. */
function connectionOf(socket: Socket): Connection {
  const waiting: Connection['waiting'] = new Map();
  const cut = lineCutter(BOUNDS.kernelBody);
  const end = (): void => {
    socket.destroy();
    for (const tell of [...waiting.values()]) tell(undefined);
  };
  socket.setEncoding('utf8').unref();
  socket.on('data', (piece: string) => {
    for (const line of cut(piece) ?? ['']) {
      const reply = read(line);
      if (reply === undefined) return end();
      waiting.get(reply.id)?.(reply);
    }
  });
  socket.on('error', end).on('close', end);
  return { socket, waiting };
}

/** A connection that goes on in lines; `undefined` when it answers as HTTP. */
function upgraded(socketPath: string, timeoutMs: number): Promise<Socket | undefined> {
  return new Promise((resolve, reject) => {
    const asking = request({ socketPath, method: 'GET', path: '/', headers: { connection: 'Upgrade', upgrade: LINES } });
    const timer = setTimeout(() => asking.destroy(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
    asking.on('close', () => clearTimeout(timer));
    asking.on('upgrade', (_response, socket) => {
      clearTimeout(timer);
      resolve(socket);
    });
    asking.on('response', (response) => {
      response.resume();
      resolve(undefined);
    });
    asking.on('error', reject);
    asking.end();
  });
}

function read(line: string): LineReply | undefined {
  try {
    return LineReply.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
