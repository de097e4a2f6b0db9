import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openJournalDatabase } from '../../src/adapters/sqlite/journal/journal-open.ts';
import { patient } from '../support/patience.ts';
import type { Field } from './field.ts';

const QUIET_MS = patient(30_000);
const LOOK_MS = 200;

/** After the last case: nothing is under way, nothing is left over, and everything still is as it was judged. */
export async function judgeTheEnd(field: Field): Promise<void> {
  await untilQuiet(field);
  field.expectations.check();
  await compareAnswers(field);
  judgeJournal(field);
  for (const base of [field.rig.base, field.rig.otherBase]) judgeTemporaries(field, base);
  const lines = readFileSync(field.workerLog, 'utf8').split('\n');
  for (const line of lines) if (line.includes('"end":"crashed"')) field.counts.event('crashedDeliveries');
}

/** Stale jobs of a restored snapshot may still be under way. */
async function untilQuiet({ rig, counts }: Field): Promise<void> {
  const redis = await rig.redis.client();
  const end = performance.now() + QUIET_MS;
  for (;;) {
    const [waiting, active, delayed] = await Promise.all([
      redis.llen('{writ}:file:wait'),
      redis.llen('{writ}:file:active'),
      redis.zcard('{writ}:file:delayed'),
    ]);
    if (waiting + active + delayed === 0) return;
    if (performance.now() > end)
      return counts.violation('lost', `${waiting} jobs wait, ${active} are active, ${delayed} delayed, although every task has ended`);
    await delay(LOOK_MS);
  }
}

/** The answers of all tasks, once more: a SUCCESS is the same text for ever. */
async function compareAnswers({ rig, tickets, counts }: Field): Promise<void> {
  for (const { manifest, answer } of tickets.answered) {
    const row = await rig.ledger.row(manifest.task_id);
    if (row?.result === undefined || answer === undefined || !answer.includes('"status":"SUCCESS"')) continue;
    if (row.result !== answer) counts.violation('wrong', `${manifest.task_id}: answered ${answer}, in the end ${row.result}`);
  }
}

function judgeJournal({ rig, counts, tickets }: Field): void {
  const db = openJournalDatabase(rig.places.journal, (opened) => opened, { readonly: true });
  try {
    const open = db.prepare<[], { task_id: string }>("SELECT task_id FROM attempt WHERE state = 'open'").all();
    for (const { task_id: taskId } of open) counts.violation('leftover', `${taskId}: an attempt is open`);
    const results = new Map(
      db
        .prepare<[], { task_id: string; result: string }>("SELECT task_id, result FROM attempt WHERE state = 'success'")
        .all()
        .map((row) => [row.task_id, row.result]),
    );
    for (const { manifest, answer } of tickets.answered) {
      if (answer?.includes('"status":"SUCCESS"') && results.get(manifest.task_id) !== answer) {
        counts.violation('wrong', `${manifest.task_id}: answered ${answer}, the journal says ${results.get(manifest.task_id)}`);
      }
    }
  } finally {
    db.close();
  }
}

function judgeTemporaries({ counts, movedDirectories }: Field, base: string): void {
  for (const entry of readdirSync(base, { recursive: true, encoding: 'utf8' })) {
    if (!path.basename(entry).startsWith('.writ-tmp-')) continue;
    const found = path.join(base, entry);
    // The worker was killed between taking its copy back and removing it, and no name leads there any more.
    if (movedDirectories.has(path.dirname(found))) counts.event('stranded');
    else counts.violation('leftover', found);
  }
}
