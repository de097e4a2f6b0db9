import { createReadStream, realpathSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { messageOf, WritError } from '../../core/errors.ts';
import type { CliIo } from './services.ts';

const READ_BYTES = 256 * 1024;

/** Terminal, pipes and files of this process. */
export function processIo(): CliIo {
  return {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    openFile,
    cwd: () => realPath(process.cwd()),
    realPath,
    hasColours: () => process.stdout.isTTY === true && process.stdout.hasColors(),
  };
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

async function openFile(path: string): ReturnType<CliIo['openFile']> {
  const found = await stat(path).catch((error: unknown) => {
    throw unreadable(path, error);
  });
  if (found.isDirectory()) throw new WritError('INVALID_ARGUMENT', `${path} is a directory, not a file of tasks`);
  return { stream: readFile(path), bytes: found.isFile() ? found.size : undefined };
}

async function* readFile(path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path, { highWaterMark: READ_BYTES }) as AsyncIterable<Buffer>;
  } catch (error) {
    throw unreadable(path, error);
  }
}

function unreadable(path: string, error: unknown): WritError {
  const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
  return new WritError('INVALID_ARGUMENT', missing ? `there is no file ${path}` : `cannot read ${path}: ${messageOf(error)}`, { cause: error });
}
