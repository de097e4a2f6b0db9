import { WritError } from '../../core/errors.ts';
import type { ConfinedBase, ConfinedFileSystem, DirectoryIdentity, FileMethod } from '../../core/ports/index.ts';
import { sameInode } from './identity.ts';
import type { BaseOption } from './options.ts';
import { isWithin, type PathBase, toPathBase } from './paths.ts';
import { probePair, probeRename } from './probe.ts';
import { prepareVault } from './vault.ts';

/** A base directory that was opened, with its vault. */
export interface OpenBase extends PathBase, Pick<ConfinedBase, 'identity' | 'mount' | 'directory' | 'freeBytes' | 'standing' | 'close'> {
  readonly vault: DirectoryIdentity;
}

/** The base directories of one executor as they stand open now. Never changed: what is taken up makes new ones. */
export interface OpenBases {
  readonly all: readonly OpenBase[];
  get(id: string): OpenBase | undefined;
  /** How a file gets from one base to another (or within one) without replacing anything. */
  methodBetween(from: string, to: string): FileMethod;
  /** Whether a directory is the vault of any base, by whatever name it was reached. */
  isVault(directory: DirectoryIdentity): boolean;
}

/**
 * Opens all base directories, prepares their vaults and finds out what their file systems can do.
 *
 * @param probeId a name part of this process's own, for the probe files
 * @throws WritError INVALID_CONFIG when bases nest, a base cannot be opened, or a foreign `.writ-*` name stands at its root
 */
export async function openBases(options: readonly BaseOption[], fileSystem: ConfinedFileSystem, probeId: string): Promise<OpenBases> {
  refuseNesting(options.map(toPathBase));
  const opened: ConfinedBase[] = [];
  try {
    for (const { id, path } of options) opened.push(await fileSystem.openBase(id, path));
    refuseTwice(opened);
    const bases: OpenBase[] = [];
    for (const base of opened) bases.push(await withVault(base));
    return openBasesOf(bases, await findMethods(bases, probeId));
  } catch (error) {
    await Promise.all(opened.map((base) => base.close()));
    throw error;
  }
}

/**
 * What stands where one base was opened before, in its place. The pairs of bases that it is one of are tried out anew; where
 * the other one cannot be asked, files are copied.
 *
 * @param opened closed by the caller when this throws
 * @throws WritError INVALID_CONFIG as `openBases`
 */
export async function withBase(bases: OpenBases, opened: ConfinedBase, probeId: string): Promise<OpenBases> {
  const others = bases.all.filter(({ id }) => id !== opened.id);
  refuseTwice([opened, ...others]);
  const base = await withVault(opened);
  const within = await probeRename(base, probeId);
  const methods = new Map<string, FileMethod>([[pairKey(base.id, base.id), within]]);
  for (const other of others) {
    for (const another of others) methods.set(pairKey(other.id, another.id), bases.methodBetween(other.id, another.id));
    const back = bases.methodBetween(other.id, other.id);
    methods.set(pairKey(base.id, other.id), await pairMethod(base, other, within, probeId).catch(() => 'copy'));
    methods.set(pairKey(other.id, base.id), await pairMethod(other, base, back, probeId).catch(() => 'copy'));
  }
  const all = bases.all.map((one) => (one.id === base.id ? base : one));
  return openBasesOf(all, methods);
}

function openBasesOf(all: readonly OpenBase[], methods: ReadonlyMap<string, FileMethod>): OpenBases {
  return {
    all,
    get: (id) => all.find((base) => base.id === id),
    methodBetween: (from, to) => methods.get(pairKey(from, to)) ?? 'copy',
    isVault: (directory) => all.some(({ vault }) => sameInode(vault, directory)),
  };
}

/** The first of these bases whose path does not lead to it any more, as a sentence (`docs/protocol.md` 9). */
export function exchanged(...bases: readonly OpenBase[]): string | undefined {
  for (const [index, base] of bases.entries()) {
    const standing = bases.indexOf(base) < index ? undefined : base.standing();
    if (standing?.same === false) return `the base directory '${base.id}' was exchanged (${standing.why})`;
  }
  return undefined;
}

async function withVault(base: ConfinedBase): Promise<OpenBase> {
  return {
    ...toPathBase(base),
    identity: base.identity,
    mount: base.mount,
    directory: (segments) => base.directory(segments),
    freeBytes: () => base.freeBytes(),
    standing: () => base.standing(),
    close: () => base.close(),
    vault: await prepareVault(base),
  };
}

async function findMethods(bases: readonly OpenBase[], probeId: string): Promise<ReadonlyMap<string, FileMethod>> {
  const methods = new Map<string, FileMethod>();
  for (const base of bases) methods.set(pairKey(base.id, base.id), await probeRename(base, probeId));
  for (const from of bases) {
    for (const to of bases) {
      if (from !== to) methods.set(pairKey(from.id, to.id), await pairMethod(from, to, methods.get(pairKey(from.id, from.id)) ?? 'copy', probeId));
    }
  }
  return methods;
}

/** A pair of bases renames only within one mount: the same device number under two mounts answers EXDEV. */
async function pairMethod(from: OpenBase, to: OpenBase, within: FileMethod, probeId: string): Promise<FileMethod> {
  return from.vault.dev === to.vault.dev && (await probePair(from, to, probeId)) ? within : 'copy';
}

function pairKey(from: string, to: string): string {
  return JSON.stringify([from, to]);
}

function refuseNesting(bases: readonly PathBase[]): void {
  for (const [index, base] of bases.entries()) {
    for (const other of bases.slice(index + 1)) {
      if (base.id === other.id) throw new WritError('INVALID_CONFIG', `two base directories have the id ${base.id}`, { field: 'file.base_directories' });
      if (isWithin(base.components, other.components) || isWithin(other.components, base.components)) {
        throw new WritError('INVALID_CONFIG', `base directories may not nest: ${base.path} and ${other.path}`, { field: 'file.base_directories' });
      }
    }
  }
}

/** Two names of one directory would give one file two paths and two vault counters. */
function refuseTwice(bases: readonly Pick<ConfinedBase, 'identity' | 'path'>[]): void {
  for (const [index, base] of bases.entries()) {
    const twin = bases.slice(index + 1).find(({ identity }) => sameInode(identity, base.identity));
    if (twin) throw new WritError('INVALID_CONFIG', `${base.path} and ${twin.path} are the same directory`, { field: 'file.base_directories' });
  }
}
