import { write, writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';

/** Lines are written together: one write per task would cost a fifth of the pipeline. */
const BUFFER_BYTES = 8192;
/** A quiet role's line waits at most this long. */
const FLUSH_MS = 250;
/** What a reader that takes nothing may hold up; then lines are lost. */
const MAX_WAITING = 1024 * 1024;
/** Between two tries at a reader that takes nothing now. */
const BUSY_MS = 100;

const NOTHING = Buffer.alloc(0);
const LINE_END = 0x0a;

/** Writes like `fs.write` and `fs.writeSync`; tests bring their own. */
export interface LogFile {
  write(text: Buffer, done: (error: NodeJS.ErrnoException | null, written: number) => void): void;
  writeSync(text: Buffer): number;
}

/** Lines of a log on their way to a descriptor. */
export interface LogSink extends DestinationStream {
  /** Writes what waits, as far as it is taken at once; the last act of a process. */
  flushSync(): void;
}

/**
 * Where a role's log goes. A log is no reason to end: a terminal that was closed (EIO), a reader that left (EPIPE) and a full
 * disk (ENOSPC) cost the lines, never the role, and when lines are taken again the first says how many were lost.
 *
 * Of our own, because pino's destination ends the process with such an error, and waits for ever in its exit.
 */
export function createLogSink(file: LogFile): LogSink {
  let waiting: string[] = [];
  let bytes = 0;
  let lost = 0;
  /** The file ends within a line. Where its rest is lost, the next one does not go on with it. */
  let midLine = false;
  let writing: Buffer | undefined;

  function take(): Buffer {
    const told = lost === 0 ? [] : [midLine ? '\n' : '', lossOf(lost)];
    lost = 0;
    const text = Buffer.from([...told, ...waiting].join(''));
    waiting = [];
    bytes = 0;
    return text;
  }

  function flush(): void {
    if (writing !== undefined || waiting.length === 0) return;
    writing = take();
    send();
  }

  function send(): void {
    if (writing === undefined) return;
    file.write(writing, (error, written) => {
      if (writing === undefined) return;
      if (isBusy(error)) {
        setTimeout(send, BUSY_MS).unref();
        return;
      }
      if (error) lost += linesIn(writing);
      else midLine = writing.at(written - 1) !== LINE_END;
      writing = error ? undefined : rest(writing, written);
      if (writing !== undefined) send();
      else if (bytes >= BUFFER_BYTES) flush();
    });
  }

  setInterval(flush, FLUSH_MS).unref();
  return {
    write(line) {
      if (bytes >= MAX_WAITING) {
        lost += 1;
        return;
      }
      waiting.push(line);
      bytes += line.length;
      if (bytes >= BUFFER_BYTES) flush();
    },
    flushSync() {
      // What is under way may reach the file twice; a process that ends waits for nobody.
      let text = Buffer.concat([writing ?? NOTHING, waiting.length > 0 ? take() : NOTHING]);
      writing = undefined;
      try {
        while (text.length > 0) text = text.subarray(file.writeSync(text));
      } catch {
        // Nobody takes it any more.
      }
    },
  };
}

export function descriptorFile(fd: number): LogFile {
  return { write: (text, done) => write(fd, text, done), writeSync: (text) => writeSync(fd, text) };
}

/** The log of this process; what waits is written when the process ends. */
export function logSinkOf(file: LogFile): LogSink {
  const sink = createLogSink(file);
  process.once('exit', () => sink.flushSync());
  return sink;
}

function isBusy(error: NodeJS.ErrnoException | null): boolean {
  return error?.code === 'EAGAIN' || error?.code === 'EBUSY';
}

function rest(text: Buffer, written: number): Buffer | undefined {
  return written < text.length ? text.subarray(written) : undefined;
}

function linesIn(text: Buffer): number {
  let lines = 0;
  for (let at = text.indexOf(LINE_END); at >= 0; at = text.indexOf(LINE_END, at + 1)) lines += 1;
  return lines;
}

function lossOf(lines: number): string {
  return `${JSON.stringify({ level: 40, time: new Date().toISOString(), pid: process.pid, lines, msg: 'lines of this log were lost' })}\n`;
}
