import type { Candidate } from '../../search/types.ts';

/** The bytes of a file's path relative to the root. */
export const bytesOf = ({ text, raw }: Candidate): Buffer => raw ?? Buffer.from(text, 'utf8');

/** The path of a file for the file system. */
export function absolutePath(root: string, { text, raw }: Candidate): Buffer | string {
  const prefix = root.endsWith('/') ? root : `${root}/`;
  return raw === undefined ? prefix + text : Buffer.concat([Buffer.from(prefix), raw]);
}
