import { rawBytes } from '../search/order-key.ts';
import type { DirectoryRules } from './directory-rules.ts';

/** A directory on the way of the walk. */
export interface Directory {
  /** Relative to the order root, with a `/` at the end; empty for the root itself. */
  readonly text: string;
  /** The bytes of it, only when they are not UTF-8. */
  readonly raw: Buffer | undefined;
  /** The rules of the directories above; those of its own files come when it is listed. */
  readonly rules: DirectoryRules;
  readonly parent: Directory | undefined;
  /** Whether a link was followed on the way: from there on, loops are possible. */
  readonly viaLink: boolean;
}

/** The path of an entry for the file system; of the directory itself with the name ''. */
export function pathOf(root: string, directory: Directory, name: Buffer | string): Buffer | string {
  const prefix = root.endsWith('/') ? root : `${root}/`;
  const raw = rawOf(directory, name);
  return raw === undefined ? prefix + directory.text + (typeof name === 'string' ? name : '') : Buffer.concat([Buffer.from(prefix), raw]);
}

/** The bytes of an entry's path relative to the order root, if they are not UTF-8. */
export function rawOf(directory: Directory, name: Buffer | string): Buffer | undefined {
  if (directory.raw === undefined && typeof name === 'string') return undefined;
  return Buffer.concat([directory.raw ?? Buffer.from(directory.text), rawBytes(name)]);
}
