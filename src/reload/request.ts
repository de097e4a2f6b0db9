import { closeSync, openSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { tryLock } from '../adapters/linux/flock.ts';
import { messageOf, WritError } from '../core/errors.ts';
import { pause } from '../core/pause.ts';
import type { RoleAnswer } from '../core/ports/index.ts';
import { type RunningRole, runningRoles } from '../data-dir/running-roles.ts';

/** The word of `writ reload` to all roles: a file, since neither signals nor process numbers cross from one container to another. */
const Request = z.object({ id: z.string().min(1).max(64), who: z.string().max(200) });
export type ReloadRequest = z.infer<typeof Request>;

const LOOK_MS = 500;
/** A role opens its base directories before it answers. */
const PATIENCE_MS = 30_000;
const ANSWER_LOOK_MS = 100;
/** A request is short; a larger file is none. */
const MAX_BYTES = 4096;

/**
 * Tells of each new request until it is ended.
 *
 * @param since milliseconds since 1970: one of before is old news to a role whose settings were read then
 */
export function followRequests(directory: string, since: number, tell: (request: ReloadRequest) => void): { end(): void } {
  const file = fileOf(directory);
  let seen = '';
  const look = (): void => {
    const found = newest(file, since);
    if (found === undefined || found.id === seen) return;
    seen = found.id;
    tell(found);
  };
  const timer = setInterval(look, LOOK_MS);
  timer.unref();
  return { end: () => clearInterval(timer) };
}

function newest(file: string, since: number): ReloadRequest | undefined {
  try {
    const { mtimeMs, size } = statSync(file);
    // A clock of files may stand a tick behind that of the process.
    if (mtimeMs < since - LOOK_MS || size > MAX_BYTES) return undefined;
    return Request.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return undefined;
  }
}

/**
 * Asks every role that runs to reload, and waits for its answer.
 *
 * @throws WritError WRONG_STATE while another one asks; STORAGE_UNAVAILABLE when the request cannot be written
 */
export async function askReload(directory: string, request: ReloadRequest, patienceMs = PATIENCE_MS): Promise<readonly RoleAnswer[]> {
  const asked = runningRoles(directory);
  if (asked.length === 0) return [];
  const lock = lockAsking(directory);
  try {
    put(fileOf(directory), request);
    const until = Date.now() + patienceMs;
    let answers = answersOf(asked, directory, request);
    while (answers.some(({ answer, generation }) => answer === 'silent' && generation !== undefined) && Date.now() < until) {
      await pause(ANSWER_LOOK_MS);
      answers = answersOf(asked, directory, request);
    }
    return answers;
  } finally {
    closeSync(lock);
  }
}

function answersOf(asked: readonly RunningRole[], directory: string, { id }: ReloadRequest): readonly RoleAnswer[] {
  const now = runningRoles(directory);
  return asked.map(({ role, pid }) => {
    const found = now.find((one) => one.role === role && one.pid === pid);
    const answer = found === undefined ? 'gone' : found.answer?.request === id ? found.answer : 'silent';
    return { role, pid, generation: found?.generation, answer };
  });
}

/** Two requests at once would hide each other's answers. The system frees the lock, however the command ends. */
function lockAsking(directory: string): number {
  let lock: number;
  try {
    lock = openSync(path.join(directory, 'reload.lock'), 'a', 0o600);
  } catch (error) {
    throw unwritable(directory, error);
  }
  if (tryLock(lock)) return lock;
  closeSync(lock);
  throw new WritError('WRONG_STATE', 'another `writ reload` waits for its answers; try again when it has them');
}

function put(file: string, request: ReloadRequest): void {
  try {
    writeFileSync(`${file}.new`, JSON.stringify(request), { mode: 0o600 });
    renameSync(`${file}.new`, file);
  } catch (error) {
    throw unwritable(file, error);
  }
}

function unwritable(place: string, error: unknown): WritError {
  return new WritError('STORAGE_UNAVAILABLE', `the roles cannot be told, ${place} cannot be written: ${messageOf(error)}`, { cause: error });
}

function fileOf(directory: string): string {
  return path.join(directory, 'reload-request.json');
}
