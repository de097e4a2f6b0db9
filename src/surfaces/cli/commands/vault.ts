import { WritError } from '../../../core/errors.ts';
import type { PurgeAnswer, Vault } from '../../../core/ports/task-gateway.ts';
import type { Call } from '../command.ts';
import { bytes, counted, parseSeconds } from '../text/values.ts';
import { lineOf } from './vault-list.ts';
import { vaultPages } from './vault-pages.ts';

export interface PurgeFlags {
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
export async function runVaultPurge(call: Call, flags: PurgeFlags): Promise<number> {
  const olderThanS = parseSeconds(flags.olderThan, '--older-than');
  const now = call.clock.now();
  const filter = { before: now - olderThanS * 1000, ...(flags.base === undefined ? {} : { base: flags.base }) };
  const services = await call.services();
  const vault = await services.vault();
  if (flags.confirm !== true) throw await unconfirmed(vault, filter);

  const summary: PurgeSummary = { purged: 0, bytes: 0, in_use: 0, gone: 0, failed: 0 };
  for await (const page of vaultPages(vault, filter)) {
    for (const answer of await vault.purge(page, { olderThanS, now })) {
      count(summary, answer);
      await call.output.line({ ...lineOf(answer.entry, services), answer: answer.what, ...(answer.why === undefined ? {} : { why: answer.why }) });
      if (answer.what === 'failed' || answer.what === 'in-use')
        call.output.note(`${answer.entry.base}/${answer.entry.name}: ${answer.what}: ${answer.why ?? ''}`);
    }
    if (call.interrupted().aborted) break;
  }
  await call.output.answer(
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
