import type { TreeEntry } from '../../core/ports/index.ts';
import { isAscii, lossyText } from '../search/order-key.ts';
import type { Directory } from './directory.ts';
import { admits, type DirectoryRules, type IgnoreFileName, mayBeNamed } from './directory-rules.ts';
import { followed, isOwnAncestor } from './follow.ts';
import { withIgnoreFiles } from './ignore-files.ts';
import type { Walk } from './walk-context.ts';

/** An entry that the walk goes on with: a file or a directory, links have become one of these. */
export interface ListedEntry extends TreeEntry {
  readonly viaLink?: true;
}

export interface Listing {
  /** The directory with the rules that hold for its entries. */
  readonly directory: Directory;
  /** In no order. */
  readonly entries: readonly ListedEntry[];
  /** Whether all names are ASCII, and so can be put in order as they are. */
  readonly isPlain: boolean;
}

/** Entries that are judged between two looks at the clock. */
const ENTRIES_AT_ONCE = 64;

/** A directory that is gone since its name was read is no longer part of the tree. */
const GONE: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR']);

/** Reads a directory and keeps what is to be seen of it; undefined if it cannot be read. */
export function listDirectory(walk: Walk, unlisted: Directory, path: Buffer | string): Listing | undefined {
  const found = walk.tree.list(path);
  if ('refused' in found) {
    if (!GONE.has(found.refused)) walk.warn(unlisted.text === '' ? '.' : unlisted.text.slice(0, -1), found.refused);
    return undefined;
  }
  const rules = withIgnoreFiles(walk, unlisted, presentIgnoreFiles(found));
  const directory = rules === unlisted.rules ? unlisted : { ...unlisted, rules };
  const entries: ListedEntry[] = [];
  let isPlain = unlisted.raw === undefined;
  for (let at = 0; at < found.length; at++) {
    if (at % ENTRIES_AT_ONCE === 0 && walk.isStopped()) return undefined;
    const entry = found[at];
    const kept = entry && keep(walk, directory, rules, entry);
    if (kept === undefined) continue;
    entries.push(kept);
    isPlain &&= typeof kept.name === 'string' && isAscii(kept.name);
  }
  return { directory, entries, isPlain };
}

function presentIgnoreFiles(entries: readonly TreeEntry[]): readonly IgnoreFileName[] {
  const present: IgnoreFileName[] = [];
  for (const { name, kind } of entries) {
    if (kind === 'file' && (name === '.ignore' || name === '.gitignore')) present.push(name);
  }
  return present;
}

function keep(walk: Walk, directory: Directory, rules: DirectoryRules, entry: TreeEntry): ListedEntry | undefined {
  const { kind } = entry;
  const name = typeof entry.name === 'string' ? entry.name : lossyText(entry.name);
  if (kind === 'link') return walk.follow && mayBeNamed(rules, name, false) ? keepLink(walk, directory, rules, entry.name, name) : undefined;
  if (!admits(rules, name, kind === 'directory')) return undefined;
  if (kind === 'directory' && directory.viaLink && isOwnAncestor(walk, directory, entry.name)) return undefined;
  return entry;
}

function keepLink(walk: Walk, directory: Directory, rules: DirectoryRules, raw: Buffer | string, name: string): ListedEntry | undefined {
  if (!rules.hidden && name.startsWith('.')) return undefined;
  const kind = followed(walk, directory, raw);
  return kind !== undefined && admits(rules, name, kind === 'directory') ? { name: raw, kind, viaLink: true } : undefined;
}
