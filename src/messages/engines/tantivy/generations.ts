import { createHash, randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createFile } from '../../../adapters/files/create-file.ts';
import { isThere } from '../../../adapters/files/is-there.ts';
import { makeDirectory } from '../../../adapters/files/make-directory.ts';
import { syncDirectorySync } from '../../../adapters/files/sync-directory.ts';

/**
 * An index lies in a directory of its own:
 *
 *   CURRENT          which generation is published, and what it must be made of
 *   g-…/             a generation: never changed again, so whoever has opened it may read on while others follow
 *   w-…/             where the writer works; after a crash nobody's
 *
 * Files of segments never change once they are written, so generations share them by hard links.
 */
export interface Published {
  /** Digits of the schema it was written with. */
  readonly schema: string;
  /** The random name of the database of messages that it was made from, and the change up to which it went. */
  readonly database: string;
  readonly seq: number;
  readonly directory: string;
  readonly documents: number;
  readonly files: readonly { readonly name: string; readonly size: number; readonly sha256: string }[];
}

const CURRENT = 'CURRENT';
const META = 'meta.json';
/** What Tantivy may delete; without it nothing of a working directory ever goes. */
const MANAGED = '.managed.json';
/** Numbers of the documents of a segment: eight bytes each, in the order of the documents. */
const NUMBERS = '.numbers';

export interface Segment {
  readonly id: string;
  readonly documents: number;
  readonly deleted: number;
}

interface Meta {
  readonly segments: readonly {
    readonly segment_id: string;
    readonly max_doc: number;
    readonly deletes: { readonly num_deleted_docs: number; readonly opstamp: number } | null;
  }[];
}

/** What is published, as it was written; `undefined` when nothing is. */
export function currentText(root: string): string | undefined {
  try {
    return readFileSync(join(root, CURRENT), 'utf8');
  } catch {
    return undefined;
  }
}

/** Changes whenever something is published: a new file takes the place of the old one. */
export function currentStamp(root: string): string | undefined {
  const found = statSync(join(root, CURRENT), { bigint: true, throwIfNoEntry: false });
  return found === undefined ? undefined : `${found.ino} ${found.size} ${found.mtimeNs}`;
}

/** @throws Error when the text is damaged */
export function publishedIn(text: string): Published {
  const { check, ...published } = JSON.parse(text) as Published & { check: string };
  if (check !== digestOf(JSON.stringify(published))) throw new Error('CURRENT is damaged');
  return published;
}

/** Segments of an index directory, in the order in which hits number them. */
export function segmentsIn(directory: string): Segment[] {
  return metaIn(directory).segments.map(({ segment_id, max_doc, deletes }) => ({
    id: segment_id.replaceAll('-', ''),
    documents: max_doc,
    deleted: deletes?.num_deleted_docs ?? 0,
  }));
}

function metaIn(directory: string): Meta {
  return JSON.parse(readFileSync(join(directory, META), 'utf8')) as Meta;
}

/** A new directory beside the generations. */
export function newDirectory(root: string, kind: 'g' | 'w'): string {
  makeDirectory(root);
  const directory = join(root, `${kind}-${randomBytes(8).toString('hex')}`);
  mkdirSync(directory, { mode: 0o700 });
  return directory;
}

/** A directory to work in that begins as a generation. */
export function workingCopy(root: string, { directory, files }: Published): string {
  const work = newDirectory(root, 'w');
  for (const { name } of files) {
    // What is replaced as a whole may be shared too; meta.json is written by us and renamed over by Tantivy.
    linkSync(join(root, directory, name), join(work, name));
  }
  return work;
}

/**
 * Takes what was last committed in a working directory as a generation, not yet published. Merging threads may replace
 * segments meanwhile: then it looks again.
 */
export function takeGeneration(root: string, work: string): string {
  for (let tries = 0; ; tries += 1) {
    const directory = newDirectory(root, 'g');
    try {
      const text = readFileSync(join(work, META), 'utf8');
      const names = readdirSync(work);
      for (const { segment_id, deletes } of (JSON.parse(text) as Meta).segments) {
        const prefix = segment_id.replaceAll('-', '');
        const tombs = deletes === null ? undefined : `${prefix}.${deletes.opstamp}.del`;
        const own = names.filter((name) => name.startsWith(`${prefix}.`) && (!name.endsWith('.del') || name === tombs));
        if (tombs !== undefined && !own.includes(tombs)) throw Object.assign(new Error('segments are being merged'), { code: 'ENOENT' });
        for (const name of own) linkSync(join(work, name), join(directory, name));
      }
      if (names.includes(MANAGED)) writeWhole(join(directory, MANAGED), readFileSync(join(work, MANAGED)));
      writeWhole(join(directory, META), Buffer.from(text));
      if (!hasAll(directory)) throw Object.assign(new Error('segments are being merged'), { code: 'ENOENT' });
      return directory;
    } catch (error) {
      rmSync(directory, { recursive: true, force: true });
      if (tries >= 20 || !(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    }
  }
}

/** Every segment has the file of its terms: names are listed before they are linked. */
function hasAll(directory: string): boolean {
  return segmentsIn(directory).every(({ id }) => isThere(join(directory, `${id}.term`)) && isThere(join(directory, `${id}.idx`)));
}

export function numbersFile(directory: string, segment: string): string {
  return join(directory, `${segment}${NUMBERS}`);
}

export function writeWhole(path: string, bytes: Uint8Array): void {
  const file = createFile(path);
  try {
    file.append(bytes);
    file.finish();
  } catch (error) {
    file.discard();
    throw error;
  }
}

/** Makes a generation the one that searches open. Files that were published before are not read again. */
export function publish(
  root: string,
  directory: string,
  told: Pick<Published, 'schema' | 'database' | 'seq' | 'documents'>,
  before: Published | undefined,
): Published {
  const known = new Map(before?.files.map((file) => [file.name, file]));
  const files = readdirSync(directory)
    .filter((name) => !name.endsWith('.lock'))
    .sort()
    .map((name) => (isShared(name) ? known.get(name) : undefined) ?? fileIn(directory, name));
  syncDirectorySync(directory);
  syncDirectorySync(root);
  const published: Published = { ...told, directory: directory.slice(root.length + 1), files };
  const text = JSON.stringify({ ...published, check: digestOf(JSON.stringify(published)) });
  writeWhole(join(root, CURRENT), Buffer.from(text));
  return published;
}

/** Files of segments; the others are of one generation. */
function isShared(name: string): boolean {
  return name !== META && name !== MANAGED;
}

function fileIn(directory: string, name: string): Published['files'][number] {
  const bytes = readFileSync(join(directory, name));
  return { name, size: bytes.length, sha256: digestOf(bytes) };
}

/** What is wrong with a generation; `undefined` when it is what was published. `known` are digests that were seen to be right. */
export function damageOf(root: string, { directory, files }: Published, known: Set<string>): string | undefined {
  for (const { name, size, sha256 } of files) {
    const path = join(root, directory, name);
    try {
      if (statSync(path).size !== size) return `${name} has another length`;
      const seen = isShared(name) && known.has(`${name} ${sha256}`);
      if (!seen && digestOf(readFileSync(path)) !== sha256) return `${name} is damaged`;
    } catch {
      return `${name} is missing`;
    }
    known.add(`${name} ${sha256}`);
  }
  return undefined;
}

/** Removes what nobody needs: working directories of others, and all generations but these. */
export function sweep(root: string, keep: readonly string[]): void {
  for (const name of readdirSync(root)) {
    if (/^[gw]-/u.test(name) && !keep.includes(join(root, name))) removeDirectory(join(root, name));
  }
}

/** Removes one. Threads of a writer that has ended may still put a file there (seen under load): then the rest goes with the next sweep. */
export function removeDirectory(directory: string): void {
  try {
    rmSync(directory, { recursive: true, force: true });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOTEMPTY')) throw error;
  }
}

function digestOf(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
