import type { Socket } from 'node:net';
import { lineCutter } from '../../core/line-cutter.ts';

/** A connection on which questions have numbers, and each answer is a line with the number of its question. */
export interface LineConnection<Reply> {
  readonly socket: Socket;
  /** Whoever waits for an answer, by number; `undefined` is told when there will be none. */
  readonly waiting: Map<number, (reply: Reply | undefined) => void>;
}

export interface LineConnectionOptions<Reply> {
  /** Characters of an answer. */
  readonly most: number;
  /** `undefined`: that is no answer of ours, and the connection ends. */
  readonly read: (line: string) => Reply | undefined;
  readonly onClose: () => void;
}

/** Reads the answers of a socket, which keeps no process alive. */
export function lineConnection<Reply extends { readonly id: number }>(
  socket: Socket,
  { most, read, onClose }: LineConnectionOptions<Reply>,
): LineConnection<Reply> {
  const waiting: LineConnection<Reply>['waiting'] = new Map();
  const cut = lineCutter(most);
  const end = (): void => {
    socket.destroy();
    onClose();
    for (const tell of waiting.values()) tell(undefined);
    waiting.clear();
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
