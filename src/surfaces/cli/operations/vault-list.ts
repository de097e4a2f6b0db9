import type { VaultEntry } from '../../../core/ports/index.ts';
import type { Call } from '../command.ts';
import type { CliServices } from '../services.ts';
import { table } from '../text/table.ts';
import { bytes, counted, duration } from '../text/values.ts';
import { vaultPages } from './vault-pages.ts';

export interface ListFlags {
  readonly base?: string;
}

const COLUMNS = [{ title: 'task' }, { title: 'deleted', align: 'right' }, { title: 'size', align: 'right' }, { title: 'file' }] as const;

/** `writ vault list`: what a delete has put aside. With --json a stream, because a vault may be large. */
export async function runVaultList(call: Call, flags: ListFlags): Promise<number> {
  const services = await call.services();
  const vault = await services.vault();
  const now = call.clock.now();
  let files = 0;
  let size = 0;
  for await (const page of vaultPages(vault, flags.base === undefined ? {} : { base: flags.base })) {
    for (const entry of page) {
      files += 1;
      size += entry.bytes;
      await call.output.line(lineOf(entry, services));
    }
    if (!call.output.json) {
      const rows = page.map((entry) => [
        entry.taskId,
        `${duration(now - entry.since)} ago`,
        bytes(entry.bytes),
        services.showPath(entry.original.base, entry.original.segments),
      ]);
      await call.output.answer({}, () => table(COLUMNS, rows));
    }
  }
  await call.output.answer({ summary: { files, bytes: size } }, () => `${counted(files, 'file')}, ${bytes(size)}`);
  return 0;
}

/** One entry in JSON. */
export function lineOf(entry: VaultEntry, services: Pick<CliServices, 'showPath'>): object {
  return {
    base: entry.base,
    name: entry.name,
    task_id: entry.taskId,
    file: services.showPath(entry.original.base, entry.original.segments),
    bytes: entry.bytes,
    since: new Date(entry.since).toISOString(),
  };
}
