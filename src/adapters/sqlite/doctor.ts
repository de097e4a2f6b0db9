import { statSync } from 'node:fs';
import { type Check, examine, type Finding, passed, warning } from '../../core/findings.ts';
import type { Json } from '../../core/json.ts';
import { bytes } from '../../core/units.ts';
import { isThere } from '../files/is-there.ts';
import { openJournalReader } from './journal/journal-reader.ts';

const DAY_S = 86_400;

/** How much the journal of file effects remembers, and for how long; and which incidents nobody has decided about. */
export function examineJournal(file: string, { retention_s: retentionS }: { readonly retention_s: number }): Promise<Check[]> {
  return examine('Journal', [
    { title: 'incidents', look: () => incidents(file), todo: 'start a worker of this version, and look at the disk of the data directory' },
    { title: 'file effects', look: () => journal(file, retentionS), todo: 'start a worker of this version, and look at the disk of the data directory' },
  ]);
}

/** So many are told of by name. */
const MAX_TOLD = 5;
const MAX_COUNTED = 1000;

/** What a person has to look at, until somebody has tried the task again under a new lease. */
function incidents(file: string): Finding {
  if (!isThere(file)) return passed('none');
  using reader = openJournalReader(file);
  const open = reader.openIncidents(MAX_COUNTED);
  if (open.length === 0) return passed('none is open');
  const told = open.slice(0, MAX_TOLD).map(({ taskId, what, at, details }) => `${taskId} (${new Date(at).toISOString()}): ${what}${copyIn(details)}`);
  const found = `${open.length === MAX_COUNTED ? `${MAX_COUNTED} or more` : open.length} open; the newest: ${told.join('; ')}`;
  return warning(found, 'look at source and destination (the runbook WritRecoveryIncident), then `writ retry <task_id> --regrant`, or leave it');
}

/** Where a withdrawn copy lies, as base/path. */
function copyIn(details: Json): string {
  const place: unknown = typeof details === 'object' && details !== null ? Reflect.get(details, 'withdrawn') : undefined;
  if (typeof place !== 'object' || place === null) return '';
  return ` [${String(Reflect.get(place, 'base'))}/${String(Reflect.get(place, 'path'))}]`;
}

function journal(file: string, retentionS: number): Finding {
  if (!isThere(file)) return passed('none yet: no file task has run here');
  using reader = openJournalReader(file);
  const { success, failure, open } = reader.counts();
  const kept = `${success + failure + open} attempts in ${bytes(statSync(file).size)}`;
  return passed(`${kept}, answers and undo for ${Math.floor(retentionS / DAY_S)} days; of ${reader.trimmedTasks()} older tasks that they are done`);
}
