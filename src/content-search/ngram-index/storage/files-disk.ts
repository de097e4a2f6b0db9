import { lstatSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { createFile, PARTIAL, writeParts } from '../../../adapters/files/create-file.ts';
import { syncDirectorySync } from '../../../adapters/files/sync-directory.ts';
import type { IndexFiles, OpenSegmentFile, SegmentName, SnapshotId } from '../../../core/ports/index.ts';
import { CURRENT_MAX_BYTES, decodeCurrent, encodeCurrent } from './files-current.ts';
import { checkDirectory, makeDirectory, removeAll } from './files-directory.ts';
import { openFile } from './files-read.ts';
import { codeOf } from './sqlite-directory.ts';

export interface DiskIndexFilesOptions {
  /** Of this index alone, in a cache root that exists and belongs to this user (`prepareCacheDirectory`). */
  readonly directory: string;
  /** SHA-256 of the index key, hexadecimal. */
  readonly keyHash: string;
}

/**
 * The files of an index in a directory of their own:
 *
 * ```
 * CURRENT            which segments count; read by the host at its start, never by searches
 * gen-<n>/base.seg   gen-<n>/delta-<m>.seg   never changed after they have their names
 * gen-<n>/runs-<r>   parts of an inversion, while a build runs
 * aside/             what was found damaged last; never read again
 * ```
 * Directories 0700, files 0600; what belongs to others, or others may write to, is refused (SEC-LSI-STORE-01). Whatever lies
 * there under our names is a refusal, `DAMAGED` or wrong bytes, which the checksums of a segment find; never a crash.
 */
export function diskIndexFiles({ directory, keyHash }: DiskIndexFilesOptions): IndexFiles {
  const generationAt = (generation: number): string => join(directory, generationName(generation));
  const segmentAt = ({ generation, delta }: SegmentName): string => join(generationAt(generation), segmentFile(delta));
  const makeGeneration = (generation: number): void => {
    makeDirectory(directory, join(directory, '..'));
    makeDirectory(generationAt(generation), directory);
  };

  return {
    open(name) {
      try {
        checkDirectory(directory);
        checkDirectory(generationAt(name.generation));
      } catch (error) {
        return { refused: refusalOf(error) };
      }
      return openFile(segmentAt(name));
    },
    create(name) {
      makeGeneration(name.generation);
      return createFile(segmentAt(name));
    },
    runs: (generation) => runsIn(generationAt(generation), () => makeGeneration(generation)),
    current: () => readCurrent(directory, keyHash),
    flip(snapshot) {
      makeDirectory(directory, join(directory, '..'));
      makeWay(join(directory, CURRENT));
      const file = createFile(join(directory, CURRENT));
      try {
        file.append(Buffer.from(encodeCurrent(snapshot, keyHash)));
        file.finish();
      } catch (error) {
        file.discard();
        throw error;
      }
    },
    sizeOf: (snapshot) => namesOf(snapshot).reduce((sum, name) => sum + (lstatSync(segmentAt(name), { throwIfNoEntry: false })?.size ?? 0), 0),
    sweep: (keep) => sweep(directory, keep),
    quarantine: () => quarantine(directory),
    purge() {
      quarantine(directory);
      removeAll(join(directory, ASIDE));
    },
  };
}

const CURRENT = 'CURRENT';
/** Where damaged files of an index are kept for people. */
export const ASIDE = 'aside';
const GENERATION = /^gen-\d+$/;
const IN_GENERATION = /^(base\.seg|delta-\d+\.seg|runs-\d+|\.partial-.*)$/;

const generationName = (generation: number): string => `gen-${generation}`;
const segmentFile = (delta: number): string => (delta === 0 ? 'base.seg' : `delta-${delta}.seg`);

function namesOf({ generation, deltas }: SnapshotId): SegmentName[] {
  return [0, ...deltas].map((delta) => ({ generation, delta }));
}

/** What lies there instead of a file of ours is damage; that the machine is out of descriptors, for one, is not. */
const NOT_OURS: ReadonlySet<string> = new Set(['ELOOP', 'EMLINK', 'EINVAL', 'ENXIO', 'EPERM', 'EISDIR']);

function readCurrent(directory: string, keyHash: string): SnapshotId | 'DAMAGED' | undefined {
  if (lstatSync(directory, { throwIfNoEntry: false }) === undefined) return undefined;
  checkDirectory(directory);
  const file = openFile(join(directory, CURRENT));
  if ('refused' in file) {
    if (file.refused === 'ENOENT') return undefined;
    if (NOT_OURS.has(file.refused)) return 'DAMAGED';
    throw Object.assign(new Error('CURRENT cannot be read'), { code: file.refused });
  }
  try {
    return file.size > CURRENT_MAX_BYTES ? 'DAMAGED' : decodeCurrent(file.read(0, file.size).toString(), keyHash);
  } finally {
    file.close();
  }
}

/** Runs are not made durable: a build that a power cut ends begins anew. */
function runsIn(directory: string, make: () => void): ReturnType<IndexFiles['runs']> {
  const open = new Map<number, OpenSegmentFile>();
  const at = (run: number): string => join(directory, `runs-${run}`);
  const close = (): void => {
    for (const file of open.values()) file.close();
    open.clear();
  };
  return {
    write(run, parts) {
      make();
      open.get(run)?.close();
      open.delete(run);
      writeParts(at(run), parts);
    },
    read(run) {
      const known = open.get(run);
      if (known !== undefined) return known;
      const file = openFile(at(run));
      if ('refused' in file) throw Object.assign(new Error('a part of a build cannot be read'), { code: file.refused });
      open.set(run, file);
      return file;
    },
    clear() {
      close();
      for (const name of entriesOf(directory)) if (/^runs-\d+$/.test(name)) removeAll(join(directory, name));
    },
  };
}

/** `CURRENT` goes first when all goes, so that it never names what is not there any more. Only what has our names is touched. */
function sweep(directory: string, keep: SnapshotId | null): void {
  if (keep === null) removeAll(join(directory, CURRENT));
  const kept = keep === null ? undefined : generationName(keep.generation);
  for (const name of entriesOf(directory)) {
    if (name === `${PARTIAL}${CURRENT}` || (GENERATION.test(name) && name !== kept)) removeAll(join(directory, name));
  }
  if (keep === null || kept === undefined) return;
  const segments = new Set(namesOf(keep).map(({ delta }) => segmentFile(delta)));
  const generation = join(directory, kept);
  for (const name of entriesOf(generation)) if (IN_GENERATION.test(name) && !segments.has(name)) removeAll(join(generation, name));
}

/** `CURRENT` goes first, so that it never names what is not there. Where there is no room for that, everything is removed at once. */
function quarantine(directory: string): void {
  const aside = join(directory, ASIDE);
  const names = entriesOf(directory).filter((name) => name === CURRENT || GENERATION.test(name));
  if (names.length === 0) return;
  try {
    removeAll(aside);
    mkdirSync(aside, { mode: 0o700 });
    for (const name of names.sort()) renameSync(join(directory, name), join(aside, name));
    syncDirectorySync(directory);
  } catch {
    sweep(directory, null);
  }
}

/** A rename takes the place of a file, and of nothing else. */
function makeWay(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true) removeAll(path);
}

/** Names in a directory; none if it is not there, or is a link to somewhere else. */
function entriesOf(directory: string): readonly string[] {
  if (lstatSync(directory, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  return readdirSync(directory);
}

function refusalOf(error: unknown): string {
  const code = codeOf(error);
  if (code === '') throw error;
  return code;
}
