import type { Writable } from 'node:stream';
import { printable } from './text/values.ts';

/** What a command says: results on stdout, everything else on stderr. */
export interface Output {
  readonly json: boolean;
  /** The one answer of a command: a JSON document, or text for a person. */
  answer(value: object, text: () => string): Promise<void>;
  /** One line of a stream, `--json` only; waits while the reader is slower. */
  line(value: object): Promise<void>;
  /** Lines of the result as text, without the last line's end; waits while the reader is slower. */
  text(line: string): Promise<void>;
  /** For the person beside the result. */
  note(text: string): void;
}

/** Writes in one of two ways; `null` prototypes and bigint never occur in what commands say. */
export function createOutput(json: boolean, stdout: Writable, stderr: Writable): Output {
  return {
    json,
    answer: (value, text) => write(stdout, json ? JSON.stringify(value) : text()),
    line: async (value) => {
      if (json) await write(stdout, JSON.stringify(value));
    },
    text: (line) => write(stdout, line),
    note: (text) => {
      stderr.write(`${text.split('\n').map(printable).join('\n')}\n`);
    },
  };
}

/** Resolves when the text is on its way, so that a slow reader slows the writer and memory stays bounded. */
function write(stream: Writable, text: string): Promise<void> {
  if (stream.destroyed || stream.writableEnded) return Promise.resolve();
  if (stream.write(`${text}\n`)) return Promise.resolve();
  const waiting = slow.get(stream) ?? drained(stream);
  slow.set(stream, waiting);
  return waiting;
}

/** Streams whose reader is slower, with the one wait for each: outcomes of many tasks come at once. */
const slow = new WeakMap<Writable, Promise<void>>();

function drained(stream: Writable): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      stream.off('drain', done).off('close', done).off('error', done);
      slow.delete(stream);
      resolve();
    };
    stream.on('drain', done).on('close', done).on('error', done);
  });
}
