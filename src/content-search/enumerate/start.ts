import { isUtf8 } from 'node:buffer';
import { lossyText } from '../search/order-key.ts';
import type { Candidate } from '../search/types.ts';
import { type Directory, pathOf, rawOf } from './directory.ts';
import { mayBeNamed, rootRules } from './directory-rules.ts';
import { child } from './frame.ts';
import { globsAdmit } from './globs.ts';
import { fixedRules, withIgnoreFiles } from './ignore-files.ts';
import type { Walk } from './walk-context.ts';

/**
 * Where the walk begins: the directory, or the one file. The ignore files of the directories above it, up to the order root,
 * are read on the way; the place itself is exempt from them and from hiding, not from being denied or reserved.
 */
export function startOf(walk: Walk): Directory | Candidate | undefined {
  const { denied, orderRoot, hidden, globs } = walk;
  const root: Directory = { text: '', raw: undefined, rules: rootRules(denied, orderRoot, hidden, globs, fixedRules(walk)), parent: undefined, viaLink: false };
  const names = namesOf(walk.start);
  const last = names.pop();
  if (last === undefined) return root;
  let directory = root;
  for (const name of names) {
    if (!mayBeNamed(directory.rules, lossyText(name), true)) return undefined;
    directory = child({ ...directory, rules: withIgnoreFiles(walk, directory) }, name, false);
  }
  return startAt(walk, { ...directory, rules: withIgnoreFiles(walk, directory) }, last);
}

function startAt(walk: Walk, directory: Directory, name: Buffer | string): Directory | Candidate | undefined {
  const shown = lossyText(name);
  const target = walk.tree.resolve(pathOf(walk.orderRoot, directory, name));
  if ('refused' in target) {
    walk.warn(directory.text + shown, target.refused);
    return undefined;
  }
  if (target.kind === 'other' || !mayBeNamed(directory.rules, shown, target.kind === 'directory')) return undefined;
  if (target.kind === 'directory') return child(directory, name, false);
  return globsAdmit(directory.rules.globs, shown, false) ? { text: directory.text + shown, raw: rawOf(directory, name) } : undefined;
}

function namesOf(path: Buffer | string): (Buffer | string)[] {
  if (typeof path === 'string') return path.split('/').filter((name) => name !== '');
  if (isUtf8(path)) return namesOf(path.toString('utf8'));
  // As latin1 a byte is a character, so a name can be cut out of it and made bytes again.
  return path
    .toString('latin1')
    .split('/')
    .filter((name) => name !== '')
    .map((name) => Buffer.from(name, 'latin1'))
    .map((name) => (isUtf8(name) ? name.toString('utf8') : name));
}
