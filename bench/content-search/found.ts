import { createHash } from 'node:crypto';

/** A line that a search found; what both sides must agree on. */
export interface Found {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

/** What a search found, in a form that is quick to compare. */
export function digestOf(found: readonly Found[]): { readonly events: number; readonly sha256: string } {
  const hash = createHash('sha256');
  for (const { path, line, text } of found) hash.update(`${path}\0${line}:${text}\n`);
  return { events: found.length, sha256: hash.digest('hex') };
}
