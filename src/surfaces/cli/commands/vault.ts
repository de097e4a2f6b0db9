import { WritError } from '../../../core/errors.ts';
import type { PurgeAnswer, Vault, VaultCursor, VaultEntry } from '../../../core/ports/index.ts';
import { bytes, counted, duration } from '../../../core/units.ts';
import { type CommandContext, command, type Registrar } from '../command.ts';
import type { CliServices } from '../services.ts';
import { table } from '../text/table.ts';
import { parseSeconds } from '../text/values.ts';

export const register: Registrar = (program, deps, exit) => {
  const vault = program
    .command('vault')
    .helpCommand(false)
    .description('files that were put aside: deleted, moved to another file system, and copies that were withdrawn');
  vault
    .command('list')
    .description('show what lies in the vaults')
    .option('--base <id>', 'only the vault of this base directory')
    .action(command<[], ListFlags>(deps, exit, runVaultList));
  vault
    .command('purge')
    .description('remove files of the vaults for good; this cannot be undone and is written to the audit file')
    .requiredOption('--older-than <time>', 'only files that were put aside longer ago, e.g. 30d')
    .option('--base <id>', 'only the vault of this base directory')
    .option('--confirm', 'really do it; without it only what would be removed is shown')
    .action(command<[], PurgeFlags>(deps, exit, runVaultPurge));
};

interface ListFlags {
  readonly base?: string;
}

const COLUMNS = [{ title: 'task' }, { title: 'kind' }, { title: 'since', align: 'right' }, { title: 'size', align: 'right' }, { title: 'file' }] as const;

/** Why a file lies there, by the first letter of its name. */
const KIND: Readonly<Record<string, string>> = { d: 'deleted', r: 'retired', w: 'withdrawn' };

const kindOf = ({ name }: VaultEntry): string => KIND[name.slice(0, 1)] ?? 'unknown';

/** `writ vault list`: what deletes and moves to other file systems have put aside. With --json a stream, because a vault may be large. */
async function runVaultList(context: CommandContext, flags: ListFlags): Promise<number> {
  const services = await context.services();
  const vault = await services.vault();
  const now = context.clock.now();
  let files = 0;
  let size = 0;
  for await (const page of vaultPages(vault, flags.base === undefined ? {} : { base: flags.base })) {
    for (const entry of page) {
      files += 1;
      size += entry.bytes;
      await context.output.line(lineOf(entry, services));
    }
    if (!context.output.json) {
      const rows = page.map((entry) => [
        entry.taskId,
        kindOf(entry),
        `${duration(now - entry.since)} ago`,
        bytes(entry.bytes),
        services.showPath(entry.original.base, entry.original.segments),
      ]);
      await context.output.answer({}, () => table(COLUMNS, rows));
    }
  }
  await context.output.answer({ summary: { files, bytes: size } }, () => `${counted(files, 'file')}, ${bytes(size)}`);
  return 0;
}

/** One entry in JSON. */
function lineOf(entry: VaultEntry, services: Pick<CliServices, 'showPath'>): object {
  return {
    base: entry.base,
    name: entry.name,
    kind: kindOf(entry),
    task_id: entry.taskId,
    file: services.showPath(entry.original.base, entry.original.segments),
    bytes: entry.bytes,
    since: new Date(entry.since).toISOString(),
  };
}

interface PurgeFlags {
  readonly olderThan: string;
  readonly base?: string;
  readonly confirm?: boolean;
}

interface PurgeSummary {
  purged: number;
  bytes: number;
  in_use: number;
  gone: number;
  failed: number;
}

/** `writ vault purge`: the one way in which a deleted file is lost. Asked for by age and confirmed, each time. */
async function runVaultPurge(context: CommandContext, flags: PurgeFlags): Promise<number> {
  const olderThanS = parseSeconds(flags.olderThan, '--older-than');
  const now = context.clock.now();
  const filter = { before: now - olderThanS * 1000, ...(flags.base === undefined ? {} : { base: flags.base }) };
  const services = await context.services();
  const vault = await services.vault();
  if (flags.confirm !== true) throw await unconfirmed(vault, filter);

  const summary: PurgeSummary = { purged: 0, bytes: 0, in_use: 0, gone: 0, failed: 0 };
  for await (const page of vaultPages(vault, filter)) {
    for (const answer of await vault.purge(page, { olderThanS, now })) {
      count(summary, answer);
      await context.output.line({ ...lineOf(answer.entry, services), answer: answer.what, ...(answer.why === undefined ? {} : { why: answer.why }) });
      if (answer.what === 'failed' || answer.what === 'in-use')
        context.output.note(`${answer.entry.base}/${answer.entry.name}: ${answer.what}: ${answer.why ?? ''}`);
    }
    if (context.interrupted().aborted) break;
  }
  await context.output.answer(
    { summary },
    () =>
      `removed ${counted(summary.purged, 'file')} (${bytes(summary.bytes)}) for good${summary.in_use > 0 ? `, kept ${summary.in_use} that a task wants back` : ''}`,
  );
  return summary.failed > 0 ? 1 : 0;
}

function count(summary: PurgeSummary, { what, entry }: PurgeAnswer): void {
  summary[what === 'in-use' ? 'in_use' : what] += 1;
  if (what === 'purged') summary.bytes += entry.bytes;
}

async function unconfirmed(vault: Vault, filter: { base?: string; before: number }): Promise<WritError> {
  let files = 0;
  let size = 0;
  for await (const page of vaultPages(vault, filter)) {
    files += page.length;
    for (const entry of page) size += entry.bytes;
  }
  return new WritError('INVALID_ARGUMENT', `this would remove ${counted(files, 'file')} (${bytes(size)}) for good; add --confirm to do it`);
}

const PAGE = 500;

/**
 * The entries of the vaults, a page at a time, so that a full vault does not fill memory.
 *
 * @throws WritError INVALID_ARGUMENT for a base directory that nobody knows
 */
export async function* vaultPages(vault: Vault, filter: { base?: string; before?: number }): AsyncGenerator<readonly VaultEntry[]> {
  const known = filter.base === undefined ? [] : [...new Set(await vault.bases())].sort();
  if (filter.base !== undefined && !known.includes(filter.base))
    throw new WritError('INVALID_ARGUMENT', `there is no base directory '${filter.base}', only ${known.join(', ') || 'none at all'}`, { field: '--base' });
  let after: VaultCursor | undefined;
  for (;;) {
    const page = await vault.entries(filter, after, PAGE);
    const last = page.at(-1);
    if (!last) return;
    yield page;
    after = last;
  }
}
