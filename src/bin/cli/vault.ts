import { existsSync } from 'node:fs';
import { createConfinedFileSystem } from '../../adapters/linux/confined-fs/index.ts';
import { createInProcessJournal } from '../../adapters/sqlite/journal/journal-in-process.ts';
import { openJournalReader } from '../../adapters/sqlite/journal/journal-reader.ts';
import { VAULT_DIRECTORY } from '../../contracts/index.ts';
import { isWritError, WritError } from '../../core/errors.ts';
import type { AuditLog, ConfinedBase, FileJournal, OperatorAction, VaultEntry } from '../../core/ports/index.ts';
import type { PurgeAnswer, Vault } from '../../core/ports/vault.ts';
import { whoAsks } from './audit.ts';
import type { CliSettings } from './settings.ts';

/** The vaults of this host, through its journal and the confined file system. */
export function openVault(settings: CliSettings, audit: () => Promise<AuditLog>): Vault & AsyncDisposable {
  const { places } = settings;
  if (!existsSync(places.journal)) {
    throw new WritError('NOT_FOUND', `there is no journal in ${places.dataDir}: no file task has run here yet, so no vault holds anything`);
  }
  const reader = openJournalReader(places.journal);
  return {
    entries: async (filter, after, limit) => reader.vaultEntries(filter, after, limit),
    usage: async () => reader.vaultUsage(),
    purge: async (entries, by) => purge(entries, by, settings, await audit()),
    [Symbol.asyncDispose]: async () => reader.close(),
  };
}

/**
 * Removes files from the vault. The order is what makes it safe beside running workers: an entry that an open attempt
 * wants back is left alone; its audit record is durable first; a file that an undo takes out in between is simply gone,
 * and an undo that comes a moment late fails with "source does not exist" and can start nothing. The entry goes last, so
 * that a purge that was broken off is finished by the next one.
 */
async function purge(entries: readonly VaultEntry[], by: { olderThanS: number }, settings: CliSettings, audit: AuditLog): Promise<readonly PurgeAnswer[]> {
  const { loaded, places } = settings;
  const { base_directories: directories, confinement, filesystems } = loaded.config.file;
  const fileSystem = createConfinedFileSystem({ level: confinement, allowedFilesystems: [...filesystems] });
  const journal = createInProcessJournal({ file: places.journal });
  await journal.start();
  const bases = new Map<string, ConfinedBase>();
  try {
    const wanted = await wantedBack(journal);
    const free = entries.filter((entry) => !wanted.has(placeOf(entry)));
    await record(
      audit,
      free.map((entry) => actionOf(entry, by, 'asked')),
    );
    const answers: PurgeAnswer[] = [];
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
    await record(
      audit,
      answers.map((answer) => actionOf(answer.entry, by, answer.what === 'failed' ? 'refused' : 'done', answer)),
    );
    return [...entries.filter((entry) => wanted.has(placeOf(entry))).map(inUse), ...answers];
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

function inUse(entry: VaultEntry): PurgeAnswer {
  return { entry, what: 'in-use', why: 'an unfinished task wants it' };
}

/** Together, so that a page of files costs a few writes and not one for each. */
async function record(audit: AuditLog, actions: readonly OperatorAction[]): Promise<void> {
  await Promise.all(actions.map((action) => audit.append(action)));
}

function actionOf(entry: VaultEntry, by: { olderThanS: number }, outcome: OperatorAction['outcome'], answer?: PurgeAnswer): OperatorAction {
  const { base, name, original, bytes, since, taskId } = entry;
  const facts = { base, name, path: original.segments.join('/'), bytes, since: new Date(since).toISOString(), older_than_s: by.olderThanS };
  const detail = answer === undefined ? facts : { ...facts, answer: answer.what, ...(answer.why === undefined ? {} : { why: answer.why }) };
  return { surface: 'cli', who: whoAsks(), action: 'vault.purge', subject: taskId, outcome, detail };
}
