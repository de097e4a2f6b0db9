import { VAULT_DIRECTORY } from '../../contracts/index.ts';
import type { BasePath, ConfinedDirectory, FsResult } from '../../core/ports/index.ts';
import type { OpenBase, OpenBases } from './bases.ts';
import type { Descriptors } from './descriptors.ts';
import { sameInode } from './identity.ts';
import { absolutePath } from './paths.ts';

/** A name in an opened directory: where operations act, so that no path is resolved twice for one step. */
export interface OpenedPath {
  readonly base: OpenBase;
  readonly path: BasePath;
  readonly parent: ConfinedDirectory;
  readonly name: string;
}

/** Opens the directory of a path beneath its base. `escape` also stands for a directory that turns out to be a vault. */
export async function openPath(bases: OpenBases, path: BasePath, descriptors: Descriptors): Promise<FsResult<OpenedPath>> {
  const base = bases.get(path.base);
  const name = path.segments.at(-1);
  if (!base || name === undefined) return { ok: false, refusal: 'escape', errno: 'EXDEV' };
  const parent = await resolveParent(bases, base, path);
  if (!parent.ok) return parent;
  return { ok: true, value: { base, path, parent: descriptors.add(parent.value), name } };
}

/** A vault is opened only by its own path, and only the one that was there at the start. */
async function resolveParent(bases: OpenBases, base: OpenBase, path: BasePath): Promise<FsResult<ConfinedDirectory>> {
  const opened = await base.directory(path.segments.slice(0, -1));
  if (!opened.ok) return opened;
  const wanted = path.segments[0] === VAULT_DIRECTORY;
  const found = wanted ? sameInode(opened.value.identity, base.vault) : !bases.isVault(opened.value.identity);
  if (found) return opened;
  await opened.value.close();
  return { ok: false, refusal: 'escape', errno: 'ESTALE' };
}

/** Whether the place's directory still is what its path resolves to from the base. */
export async function stillResolves({ base, path, parent }: OpenedPath): Promise<boolean> {
  const again = await base.directory(path.segments.slice(0, -1));
  if (!again.ok) return false;
  const same = sameInode(again.value.identity, parent.identity);
  await again.value.close();
  return same;
}

/** The absolute path of a base path, for outputs and incidents. */
export function pathText(bases: OpenBases, { base, segments }: BasePath): string {
  return absolutePath({ path: bases.get(base)?.path ?? `/${base}` }, segments);
}
