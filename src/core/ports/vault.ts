import type { VaultCursor, VaultEntry } from './journal.ts';

/** Files that were put aside: deleted, retired and withdrawn. Removing one is final; callers have asked a person. */
export interface Vault {
  entries(filter: { base?: string; before?: number }, after: VaultCursor | undefined, limit: number): Promise<readonly VaultEntry[]>;
  /** Ids of the base directories that are configured, or of which the journal knows. */
  bases(): Promise<readonly string[]>;
  usage(): Promise<readonly { readonly base: string; readonly bytes: number; readonly files: number }[]>;
  /** Writes the audit line, then removes the file, then the entry, so that nothing leaves without a trace. */
  purge(entries: readonly VaultEntry[], by: { readonly olderThanS: number; readonly now: number }): Promise<readonly PurgeAnswer[]>;
}

/** `in-use`: an unfinished task wants the file back. `gone`: the file had left the vault already. */
export interface PurgeAnswer {
  readonly entry: VaultEntry;
  readonly what: 'purged' | 'in-use' | 'gone' | 'failed';
  readonly why?: string;
}
