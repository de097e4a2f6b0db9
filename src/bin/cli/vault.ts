import { isThere } from '../../adapters/files/is-there.ts';
import { createConfinedFileSystem } from '../../adapters/linux/confined-fs/index.ts';
import { createInProcessJournal } from '../../adapters/sqlite/journal/journal-in-process.ts';
import { openJournalReader } from '../../adapters/sqlite/journal/journal-reader.ts';
import { WritError } from '../../core/errors.ts';
import type { AuditLog } from '../../core/ports/index.ts';
import type { Vault } from '../../core/ports/vault.ts';
import { currentUser } from '../../data-dir/open-audit.ts';
import { purgeVault } from '../../executors/file/index.ts';
import type { CliSettings } from './settings.ts';

/** The vaults of this host, through its journal and the confined file system. */
export function openVault({ places, loaded }: CliSettings, audit: () => Promise<AuditLog>): Vault & AsyncDisposable {
  if (!isThere(places.journal)) {
    throw new WritError('NOT_FOUND', `there is no journal in ${places.dataDir}: no file task has run here yet, so no vault holds anything`);
  }
  const { base_directories: directories, confinement: level, filesystems } = loaded.config.file;
  const reader = openJournalReader(places.journal);
  return {
    entries: async (filter, after, limit) => reader.vaultEntries(filter, after, limit),
    bases: async () => [...Object.keys(directories), ...reader.vaultUsage().map(({ base }) => base)],
    usage: async () => reader.vaultUsage(),
    async purge(entries, { olderThanS }) {
      await using journal = createInProcessJournal({ file: places.journal });
      await journal.start();
      const fileSystem = createConfinedFileSystem({ level, allowedFilesystems: [...filesystems] });
      return await purgeVault(entries, { fileSystem, journal, audit: await audit(), directories, who: currentUser(), olderThanS });
    },
    [Symbol.asyncDispose]: async () => reader.close(),
  };
}
