/** Names of ours inside other people's directories begin with this. */
export const RESERVED_PREFIX = '.writ-';
export const VAULT_DIRECTORY = '.writ-vault';
export const TEMP_PREFIX = '.writ-tmp-';

/**
 * Whether a single path component is reserved for Writ: compared after NFC and case folding, so that
 * `.WRIT-vault` on a case-insensitive directory does not open the vault. Upper then lower casing over-matches
 * (dotless i), which is the safe side.
 */
export function isReservedName(component: string): boolean {
  return component.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC').startsWith(RESERVED_PREFIX);
}
