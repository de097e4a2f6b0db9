import { RESERVED_PREFIX, TEMP_PREFIX, VAULT_DIRECTORY } from '../../contracts/index.ts';
import { sha256Hex } from '../../core/hash.ts';
import type { BasePath } from '../../core/ports/index.ts';

/** Why a file lies in the vault: deleted; replaced by its copy on another file system; a copy that had to be withdrawn. */
export type VaultReason = 'deleted' | 'retired' | 'withdrawn';

const LETTER = { deleted: 'd', retired: 'r', withdrawn: 'w' } satisfies Record<VaultReason, string>;

/** Names of files in a vault. */
export const VAULT_ENTRY = /^[drw]-[0-9a-f]{40}-[1-9][0-9]*$/;

/** Proves that a vault directory is ours and not somebody's directory of that name. */
export const VAULT_MARK = `${RESERVED_PREFIX}mark`;

/** The place of a task's n-th attempt in a vault: the same on every run, so that recovery finds it. */
export function vaultPath(base: string, reason: VaultReason, taskId: string, n: number): BasePath {
  return { base, segments: [VAULT_DIRECTORY, `${LETTER[reason]}-${attemptId(taskId, n)}`] };
}

/** Name of the temporary file of a task's n-th attempt. */
export function temporaryName(taskId: string, n: number): string {
  return `${TEMP_PREFIX}${attemptId(taskId, n)}`;
}

/** A task id may have 128 characters; its hash always fits a file name. */
function attemptId(taskId: string, n: number): string {
  return `${sha256Hex(taskId).slice(0, 40)}-${n}`;
}
