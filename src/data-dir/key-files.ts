import { readFile, stat } from 'node:fs/promises';
import { createExclusively } from '../adapters/files/create-exclusively.ts';
import { replaceFileDurably } from '../adapters/files/replace-file.ts';
import { messageOf, WritError } from '../core/errors.ts';
import { type KeySource, type PrivateJwk, type PublicJwk, parsePrivateKey, type SigningKey } from '../lease/index.ts';

/**
 * Reads a private key.
 *
 * @throws WritError INVALID_CONFIG when the file is missing, is no key, or can be read by others than its owner
 */
export async function readPrivateKey(path: string): Promise<SigningKey> {
  const { mode } = await stat(path).catch(unreadable(path));
  if ((mode & 0o077) !== 0) throw new WritError('INVALID_CONFIG', `the private key ${path} can be read by others: chmod 600 it`);
  return parsePrivateKey(await readFile(path, 'utf8').catch(unreadable(path)), path);
}

/** Writes a new private key file, 0600, durable. Throws WritError INVALID_ARGUMENT when the file exists: keys are never overwritten. */
export async function writePrivateKey(path: string, jwk: PrivateJwk): Promise<void> {
  const refused = (why: string, cause?: unknown) => new WritError('INVALID_ARGUMENT', `cannot create the key file ${path}: ${why}`, { cause });
  let isNew: boolean;
  try {
    isNew = createExclusively(path, textOf(jwk));
  } catch (error) {
    throw refused(messageOf(error), error);
  }
  if (!isNew) throw refused('it is there already');
}

/** Replaces a JWKS file of public keys in one step, so that a reader finds the old set or the new one. */
export function writeJwks(path: string, keys: readonly PublicJwk[]): Promise<void> {
  return replaceFileDurably(path, textOf({ keys }), { mode: 0o644 });
}

/** A JWKS file; its inode, size and modification time tell that it changed. */
export function jwksFile(path: string): KeySource {
  return {
    name: path,
    async stamp() {
      const { ino, size, mtimeNs } = await stat(path, { bigint: true });
      return `${ino} ${size} ${mtimeNs}`;
    },
    read: () => readFile(path, 'utf8'),
  };
}

function textOf(content: unknown): string {
  return `${JSON.stringify(content, undefined, 2)}\n`;
}

function unreadable(path: string): (error: unknown) => never {
  return (error) => {
    throw new WritError('INVALID_CONFIG', `cannot read the key file ${path}: ${messageOf(error)}`, { cause: error });
  };
}
