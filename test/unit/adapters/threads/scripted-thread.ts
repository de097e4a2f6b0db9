import { workerData } from 'node:worker_threads';
import { threadSide } from '../../../../src/adapters/threads/serve.ts';
import { WritError } from '../../../../src/core/errors.ts';

/** What the thread of the client's tests answers, and how it opens. */
export interface ScriptedData {
  readonly refuses?: 'coded' | 'plain';
  /** What a throwing call means. */
  readonly throwing?: 'answer' | 'death';
  /** Does not end when it is asked to. */
  readonly isDeaf?: boolean;
  /** A byte: 1 when `close` was called. */
  readonly closed?: SharedArrayBuffer;
}

export interface ScriptedCalls {
  add(a: number, b: number): number;
  /** Answers when `release` is called. */
  hold(name: string): string;
  release(name: string): void;
  coded(): void;
  plain(): void;
  tell(...words: string[]): void;
  die(message: string): void;
  leave(): void;
  /** Never comes to an end, as native code that hangs. */
  hang(): void;
  bytes(buffer: ArrayBuffer): ArrayBuffer;
}

const coded = (): WritError => new WritError('INVALID_ARGUMENT', 'not this one', { field: 'a.b' });

const { refuses, throwing = 'answer', isDeaf = false, closed } = workerData as ScriptedData;
const { tell, serve } = threadSide<ScriptedCalls, string, string>();
const held = new Map<string, (name: string) => void>();

serve(async () => {
  if (refuses === 'coded') throw coded();
  if (refuses === 'plain') throw new Error('no way in');
  return {
    ready: 'open',
    throwing,
    calls: {
      add: (a, b) => a + b,
      hold: (name) => new Promise((resolve) => held.set(name, resolve)),
      release: (name) => held.get(name)?.(name),
      coded() {
        throw coded();
      },
      plain() {
        throw new Error('a plain one');
      },
      tell: (...words) => words.forEach(tell),
      die(message) {
        setImmediate(() => {
          throw new Error(message);
        });
      },
      leave: () => process.exit(7),
      hang: () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0),
      bytes: (buffer) => buffer,
    },
    transfer: (value) => (value instanceof ArrayBuffer ? [value] : []),
    async close() {
      if (isDeaf) await new Promise((resolve) => setInterval(resolve, 1 << 30));
      if (closed !== undefined) Atomics.store(new Uint8Array(closed), 0, 1);
    },
  };
});
