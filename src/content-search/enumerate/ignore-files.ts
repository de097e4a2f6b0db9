import { isDenied } from './denied.ts';
import { type Directory, pathOf } from './directory.ts';
import { type DirectoryRules, IGNORE_FILES, type IgnoreFileName, mayBeNamed, withIgnoreFile } from './directory-rules.ts';
import type { Walk } from './walk-context.ts';

/** A larger ignore file is not regarded. */
export const IGNORE_FILE_MAX_BYTES = 1 << 20;

/** What is no ignore file at all, and no reason for a warning. A link as ignore file is not followed, as git does. */
const ABSENT: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'EINVAL', 'EISDIR', 'EMLINK']);

/** The rules of a directory with its own ignore files. */
export function withIgnoreFiles(walk: Walk, directory: Directory, present: readonly IgnoreFileName[] = IGNORE_FILES): DirectoryRules {
  if (walk.noIgnore || present.length === 0) return directory.rules;
  return present.reduce((rules, name) => {
    if (!mayBeNamed(directory.rules, name, false)) return rules;
    const text = readRules(walk, pathOf(walk.orderRoot, directory, name), directory.text + name);
    return text === undefined ? rules : withIgnoreFile(rules, name, text);
  }, directory.rules);
}

/** The rules that hold for the whole tree: `.git/info/exclude` of the order root, if it lies there itself, and the given ones. */
export function fixedRules(walk: Walk): readonly string[] {
  if (walk.noIgnore) return [];
  return [readExclude(walk), walk.globalIgnore].filter((text) => text !== undefined);
}

const EXCLUDE = '.git/info/exclude';

function readExclude(walk: Walk): string | undefined {
  const path = `${walk.orderRoot.endsWith('/') ? walk.orderRoot : `${walk.orderRoot}/`}${EXCLUDE}`;
  const target = walk.tree.resolve(path);
  if ('refused' in target || !target.realPath.equals(Buffer.from(path)) || isDenied(walk.denied, path, false)) return undefined;
  return readRules(walk, path, EXCLUDE);
}

function readRules(walk: Walk, path: Buffer | string, shown: string): string | undefined {
  const read = walk.tree.readSmall(path, IGNORE_FILE_MAX_BYTES);
  if (Buffer.isBuffer(read)) return read.toString('utf8');
  if ('refused' in read && !ABSENT.has(read.refused)) walk.warn(shown, read.refused, 'its rules do not hold');
  return undefined;
}
