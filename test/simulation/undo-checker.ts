import type { JsonObject } from '../../src/core/json.ts';
import type { PlanRecord } from '../../src/core/ports/index.ts';
import { landingsOf, stoodAt } from './landings.ts';
import type { Parts } from './parts.ts';
import { planRecord } from './plan-record.ts';
import type { PlanTicket } from './plan-tickets.ts';
import { attemptsOf, fileSteps, hasSucceeded, keptOf, succeededAt } from './step-checker.ts';

/**
 * What a history must show of the undo of a plan: it ends, each file is brought back at most once and only when somebody asked,
 * and a SUCCESS has brought back what it says. What a step takes back before its own SUCCESS is told is part of that step, and
 * no undo; what a step of the undo takes back before its SUCCESS is no effect of the undo.
 */
export function checkUndo(parts: Parts, ticket: PlanTicket): void {
  const { checker, host, undos, reached } = parts;
  const { planSha256, files, index } = ticket;
  const undoId = undos.get(planSha256);
  const record = undoId === undefined ? undefined : planRecord(host.stores, undoId);
  for (const file of files.keys()) checkFile(parts, ticket, file, undoId);
  if (undoId === undefined || record === undefined) return;
  if (record.end === undefined) {
    checker.violate('everything ends', `the undo of plan-${index} has no end in its journal`);
    return;
  }
  reached.add(`undo:${record.end.status}`);
  if (record.end.status !== 'SUCCESS') return;
  const entries = keptOf(parts, undoId);
  for (const [at, path] of takenBack(record).entries()) {
    if (!attemptsOf(entries, at).some((entry) => !entry.voided && hasSucceeded(entry)))
      checker.violate('effect if and only if SUCCESS', `the undo of plan-${index} succeeded without bringing back ${path}`);
  }
}

function checkFile(parts: Parts, ticket: PlanTicket, file: number, undoId: string | undefined): void {
  const { checker, disk, host } = parts;
  const { planSha256, files, index } = ticket;
  const { source = '', content = '' } = files[file] ?? {};
  const name = `file ${file} of plan-${index}`;
  const moved = succeededAt(parts, attemptsOf(keptOf(parts, planSha256), fileSteps(ticket)[file] ?? -1));
  const backs = landingsOf(disk, source, content).filter(({ at }) => moved !== undefined && at > moved);
  if (backs.length > 0 && undoId === undefined) checker.violate('nothing is invented', `${name} was brought back, and nobody asked`);
  const record = undoId === undefined ? undefined : planRecord(host.stores, undoId);
  if (undoId === undefined || record === undefined) return;
  const step = takenBack(record).indexOf(source);
  const told = succeededAt(parts, attemptsOf(keptOf(parts, undoId), step));
  const kept = backs.filter(({ goneAt }) => goneAt === undefined || (told !== undefined && goneAt > told));
  if (kept.length > 1) checker.violate('at most one effect', `${name} was brought back ${kept.length} times`);
  if (told !== undefined && !backs.some((landing) => stoodAt(landing, told)))
    checker.violate('effect if and only if SUCCESS', `the undo of plan-${index} has not brought back ${source}`);
}

/** Where the steps of an undo put their files. */
function takenBack(record: PlanRecord): readonly unknown[] {
  const envelope = JSON.parse(String(Reflect.get(record, 'envelope'))) as { payload: { steps: readonly { params: JsonObject }[] } };
  return envelope.payload.steps.map(({ params }) => params['destination_path']);
}
