import { WritError } from '../../core/errors.ts';
import type { ConfinedBase, ConfinedFileSystem, DirectoryIdentity, FileMethod } from '../../core/ports/index.ts';
import { sameInode } from './identity.ts';
import type { BaseOption } from './options.ts';
import { isWithin, type PathBase, toPathBase } from './paths.ts';
import { probePair, probeRename } from './probe.ts';
import { prepareVault } from './vault.ts';

/** A base directory that was opened, with its vault. */
export interface OpenBase extends PathBase {
  readonly directory: ConfinedBase['directory'];
  readonly freeBytes: ConfinedBase['freeBytes'];
  readonly vault: DirectoryIdentity;
}

/** The base directories of one executor, opened once. */
export interface OpenBases {
  get(id: string): OpenBase | undefined;
  /** How a file gets from one base to another (or within one) without replacing anything. */
  methodBetween(from: string, to: string): FileMethod;
  /** Whether a directory is the vault of any base, by whatever name it was reached. */
  isVault(directory: DirectoryIdentity): boolean;
  close(): Promise<void>;
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
    const bases = new Map<string, OpenBase>();
    for (const base of opened) bases.set(base.id, await withVault(base));
    const methods = await findMethods([...bases.values()], probeId);
    return {
      get: (id) => bases.get(id),
      methodBetween: (from, to) => methods.get(pairKey(from, to)) ?? 'copy',
      isVault: (directory) => [...bases.values()].some(({ vault }) => sameInode(vault, directory)),
      close: () => closeAll(opened),
    };
  } catch (error) {
    await closeAll(opened);
    throw error;
  }
}

async function withVault(base: ConfinedBase): Promise<OpenBase> {
  return {
    ...toPathBase(base),
    directory: (segments) => base.directory(segments),
    freeBytes: () => base.freeBytes(),
    vault: await prepareVault(base),
  };
}

/** A pair of bases renames only within one mount: the same device number under two mounts answers EXDEV. */
async function findMethods(bases: readonly OpenBase[], probeId: string): Promise<ReadonlyMap<string, FileMethod>> {
  const methods = new Map<string, FileMethod>();
  for (const base of bases) methods.set(pairKey(base.id, base.id), await probeRename(base, probeId));
  for (const from of bases) {
    for (const to of bases) {
      if (from === to) continue;
      const joined = from.vault.dev === to.vault.dev && (await probePair(from, to, probeId));
      methods.set(pairKey(from.id, to.id), joined ? (methods.get(pairKey(from.id, from.id)) ?? 'copy') : 'copy');
    }
  }
  return methods;
}

function pairKey(from: string, to: string): string {
  return JSON.stringify([from, to]);
}

function refuseNesting(bases: readonly PathBase[]): void {
  for (const [index, base] of bases.entries()) {
    for (const other of bases.slice(index + 1)) {
      if (base.id === other.id) throw new WritError('INVALID_CONFIG', `two base directories have the id ${base.id}`, { field: 'file.bases' });
      if (isWithin(base.components, other.components) || isWithin(other.components, base.components)) {
        throw new WritError('INVALID_CONFIG', `base directories may not nest: ${base.path} and ${other.path}`, { field: 'file.bases' });
      }
    }
  }
}

/** Two names of one directory would give one file two paths and two vault counters. */
function refuseTwice(bases: readonly ConfinedBase[]): void {
  for (const [index, base] of bases.entries()) {
    const twin = bases.slice(index + 1).find(({ identity }) => sameInode(identity, base.identity));
    if (twin) throw new WritError('INVALID_CONFIG', `${base.path} and ${twin.path} are the same directory`, { field: 'file.bases' });
  }
}

async function closeAll(bases: readonly ConfinedBase[]): Promise<void> {
  await Promise.all(bases.map((base) => base.close()));
}
