import type { z } from 'zod';
import { parseStrictJson } from '../core/canonical-json.ts';
import { messageOf, WritError } from '../core/errors.ts';
import { Jwks, PrivateJwk, type PublicJwk, type SigningKey, signingKey } from './keys.ts';

const MAX_KEY_FILE_BYTES = 256 * 1024;

/**
 * The private key of a key file's text.
 *
 * @param path names the file in errors
 * @throws WritError INVALID_CONFIG when it is no key
 */
export function parsePrivateKey(text: string, path: string): SigningKey {
  return signingKey(parseKeyFile(text, path, PrivateJwk));
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
