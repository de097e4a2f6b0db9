import type { VaultEntry } from '../../../core/ports/index.ts';
import type { Vault } from '../../../core/ports/task-gateway.ts';

const PAGE = 500;

/** The entries of the vaults, a page at a time, so that a full vault does not fill memory. */
export async function* vaultPages(vault: Vault, filter: { base?: string; before?: number }): AsyncGenerator<readonly VaultEntry[]> {
  let after: string | undefined;
  for (;;) {
    const page = await vault.entries(filter, after, PAGE);
    const last = page.at(-1);
    if (!last) return;
    yield page;
    after = last.taskId;
  }
}
