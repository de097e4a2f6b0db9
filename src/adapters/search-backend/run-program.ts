import { closeSync } from 'node:fs';
import { type ExecaError, execa, type Result } from 'execa';
import type { BackendEnd, BackendProcess } from '../../core/ports/index.ts';

/** A program and what it is told. */
export interface Program {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** Standard input: nothing, a descriptor that is closed here when the process has its own, or text. */
  readonly input: 'nothing' | { readonly fd: number } | { readonly text: string };
}

/** The whole environment of a backend: it inherits nothing, so no variable and no file of the user changes what it does. */
const ENVIRONMENT = { LC_ALL: 'C.UTF-8' };

/** The types of execa know the first ten descriptors only; it takes any. */
type SmallFd = 3;

const STDERR_KEPT_BYTES = 65_536;

/**
 * Starts a program without a shell. What cannot be started (ENOENT, E2BIG, EMFILE) shows in `ended`; nothing throws. stdout
 * is not read ahead of its reader by more than a pipe and a buffer of 64 KiB.
 */
export function runProgram({ file, args, cwd, input }: Program): BackendProcess {
  const fd = typeof input === 'object' && 'fd' in input ? input.fd : undefined;
  const subprocess = execa(file, [...args], {
    cwd,
    env: ENVIRONMENT,
    extendEnv: false,
    ...(typeof input === 'object' && 'text' in input ? { input: input.text } : { stdin: fd === undefined ? 'ignore' : (fd as SmallFd) }),
    stdout: 'pipe',
    stderr: 'pipe',
    encoding: 'buffer',
    buffer: false,
    reject: false,
    stripFinalNewline: false,
    windowsHide: true,
  });
  if (fd !== undefined) closeSync(fd);
  const { stdout, stderr } = subprocess;
  const complaints = firstBytes(stderr);
  stdout.on('error', () => undefined);
  return {
    stdout: bytesOf(stdout),
    ended: subprocess.then((result) => endOf(result, complaints())),
    kill() {
      subprocess.kill('SIGKILL');
      // Nobody reads what is left; an unread pipe would keep `ended` from coming.
      stdout.destroy();
    },
  };
}

/** The stream as bytes; one that is destroyed ends, it does not fail. */
async function* bytesOf(stream: AsyncIterable<unknown>): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of stream) if (Buffer.isBuffer(chunk)) yield chunk;
  } catch {
    // Killed, or its reader left: `ended` says how the process ended.
  }
}

/** Reads a stream to its end and keeps its beginning. */
function firstBytes(stream: NodeJS.ReadableStream): () => string {
  const kept: Buffer[] = [];
  let length = 0;
  stream.on('error', () => undefined);
  stream.on('data', (chunk: Buffer) => {
    if (length < STDERR_KEPT_BYTES) kept.push(chunk.subarray(0, STDERR_KEPT_BYTES - length));
    length += chunk.length;
  });
  return () => Buffer.concat(kept).toString();
}

function endOf(result: Pick<Result, 'exitCode' | 'signal'> & { readonly code?: ExecaError['code'] }, stderr: string): BackendEnd {
  const { exitCode = null, signal = null, code } = result;
  const wasStarted = exitCode !== null || signal !== null;
  return { code: exitCode, signal, stderr, ...(wasStarted ? {} : { startError: code ?? 'unknown' }) };
}
