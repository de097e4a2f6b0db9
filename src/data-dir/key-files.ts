import { randomUUID } from 'node:crypto';
import { type FileHandle, open, readFile, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { z } from 'zod';
import { parseStrictJson } from '../core/canonical-json.ts';
import { messageOf, WritError } from '../core/errors.ts';
import { Jwks, PrivateJwk, type PublicJwk, type SigningKey, signingKey } from '../lease/keys.ts';

const MAX_KEY_FILE_BYTES = 256 * 1024;

/**
 * Reads a private key.
 *
 * @throws WritError INVALID_CONFIG when the file is missing, is no key, or can be read by others than its owner
 */
export async function readPrivateKey(path: string): Promise<SigningKey> {
  const { mode } = await stat(path).catch(unreadable(path));
  if ((mode & 0o077) !== 0) throw new WritError('INVALID_CONFIG', `the private key ${path} can be read by others: chmod 600 it`);
  return signingKey(parseKeyFile(await readFile(path, 'utf8').catch(unreadable(path)), path, PrivateJwk));
}

/** Writes a new private key file, 0600, durable. Throws WritError INVALID_ARGUMENT when the file exists: keys are never overwritten. */
export async function writePrivateKey(path: string, jwk: PrivateJwk): Promise<void> {
  const file = await open(path, 'wx', 0o600).catch((error: unknown) => {
    throw new WritError('INVALID_ARGUMENT', `cannot create the key file ${path}: ${messageOf(error)}`, { cause: error });
  });
  await writeAndClose(file, jwk);
  await syncDirectory(dirname(path));
}

/** Replaces a JWKS file of public keys in one step, so that a reader finds the old set or the new one. */
export async function writeJwks(path: string, keys: readonly PublicJwk[]): Promise<void> {
  const temporary = `${path}.${randomUUID()}.tmp`;
  await writeAndClose(await open(temporary, 'wx', 0o644), { keys });
  await rename(temporary, path);
  await syncDirectory(dirname(path));
}

/**
 * The keys of a JWKS document.
 *
 * @throws WritError INVALID_CONFIG: no JWKS, a private key in it, or two keys with one kid
 */
export function parseJwks(text: string, path: string): readonly PublicJwk[] {
  const { keys } = parseKeyFile(text, path, Jwks);
  const twice = keys.find((key, index) => keys.findIndex(({ kid }) => kid === key.kid) !== index);
  if (twice) throw new WritError('INVALID_CONFIG', `${path} names the key ${twice.kid} twice`);
  return keys;
}

function parseKeyFile<Schema extends z.ZodType>(text: string, path: string, schema: Schema): z.infer<Schema> {
  const parsed = schema.safeParse(parse(text, path));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new WritError('INVALID_CONFIG', `${path} is no key file: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`);
}

function parse(text: string, path: string): unknown {
  try {
    return parseStrictJson(text, { maxBytes: MAX_KEY_FILE_BYTES });
  } catch (error) {
    throw new WritError('INVALID_CONFIG', `${path}: ${messageOf(error)}`, { cause: error });
  }
}

function unreadable(path: string): (error: unknown) => never {
  return (error) => {
    throw new WritError('INVALID_CONFIG', `cannot read the key file ${path}: ${messageOf(error)}`, { cause: error });
  };
}

async function writeAndClose(file: FileHandle, content: unknown): Promise<void> {
  try {
    await file.writeFile(`${JSON.stringify(content, undefined, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
