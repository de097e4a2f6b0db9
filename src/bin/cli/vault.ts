import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import os from 'node:os';
import { createConfinedFileSystem } from '../../adapters/linux/confined-fs/index.ts';
import { createInProcessJournal } from '../../adapters/sqlite/journal-in-process.ts';
import { openJournalReader } from '../../adapters/sqlite/journal-reader.ts';
import { VAULT_DIRECTORY } from '../../contracts/index.ts';
import { isWritError, WritError } from '../../core/errors.ts';
import type { PurgeAnswer, VaultDoor } from '../../core/ports/front-door.ts';
import type { ConfinedBase, FileJournal, VaultEntry } from '../../core/ports/index.ts';
import type { CliSettings } from './settings.ts';

/** The vaults of this host, through its journal and the confined file system. */
export function openVault(settings: CliSettings): VaultDoor & AsyncDisposable {
  const { places } = settings;
  if (!existsSync(places.journal)) {
    throw new WritError('NOT_FOUND', `there is no journal in ${places.dataDir}: no file task has run here yet, so no vault holds anything`);
  }
  const reader = openJournalReader(places.journal);
  return {
    entries: async (filter, after, limit) => reader.vaultEntries(filter, after, limit),
    usage: async () => reader.vaultUsage(),
    purge: (entries, by) => purge(entries, by, settings),
    [Symbol.asyncDispose]: async () => reader.close(),
  };
}

/**
 * Removes files from the vault. The order is what makes it safe beside running workers: an entry that an open attempt
 * wants back is left alone; the audit lines are durable first; a file that an undo takes out in between is simply gone,
 * and an undo that comes a moment late fails with "source does not exist" and can start nothing. The entry goes last, so
 * that a purge that was broken off is finished by the next one.
 */
async function purge(entries: readonly VaultEntry[], by: { olderThanS: number; now: number }, settings: CliSettings): Promise<readonly PurgeAnswer[]> {
  const { loaded, places } = settings;
  const { base_directories: directories, confinement, filesystems } = loaded.config.file;
  const fileSystem = createConfinedFileSystem({ level: confinement, allowedFilesystems: [...filesystems] });
  const journal = createInProcessJournal({ file: places.journal });
  await journal.start();
  const bases = new Map<string, ConfinedBase>();
  try {
    const wanted = await wantedBack(journal);
    const free = entries.filter((entry) => !wanted.has(placeOf(entry)));
    await audit(places.audit, free, by);
    const answers: PurgeAnswer[] = entries
      .filter((entry) => wanted.has(placeOf(entry)))
      .map((entry) => ({ entry, what: 'in-use', why: 'an unfinished task wants it' }));
    for (const entry of free) {
      const path = directories[entry.base];
      if (path === undefined) {
        answers.push({ entry, what: 'failed', why: `the base directory '${entry.base}' is not configured any more` });
        continue;
      }
      const base = bases.get(entry.base) ?? (await fileSystem.openBase(entry.base, path));
      bases.set(entry.base, base);
      answers.push(await remove(entry, base, journal));
    }
    return answers;
  } finally {
    for (const base of bases.values()) await base.close();
    await journal.stop();
  }
}

async function remove(entry: VaultEntry, base: ConfinedBase, journal: FileJournal): Promise<PurgeAnswer> {
  const vault = await base.directory([VAULT_DIRECTORY]);
  if (!vault.ok) return { entry, what: 'failed', why: `the vault cannot be opened (${vault.errno})` };
  try {
    const removed = await vault.value.unlink(entry.name);
    if (!removed.ok && removed.refusal !== 'missing') return { entry, what: 'failed', why: removed.errno };
    if (removed.ok) await vault.value.sync();
    await journal.vaultForget(entry.base, entry.name);
    return { entry, what: removed.ok ? 'purged' : 'gone' };
  } catch (error) {
    if (!isWritError(error)) throw error;
    return { entry, what: 'failed', why: error.message };
  } finally {
    await vault.value.close();
  }
}

async function wantedBack(journal: FileJournal): Promise<ReadonlySet<string>> {
  const open = await journal.openAttempts();
  return new Set(
    open.flatMap(({ source }) => (source.segments[0] === VAULT_DIRECTORY ? [placeOf({ base: source.base, name: source.segments.slice(1).join('/') })] : [])),
  );
}

function placeOf({ base, name }: { readonly base: string; readonly name: string }): string {
  return `${base}/${name}`;
}

/** One line per file, durable before the file goes. */
async function audit(file: string, entries: readonly VaultEntry[], { olderThanS, now }: { olderThanS: number; now: number }): Promise<void> {
  if (entries.length === 0) return;
  const by = { user: os.userInfo().username, uid: os.userInfo().uid, pid: process.pid };
  const lines = entries.map(({ base, name, taskId, original, bytes, since }) =>
    JSON.stringify({
      at: new Date(now).toISOString(),
      what: 'vault.purge',
      base,
      name,
      task_id: taskId,
      path: original.segments.join('/'),
      bytes,
      since: new Date(since).toISOString(),
      older_than_s: olderThanS,
      ...by,
    }),
  );
  const handle = await open(file, 'a', 0o600);
  try {
    await handle.appendFile(`${lines.join('\n')}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
