import { lossyText, orderKey, rawBytes } from '../search/order-key.ts';
import type { Candidate } from '../search/types.ts';
import { type Directory, pathOf, rawOf } from './directory.ts';
import { enterRules } from './directory-rules.ts';
import { type ListedEntry, type Listing, listDirectory } from './listing.ts';
import type { Walk } from './walk-context.ts';

/** The entries of a directory in key order, and how far the walk is. */
export interface Frame {
  /** The next file, or the next directories (several if their keys are equal: they are walked as one); undefined at the end. */
  next(): Candidate | readonly Directory[] | undefined;
}

export const isCandidate = (step: Candidate | readonly Directory[]): step is Candidate => 'text' in step;

/** Opens directories whose keys are equal; nearly always that is one. */
export function openFrame(walk: Walk, directories: readonly Directory[]): Frame {
  const listings = directories
    .map((directory) => listDirectory(walk, directory, pathOf(walk.orderRoot, directory, '')))
    .filter((listing) => listing !== undefined);
  const [first] = listings;
  return listings.length === 1 && first?.isPlain ? plainFrame(first) : keyedFrame(listings);
}

/** All names are ASCII: the name, for a directory with a `/`, is the key, and JavaScript's own order is the order of keys. */
function plainFrame({ directory, entries }: Listing): Frame {
  const names: string[] = [];
  let links: Set<string> | undefined;
  for (const { name, kind, viaLink } of entries) {
    const plain = kind === 'directory' ? `${name}/` : `${name}`;
    names.push(plain);
    if (viaLink) links = (links ?? new Set()).add(plain);
  }
  names.sort();
  let at = 0;
  return {
    next() {
      const name = names[at++];
      if (name === undefined) return undefined;
      if (!name.endsWith('/')) return { text: directory.text + name, raw: undefined };
      return [child(directory, name.slice(0, -1), links?.has(name) === true)];
    },
  };
}

interface Keyed {
  readonly key: Buffer;
  /** Decides between equal keys. */
  readonly bytes: Buffer;
  readonly entry: ListedEntry;
  readonly directory: Directory;
}

/** Any names, of one directory or of several whose keys are equal. */
function keyedFrame(listings: readonly Listing[]): Frame {
  const keyed = listings.flatMap(({ directory, entries }) => entries.map((entry) => keyedEntry(directory, entry)));
  keyed.sort((a, b) => Buffer.compare(a.key, b.key) || Buffer.compare(a.bytes, b.bytes));
  let at = 0;
  return {
    next() {
      const first = keyed[at++];
      if (first === undefined) return undefined;
      const { directory, entry } = first;
      if (entry.kind === 'file') return { text: directory.text + lossyText(entry.name), raw: rawOf(directory, entry.name) };
      const twins = [first];
      for (let twin = keyed[at]; twin?.key.equals(first.key); twin = keyed[++at]) twins.push(twin);
      return twins.map((twin) => child(twin.directory, twin.entry.name, twin.entry.viaLink === true));
    },
  };
}

function keyedEntry(directory: Directory, entry: ListedEntry): Keyed {
  const bytes = rawOf(directory, entry.name) ?? rawBytes(`${directory.text}${lossyText(entry.name)}`);
  return { key: Buffer.concat([orderKey(entry.name), entry.kind === 'directory' ? SLASH : NOTHING]), bytes, entry, directory };
}
const SLASH = Buffer.from('/');
const NOTHING = Buffer.alloc(0);

/** A directory in this one. */
export function child(parent: Directory, name: Buffer | string, viaLink: boolean): Directory {
  const text = lossyText(name);
  const raw = rawOf(parent, name);
  return {
    text: `${parent.text}${text}/`,
    raw: raw && Buffer.concat([raw, SLASH]),
    rules: enterRules(parent.rules, text),
    parent,
    viaLink: viaLink || parent.viaLink,
  };
}
