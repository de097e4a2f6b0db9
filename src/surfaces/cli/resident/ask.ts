import type { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import type { Call } from './call.ts';
import { type Frame, frameCutter, frameOf } from './frames.ts';

/** How long the resident process may take to say whether it will, milliseconds: one that is stopped or overloaded helps nobody. */
const ACCEPT_MS = 3_000;

export interface AskOptions {
  /** A connection to the resident process, open or opening. */
  readonly socket: Socket;
  readonly call: Call;
  /** The bytes of `call.input`. */
  readonly input: Uint8Array | undefined;
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** Told when the command heeds interrupts: from then on it hears of them by the function that is given. */
  readonly onHeeds: (interrupt: () => void) => void;
}

/** How a call ended: its exit code; `undo` when nothing was done, or nothing was said: then it may be run here. */
export type Asked = { readonly exit: number } | 'elsewhere' | 'lost';

/**
 * Has a command run by the resident process, and passes on what it says. `elsewhere`: it does not, or has gone before it said a
 * word; every thin command may then be run once more (a task is taken once, by its id). `lost`: it has gone in the midst.
 */
export function askResident({ socket, call, input, stdout, stderr, onHeeds }: AskOptions): Promise<Asked> {
  return new Promise((resolve) => {
    const cut = frameCutter();
    let said = false;
    const alarm = setTimeout(() => end('elsewhere'), ACCEPT_MS);
    const end = (how: Asked): void => {
      clearTimeout(alarm);
      socket.destroy();
      resolve(how);
    };
    const gone = (): void => end(said ? 'lost' : 'elsewhere');
    const slow = new Set<Writable>();
    const write = (to: Writable, body: Buffer): void => {
      said = true;
      if (to.write(body) || slow.has(to)) return;
      // Whoever reads slowly slows the command down. One piece may hold many frames: they are waited for together.
      slow.add(to);
      socket.pause();
      to.once('drain', () => {
        slow.delete(to);
        if (slow.size === 0) socket.resume();
      });
    };
    const hear: Partial<Record<Frame['kind'], (body: Buffer) => void>> = {
      accepted: () => clearTimeout(alarm),
      refused: () => end('elsewhere'),
      heeds: () => onHeeds(() => void socket.write(frameOf('interrupt'))),
      stdout: (body) => write(stdout, body),
      stderr: (body) => write(stderr, body),
      exit: (body) => end({ exit: body[0] ?? 3 }),
    };
    socket.on('data', (piece: Buffer) => {
      const frames = cut(piece);
      if (frames === undefined) return gone();
      for (const { kind, body } of frames) hear[kind]?.(body);
    });
    socket.on('error', gone).on('close', gone);
    socket.write(Buffer.concat([frameOf('call', JSON.stringify(call)), ...(input === undefined ? [] : [frameOf('input', input)])]));
  });
}
