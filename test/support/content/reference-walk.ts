import { lstatSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { globsOf, lastSays, type ReferenceRule, rulesOf } from './reference-rules.ts';

/** What decides about the files of a search, in plain words. */
export interface ReferenceTree {
  /** Real and absolute. */
  readonly orderRoot: string;
  readonly allowedRoots: readonly string[];
  /** Relative to the order root; empty for itself. */
  readonly start: string;
  readonly hidden: boolean;
  readonly follow: boolean;
  readonly noIgnore: boolean;
  readonly globs: readonly string[];
  readonly globalIgnore: string | undefined;
}

export interface ReferenceFile {
  readonly text: string;
  readonly raw: Buffer;
}

interface Entry extends ReferenceFile {
  readonly isDirectory: boolean;
}

/** The files of a search by definition: list everything, leave out what a rule leaves out, sort by key. Slow on purpose. */
export function referenceFiles(tree: ReferenceTree): ReferenceFile[] {
  const entries = new Map(everything(tree).map((entry) => [bytesOf(entry), entry]));
  const sources = sourcesOf(tree, [...entries.values()]);
  const globs = globsOf(tree.globs);
  return [...entries.values()]
    .filter((entry) => !entry.isDirectory && isBeneath(entry, tree.start))
    .filter((entry) => chainOf(entry, entries).every((link) => isSeen(link, tree, sources, globs)))
    .sort((a, b) => Buffer.compare(keyOf(a), keyOf(b)) || Buffer.compare(a.raw, b.raw));
}

const keyOf = ({ text }: ReferenceFile): Buffer => Buffer.from(text.normalize('NFC'));

/** All files and directories, through links that may be followed; the start itself is never a link. */
function everything(tree: ReferenceTree): Entry[] {
  const walk = (directory: Buffer, real: readonly string[]): Entry[] =>
    namesIn(tree, directory).flatMap((name) => {
      const raw = directory.length === 0 ? name : Buffer.concat([directory, Buffer.from('/'), name]);
      const kind = kindOf(tree, raw, real);
      if (kind === undefined) return [];
      const entry = { raw, text: raw.toString(), isDirectory: kind === 'directory' };
      return kind === 'file' ? [entry] : [entry, ...walk(raw, [...real, realOf(tree, raw)])];
    });
  return walk(Buffer.alloc(0), [tree.orderRoot]);
}

const at = (tree: ReferenceTree, raw: Buffer): Buffer => Buffer.concat([Buffer.from(`${tree.orderRoot}/`), raw]);
const namesIn = (tree: ReferenceTree, directory: Buffer): Buffer[] => readdirSync(at(tree, directory), { encoding: 'buffer' });
const realOf = (tree: ReferenceTree, raw: Buffer): string => realpathSync.native(at(tree, raw), { encoding: 'buffer' }).toString('latin1');

function kindOf(tree: ReferenceTree, raw: Buffer, ancestors: readonly string[]): 'file' | 'directory' | undefined {
  const stat = lstatSync(at(tree, raw));
  if (!stat.isSymbolicLink()) return stat.isFile() ? 'file' : stat.isDirectory() && !ancestors.includes(realOf(tree, raw)) ? 'directory' : undefined;
  return tree.follow ? leadsTo(tree, raw, ancestors) : undefined;
}

function leadsTo(tree: ReferenceTree, raw: Buffer, ancestors: readonly string[]): 'file' | 'directory' | undefined {
  try {
    const real = realOf(tree, raw);
    const root = tree.allowedRoots.find((each) => `${real}/`.startsWith(`${each}/`));
    const stat = statSync(at(tree, raw));
    const names = root === undefined ? [] : real.slice(root.length).split('/');
    if (root === undefined || names.some((name) => name.startsWith('.writ-') || name === '.git')) return undefined;
    if (isDenied(real, stat.isDirectory())) return undefined;
    if (stat.isFile()) return 'file';
    return stat.isDirectory() && !ancestors.includes(real) ? 'directory' : undefined;
  } catch {
    return undefined;
  }
}

/** The default deny patterns, about any directory on the way too; a directory of which everything is denied is denied itself. */
function isDenied(absolute: string, isDirectory: boolean): boolean {
  return /\/(?:\.ssh|\.gnupg)\/|\/id_rsa[^/]*(?:\/|$)|\/[^/]*\.(?:pem|key)(?:\/|$)/.test(isDirectory ? `${absolute}/` : absolute);
}

/** By bytes, of which each is a character here: names that are shown alike are not the same. */
const bytesOf = ({ raw }: { readonly raw: Buffer }): string => raw.toString('latin1');

function isBeneath(entry: Entry, start: string): boolean {
  return start === '' || `${bytesOf(entry)}/`.startsWith(`${Buffer.from(start).toString('latin1')}/`);
}

/** The entry and the directories above it. */
function chainOf(entry: Entry, entries: ReadonlyMap<string, Entry>): Entry[] {
  const names = bytesOf(entry).split('/');
  return names.flatMap((_, index) => entries.get(names.slice(0, index + 1).join('/')) ?? []);
}

function isSeen(entry: Entry, tree: ReferenceTree, sources: readonly Source[], globs: readonly ReferenceRule[]): boolean {
  const name = path.posix.basename(entry.text);
  if (name.startsWith('.writ-') || isDenied(`${tree.orderRoot}/${entry.text}`, entry.isDirectory)) return false;
  // The start and what lies above it were asked for by name; of a file that was asked for, the globs are still heeded.
  const isNamed = `${Buffer.from(tree.start).toString('latin1')}/`.startsWith(`${bytesOf(entry)}/`);
  if (!isNamed && name.startsWith('.') && (!tree.hidden || (entry.isDirectory && name === '.git'))) return false;
  if (!isNamed && !tree.noIgnore && isIgnored(entry, sources)) return false;
  if (isNamed && entry.isDirectory) return true;
  const glob = lastSays(globs, entry.text, entry.isDirectory);
  if (glob !== undefined) return glob === 'plain';
  return entry.isDirectory || globs.every(({ negative }) => negative);
}

/** Rules and the bytes of the directory (with `/` at its end) that they stand in. */
interface Source {
  readonly directory: string;
  readonly rules: readonly ReferenceRule[];
}

/** The strongest first: `.ignore` from the deepest up, then `.gitignore`, then the excludes of git, then the global ones. */
function sourcesOf(tree: ReferenceTree, entries: readonly Entry[]): Source[] {
  const named = (name: string): Source[] =>
    entries
      .filter(({ text, isDirectory, raw }) => !isDirectory && path.posix.basename(text) === name && !lstatSync(at(tree, raw)).isSymbolicLink())
      .map(({ raw }) => ({ directory: raw.subarray(0, -name.length).toString('latin1'), rules: rulesOf(readFileSync(at(tree, raw), 'utf8')) }))
      .sort((a, b) => b.directory.length - a.directory.length);
  const excludes = entries
    .filter(({ text }) => text === '.git/info/exclude')
    .map(({ raw }) => ({ directory: '', rules: rulesOf(readFileSync(at(tree, raw), 'utf8')) }));
  return [...named('.ignore'), ...named('.gitignore'), ...excludes, { directory: '', rules: rulesOf(tree.globalIgnore ?? '') }];
}

function isIgnored(entry: Entry, sources: readonly Source[]): boolean {
  const path = bytesOf(entry);
  for (const { directory, rules } of sources) {
    if (!path.startsWith(directory)) continue;
    const said = lastSays(rules, Buffer.from(path.slice(directory.length), 'latin1').toString(), entry.isDirectory);
    if (said !== undefined) return said === 'plain';
  }
  return false;
}
