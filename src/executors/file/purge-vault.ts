import { VAULT_DIRECTORY } from '../../contracts/index.ts';
import { isWritError } from '../../core/errors.ts';
import type { AuditLog, ConfinedBase, ConfinedFileSystem, FileJournal, OperatorAction, PurgeAnswer, VaultEntry } from '../../core/ports/index.ts';

/** What removing files from vaults needs. */
export interface VaultPurge {
  readonly fileSystem: ConfinedFileSystem;
  /** Started. */
  readonly journal: FileJournal;
  readonly audit: AuditLog;
  /** Paths of the base directories by their id. */
  readonly directories: Readonly<Record<string, string>>;
  /** For the audit log: who asks, and for files how old. */
  readonly who: string;
  readonly olderThanS: number;
}

/**
 * Removes files from the vault. The order is what makes it safe beside running workers: an entry that an open attempt
 * wants back is left alone; its audit record is durable first; a file that an undo takes out in between is simply gone,
 * and an undo that comes a moment late fails with "source does not exist" and can start nothing. The entry goes last, so
 * that a purge that was broken off is finished by the next one.
 */
export async function purgeVault(entries: readonly VaultEntry[], purge: VaultPurge): Promise<readonly PurgeAnswer[]> {
  const { journal, audit } = purge;
  const wanted = await wantedBack(journal);
  const free = entries.filter((entry) => !wanted.has(placeOf(entry)));
  await record(
    audit,
    free.map((entry) => actionOf(entry, purge, 'asked')),
  );
  const answers = await removeAll(free, purge);
  await record(
    audit,
    answers.map((answer) => actionOf(answer.entry, purge, answer.what === 'failed' ? 'refused' : 'done', answer)),
  );
  return [...entries.filter((entry) => wanted.has(placeOf(entry))).map(inUse), ...answers];
}

async function removeAll(entries: readonly VaultEntry[], { fileSystem, journal, directories }: VaultPurge): Promise<readonly PurgeAnswer[]> {
  const bases = new Map<string, ConfinedBase>();
  const answers: PurgeAnswer[] = [];
  try {
    for (const entry of entries) {
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

function actionOf(entry: VaultEntry, { who, olderThanS }: VaultPurge, outcome: OperatorAction['outcome'], answer?: PurgeAnswer): OperatorAction {
  const { base, name, original, bytes, since, taskId } = entry;
  const facts = { base, name, path: original.segments.join('/'), bytes, since: new Date(since).toISOString(), older_than_s: olderThanS };
  const detail = answer === undefined ? facts : { ...facts, answer: answer.what, ...(answer.why === undefined ? {} : { why: answer.why }) };
  return { surface: 'cli', who, action: 'vault.purge', subject: taskId, outcome, detail };
}
