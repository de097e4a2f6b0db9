import { VAULT_DIRECTORY } from '../../contracts/index.ts';
import type { BasePath, ConfinedDirectory, DirectoryIdentity, FileIdentity, FsResult } from '../../core/ports/index.ts';
import { exchanged, type OpenBase, type OpenBases } from './bases.ts';
import type { Descriptors } from './descriptors.ts';
import { identityOf, sameInode } from './identity.ts';
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

/** The absolute path of a base path, for outputs and incidents. */
export function pathText(bases: OpenBases, { base, segments }: BasePath): string {
  return absolutePath({ path: bases.get(base)?.path ?? `/${base}` }, segments);
}

/** Whether what was just done stands: the identity under the destination's name, or why not. */
export type EffectCheck = { readonly ok: true; readonly identity: FileIdentity } | { readonly ok: false; readonly doubt: string };

interface Expectation {
  readonly destination: OpenedPath;
  readonly expected: DirectoryIdentity;
  /** Every place whose directory must still be where its path says. */
  readonly paths: readonly OpenedPath[];
  /** Every place whose directory is fsynced. */
  readonly sync: readonly OpenedPath[];
}

/**
 * After a rename: the destination must be the expected inode, and all directories must still resolve, from their bases,
 * to the same directories; and all of it must be on disk. Looking and syncing need no order between them; that the bases
 * themselves still stand at their paths is looked at last.
 */
export async function checkEffect({ destination, expected, paths, sync }: Expectation): Promise<EffectCheck> {
  const [entry, resolved, synced] = await Promise.all([
    destination.parent.entry(destination.name),
    Promise.all(onePerDirectory(paths).map(stillResolves)),
    syncAll(sync),
  ]);
  const gone = exchanged(...[destination, ...paths].map(({ base }) => base));
  if (gone !== undefined) return { ok: false, doubt: gone };
  if (!entry.ok || !sameInode(entry.value, expected)) return { ok: false, doubt: 'the file was exchanged during the operation' };
  if (resolved.includes(false)) return { ok: false, doubt: 'a directory was moved away during the operation' };
  if (synced !== undefined) return { ok: false, doubt: `the operation could not be made durable (${synced})` };
  return { ok: true, identity: identityOf(entry.value) };
}

/** fsync of the directories of all paths; the errno of the first that fails. */
export async function syncAll(paths: readonly OpenedPath[]): Promise<string | undefined> {
  const results = await Promise.all(onePerDirectory(paths).map(({ parent }) => parent.sync()));
  return results.flatMap((result) => (result.ok ? [] : [result.errno]))[0];
}

function onePerDirectory(paths: readonly OpenedPath[]): readonly OpenedPath[] {
  const seen: ConfinedDirectory['identity'][] = [];
  return paths.filter(({ parent: { identity } }) => {
    if (seen.some((other) => sameInode(other, identity))) return false;
    seen.push(identity);
    return true;
  });
}

/** Whether the place's directory still is what its path resolves to from the base. */
async function stillResolves({ base, path, parent }: OpenedPath): Promise<boolean> {
  const again = await base.directory(path.segments.slice(0, -1));
  if (!again.ok) return false;
  const same = sameInode(again.value.identity, parent.identity);
  await again.value.close();
  return same;
}
