import { isReservedName, VAULT_DIRECTORY } from '../../contracts/index.ts';
import { WritError } from '../../core/errors.ts';
import type { ConfinedBase, ConfinedDirectory, DirectoryIdentity, FsResult } from '../../core/ports/index.ts';
import { type Descriptors, withDescriptors } from './descriptors.ts';
import { absolutePath } from './paths.ts';
import { VAULT_MARK } from './vault-names.ts';

/**
 * Creates the vault at a base directory's root, mode 0700, or recognizes the one that this host made earlier. It is ours
 * when it carries our mark; an empty one without a mark is what a crash between the two steps leaves.
 *
 * @throws WritError INVALID_CONFIG with the path, when something foreign has a reserved name there
 */
export function prepareVault(base: ConfinedBase): Promise<DirectoryIdentity> {
  return withDescriptors(async (descriptors) => {
    const root = descriptors.add(demand(base, [], await base.directory([])));
    const standing = await root.entry(VAULT_DIRECTORY);
    if (!standing.ok && standing.refusal === 'missing') await create(base, root);
    else if (demand(base, [VAULT_DIRECTORY], standing).type !== 'directory') throw foreign(base, VAULT_DIRECTORY, 'is not a directory');
    return recognize(base, root, descriptors);
  });
}

/** Whether a base directory was one before: a vault with our mark stands at its root. Changes nothing. */
export function carriesMark(base: ConfinedBase): Promise<boolean> {
  return withDescriptors(async (descriptors) => {
    const vault = await base.directory([VAULT_DIRECTORY]);
    return vault.ok && (await descriptors.add(vault.value).entry(VAULT_MARK)).ok;
  });
}

/** First start: whatever has a reserved name was there before us. */
async function create(base: ConfinedBase, root: ConfinedDirectory): Promise<void> {
  for (const name of demand(base, [], await root.names())) {
    // Another worker process may be creating the vault right now.
    if (isReservedName(name) && name !== VAULT_DIRECTORY) throw foreign(base, name, 'was there before Writ');
  }
  const made = await root.makeDirectory(VAULT_DIRECTORY, 0o700);
  if (!made.ok && made.refusal !== 'exists') demand(base, [VAULT_DIRECTORY], made);
  demand(base, [], await root.sync());
}

async function recognize(base: ConfinedBase, root: ConfinedDirectory, descriptors: Descriptors): Promise<DirectoryIdentity> {
  const entry = demand(base, [VAULT_DIRECTORY], await root.entry(VAULT_DIRECTORY));
  if ((entry.mode & 0o077) !== 0) throw foreign(base, VAULT_DIRECTORY, 'is open to other users (it must have mode 0700)');
  const vault = descriptors.add(demand(base, [VAULT_DIRECTORY], await base.directory([VAULT_DIRECTORY])));
  const mark = await vault.entry(VAULT_MARK);
  if (!mark.ok && mark.refusal === 'missing') await leaveMark(base, vault, descriptors);
  else demand(base, [VAULT_DIRECTORY, VAULT_MARK], mark);
  // Whoever made them may have died before they were durable: without them the power would take the vault, or its mark.
  demand(base, [VAULT_DIRECTORY], await vault.sync());
  demand(base, [], await root.sync());
  return vault.identity;
}

async function leaveMark(base: ConfinedBase, vault: ConfinedDirectory, descriptors: Descriptors): Promise<void> {
  const names = demand(base, [VAULT_DIRECTORY], await vault.names());
  if (names.some((name) => name !== VAULT_MARK)) throw foreign(base, VAULT_DIRECTORY, 'holds files and was not made by Writ');
  const mark = await vault.createFile(VAULT_MARK);
  if (mark.ok) descriptors.add(mark.value);
  else if (mark.refusal !== 'exists') demand(base, [VAULT_DIRECTORY, VAULT_MARK], mark);
  demand(base, [VAULT_DIRECTORY], await vault.sync());
}

function demand<T>(base: ConfinedBase, segments: readonly string[], result: FsResult<T>): T {
  if (result.ok) return result.value;
  throw new WritError('INVALID_CONFIG', `${absolutePath(base, segments)} cannot be used as part of a base directory: ${result.refusal} (${result.errno})`, {
    field: 'file.base_directories',
  });
}

function foreign(base: ConfinedBase, name: string, what: string): WritError {
  return new WritError('INVALID_CONFIG', `${absolutePath(base, [name])} ${what}; names that begin with '.writ-' are reserved for Writ`, {
    field: 'file.base_directories',
  });
}
