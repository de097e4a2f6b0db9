import { closeSync, constants, fstatSync, openSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import vm from 'node:vm';
import zlib from 'node:zlib';

/** What others may not do with a file that decides what is run. */
const WRITABLE_BY_OTHERS = 0o022;
const HEAD_BYTES = 8;
/** Node 22.0 and 22.1 have none: there nothing is kept. */
const crc32: ((bytes: Uint8Array) => number) | undefined = zlib.crc32;

type Import = (name: string) => Promise<unknown>;

export interface LoadedBundle<Exports> {
  readonly exports: Exports;
  /** Whether V8 has taken what was compiled before. */
  readonly isCompiled: boolean;
  /** Keeps what V8 has compiled so far, for the next process; whether it could. Never throws. */
  keep(): boolean;
}

/**
 * Runs a bundle (CommonJS in a function, `scripts/bundle.js`) with what V8 has compiled of it before. Whoever writes that file
 * decides what is run: it lies beside the bundle, and counts only when it belongs to the bundle's owner and nobody else may
 * write it. It is of one V8 and one bundle; any other, and a damaged one, is not used. `undefined`: there is no bundle.
 */
export function loadBundle<Exports>(file: string): LoadedBundle<Exports> | undefined {
  const bundle = readOwned(file);
  if (bundle === undefined) return undefined;
  // Names what the code depends on beside the bundle; so two versions of Node do not displace each other's.
  const cacheFile = `${file}.${process.versions.v8}-${process.arch}.cache`;
  const sum = crc32?.(bundle.bytes);
  const cachedData = readCompiled(cacheFile, bundle.owner, sum);
  const script = new vm.Script(bundle.bytes.toString('latin1'), {
    filename: file,
    ...(cachedData === undefined ? {} : { cachedData }),
  });
  const module = { exports: {} as Exports };
  const run = script.runInThisContext() as (
    exports: Exports,
    require: NodeJS.Require,
    module: object,
    file: string,
    directory: string,
    outside: Import,
  ) => void;
  // A script that V8 has kept compiled cannot import in Node 20; this module can, for it.
  const importOutside: Import = (name) => import(name.startsWith('.') ? new URL(name, pathToFileURL(file)).href : name);
  run(module.exports, createRequire(file), module, file, path.dirname(file), importOutside);
  return {
    exports: module.exports,
    isCompiled: cachedData !== undefined && script.cachedDataRejected !== true,
    keep: () => keepCompiled(cacheFile, bundle.owner, sum, () => script.createCachedData()),
  };
}

interface Owned {
  readonly bytes: Buffer;
  readonly owner: number;
}

/** A file and whose it is; `undefined` when it cannot be read. */
function readOwned(file: string, isAllowed: (uid: number, mode: number) => boolean = () => true): Owned | undefined {
  try {
    const fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      const found = fstatSync(fd);
      if (!found.isFile() || !isAllowed(found.uid, found.mode)) return undefined;
      return { bytes: readFileSync(fd), owner: found.uid };
    } finally {
      closeSync(fd);
    }
  } catch {
    return undefined;
  }
}

/** What V8 compiled of the bundle of this sum. V8 itself compares only the length of a source. */
function readCompiled(file: string, owner: number, sum: number | undefined): Buffer | undefined {
  const found = readOwned(file, (uid, mode) => uid === owner && (mode & WRITABLE_BY_OTHERS) === 0);
  if (found === undefined || found.bytes.length < HEAD_BYTES || found.bytes.readUInt32LE(0) !== sum) return undefined;
  const data = found.bytes.subarray(HEAD_BYTES);
  return crc32?.(data) === found.bytes.readUInt32LE(4) ? data : undefined;
}

function keepCompiled(file: string, owner: number, sum: number | undefined, compiled: () => Buffer): boolean {
  if (sum === undefined || crc32 === undefined) return false;
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    const directory = statSync(path.dirname(file));
    // Another user's file would not be believed, and another user's directory is not ours to fill.
    if (process.geteuid?.() !== owner || directory.uid !== owner || (directory.mode & WRITABLE_BY_OTHERS) !== 0) return false;
    // Looked for first: where nothing can be written, nothing need be made.
    writeFileSync(temporary, '', { flag: 'wx', mode: 0o644 });
    const data = compiled();
    const head = Buffer.alloc(HEAD_BYTES);
    head.writeUInt32LE(sum, 0);
    head.writeUInt32LE(crc32(data), 4);
    writeFileSync(temporary, Buffer.concat([head, data]));
    renameSync(temporary, file);
    return true;
  } catch {
    rmSync(temporary, { force: true });
    return false;
  }
}
