import { hash } from 'node:crypto';
import type { TaskManifest } from '../contracts/index.ts';
import { canonicalJson } from './canonical-json.ts';

/** SHA-256 in lower-case hexadecimal; text counts as its UTF-8 bytes. */
export function sha256Hex(data: string | Uint8Array): string {
  return hash('sha256', data, 'hex');
}

/** The door and the queue ask for the hash of the same manifest; nobody changes a manifest once it was read. */
const known = new WeakMap<TaskManifest, string>();

/**
 * The hash that a lease names and a result is signed over: SHA-256 of the manifest's RFC 8785 form.
 *
 * @throws WritError INVALID_MANIFEST when the manifest is not I-JSON
 */
export function manifestSha256(manifest: TaskManifest): string {
  const before = known.get(manifest);
  if (before !== undefined) return before;
  return rememberManifest(manifest, canonicalJson(manifest));
}

/**
 * Remembers the hash of a manifest whose canonical form was written when it was read, and answers it.
 *
 * @param canonical the manifest's RFC 8785 form
 */
export function rememberManifest(manifest: TaskManifest, canonical: string): string {
  const sha = sha256Hex(canonical);
  known.set(manifest, sha);
  return sha;
}
