import { existsSync, statSync } from 'node:fs';
import { type Check, examine, type Finding, passed } from '../../core/findings.ts';
import { bytes } from '../../core/units.ts';
import { openJournalReader } from './journal/journal-reader.ts';

const DAY_S = 86_400;

/** How much the journal of file effects remembers, and for how long. */
export function examineJournal(file: string, { retention_s: retentionS }: { readonly retention_s: number }): Promise<Check[]> {
  return examine('Journal', [
    { title: 'file effects', look: () => journal(file, retentionS), todo: 'start a worker of this version, and look at the disk of the data directory' },
  ]);
}

function journal(file: string, retentionS: number): Finding {
  if (!existsSync(file)) return passed('none yet: no file task has run here');
  using reader = openJournalReader(file);
  const { success, failure, open } = reader.counts();
  const kept = `${success + failure + open} attempts in ${bytes(statSync(file).size)}`;
  return passed(`${kept}, answers and undo for ${Math.floor(retentionS / DAY_S)} days; of ${reader.trimmedTasks()} older tasks that they are done`);
}
