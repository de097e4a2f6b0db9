import { closeSync, constants, fstatSync, openSync, type Stats } from 'node:fs';
import type { OpenedMail } from '../../core/ports/index.ts';

/** An opened file or directory with what it was when it was opened. */
export interface OpenedFile {
  readonly fd: number;
  readonly stats: Stats;
}

/** Opens the place that a scope names; what leads there may be a symbolic link, for its owner chose it. */
export function openRoot(path: string, flags: number): OpenedFile {
  return opened(openSync(path, flags | READ));
}

/**
 * Opens one name in a directory without following a link. `/proc/self/fd` leads to the opened directory itself, whatever
 * was put in its former place, and a name is a single component: so nothing outside can be reached.
 *
 * @param directory a descriptor
 */
export function openIn(directory: number, name: string | Buffer, flags: number): OpenedFile {
  const path = Buffer.concat([Buffer.from(`/proc/self/fd/${directory}/`), Buffer.from(name)]);
  return opened(openSync(path, flags | READ | constants.O_NOFOLLOW));
}

/** Without O_NONBLOCK a FIFO would be waited for. */
const READ = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

function opened(fd: number): OpenedFile {
  try {
    return { fd, stats: fstatSync(fd) };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** Symbolic name of a failed call of node:fs; other errors are thrown on. */
export function errnoOf(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  throw error;
}

/** The answer of a mailbox that cannot be opened; the reason is for the operator, without the path. */
export function unavailable(what: string, error: unknown): OpenedMail {
  return { ok: false, code: 'SCOPE_UNAVAILABLE', message: `${what} cannot be opened (${errnoOf(error)})` };
}
