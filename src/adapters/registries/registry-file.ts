import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { parseStrictJson } from '../../core/canonical-json.ts';
import { isWritError, messageOf, WritError } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';

/** Largest file of a registry. */
const MAX_BYTES = 1_048_576;

/**
 * One JSON file below the root of a registry.
 *
 * @param pointer relative to the root, as a registry writes it; `/` separates
 * @param by who points there (file and field), for the message
 * @throws WritError INVALID_CONFIG naming the file: it leads out of the root, is no regular file, too large, or not strict JSON
 */
export function readRegistryFile(root: string, pointer: string, by?: string): Json {
  const file = confined(root, pointer, by);
  try {
    return parseStrictJson(textOf(file, pointer), { maxBytes: MAX_BYTES });
  } catch (error) {
    if (!isWritError(error) || error.code !== 'INVALID_MANIFEST') throw error;
    throw refusal(pointer, error.message, by, error.field);
  }
}

/** Names of the files of a folder that end in `.json`, in code-unit order; none when there is no such folder. */
export function jsonFilesIn(root: string, folder: string): readonly string[] {
  try {
    return readdirSync(path.join(root, folder))
      .filter((name) => name.endsWith('.json'))
      .sort()
      .map((name) => `${folder}/${name}`);
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return [];
    throw refusal(folder, `cannot be listed (${errnoOf(error)})`);
  }
}

/** An INVALID_CONFIG about a file of a registry; `field` is what is at fault inside it. */
export function refusal(file: string, message: string, by?: string, field?: string): WritError {
  const about = field === undefined || field === '' || message.startsWith(field) ? message : `${field}: ${message}`;
  return new WritError(
    'INVALID_CONFIG',
    `${file}: ${about}${by === undefined ? '' : ` (named by ${by})`}`,
    field === undefined || field === '' ? {} : { field },
  );
}

/** The real place of a pointer. A symbolic link may stand on the way as long as it stays inside. */
function confined(root: string, pointer: string, by: string | undefined): string {
  const parts = pointer.split('/');
  if (path.posix.isAbsolute(pointer) || path.win32.isAbsolute(pointer)) throw refusal(pointer, 'must be relative to the root of the registry', by);
  if (parts.some((part) => part === '' || part === '.' || part === '..') || /[\0\\]/.test(pointer)) {
    throw refusal(JSON.stringify(pointer), 'must be a plain path without "..", "." or "\\"', by);
  }
  const real = realOf(path.join(root, ...parts), pointer, by);
  const home = realOf(root, root, by);
  if (!real.startsWith(home.endsWith(path.sep) ? home : home + path.sep)) throw refusal(pointer, 'leads out of the registry through a symbolic link', by);
  return real;
}

function realOf(file: string, pointer: string, by: string | undefined): string {
  try {
    return realpathSync(file);
  } catch (error) {
    throw refusal(pointer, isErrno(error, 'ENOENT') ? 'there is no such file' : `cannot be opened (${errnoOf(error)})`, by);
  }
}

/** O_NONBLOCK: a FIFO must not hold the start. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

function textOf(file: string, pointer: string): string {
  let fd: number;
  try {
    fd = openSync(file, FLAGS);
  } catch (error) {
    throw refusal(pointer, `cannot be read (${errnoOf(error)})`);
  }
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) throw refusal(pointer, 'is no regular file');
    if (stats.size > MAX_BYTES) throw refusal(pointer, `is larger than ${MAX_BYTES} bytes`);
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(fd));
  } catch (error) {
    if (error instanceof TypeError) throw refusal(pointer, 'is not UTF-8');
    throw error;
  } finally {
    closeSync(fd);
  }
}

function isErrno(error: unknown, code: string): boolean {
  return errnoOf(error) === code;
}

function errnoOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : messageOf(error);
}
