import { RESERVED_PREFIX, VAULT_DIRECTORY } from '../../contracts/index.ts';
import { WritError } from '../../core/errors.ts';
import type { ConfinedBase, ConfinedDirectory, FileMethod } from '../../core/ports/index.ts';
import { type Descriptors, withDescriptors } from './descriptors.ts';
import { absolutePath } from './paths.ts';

interface Probed {
  readonly id: string;
  readonly path: string;
  readonly directory: ConfinedBase['directory'];
}

/**
 * Whether the file system of a base renames without replacing, tried with a file in the vault. The method must be known
 * before an intent is written, because recovery reads it from there.
 */
export function probeRename(base: Probed, probeId: string): Promise<FileMethod> {
  return withDescriptors(async (descriptors) => {
    const vault = await openVault(base, descriptors);
    const [name, renamed] = [`${RESERVED_PREFIX}probe-${probeId}`, `${RESERVED_PREFIX}probed-${probeId}`];
    await Promise.all([vault.unlink(name), vault.unlink(renamed)]);
    const created = await vault.createFile(name);
    if (!created.ok) throw unusable(base, created.errno);
    descriptors.add(created.value);
    const moved = await vault.renameNoReplace(name, vault, renamed);
    await vault.unlink(moved.ok ? renamed : name);
    if (moved.ok) return 'rename';
    if (moved.refusal === 'unsupported') return 'link';
    throw unusable(base, moved.errno);
  });
}

/** Whether two bases lie in one mount: the kernel looks at that before it looks for the name, so an absent one tells. */
export function probePair(from: Probed, to: Probed, probeId: string): Promise<boolean> {
  return withDescriptors(async (descriptors) => {
    const name = `${RESERVED_PREFIX}absent-${probeId}`;
    const moved = await (await openVault(from, descriptors)).renameNoReplace(name, await openVault(to, descriptors), name);
    return !moved.ok && moved.refusal !== 'cross-device';
  });
}

async function openVault(base: Probed, descriptors: Descriptors): Promise<ConfinedDirectory> {
  const vault = await base.directory([VAULT_DIRECTORY]);
  if (!vault.ok) throw unusable(base, vault.errno);
  return descriptors.add(vault.value);
}

function unusable(base: Probed, errno: string): WritError {
  return new WritError('INVALID_CONFIG', `${absolutePath(base, [VAULT_DIRECTORY])} cannot be written (${errno})`, { field: 'file.base_directories' });
}
