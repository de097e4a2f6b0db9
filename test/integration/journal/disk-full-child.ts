import { rmSync } from 'node:fs';
import path from 'node:path';
import { createFileJournal } from '../../../src/adapters/sqlite/journal/journal.ts';
import { isWritError } from '../../../src/core/errors.ts';
import { moveIntent, succeeded } from '../../conformance/journal-fixtures.ts';
import { fillDisk, mountSmallDisk } from '../../support/small-disk.ts';

/** Runs in a mount namespace of its own: fills a file system of 1 MiB under a journal, makes room, and goes on. */
const directory = process.argv[2] ?? '';
mountSmallDisk(directory, { bytes: 1 * 2 ** 20, command: 'npm test' });

const file = path.join(directory, 'journal.db');
const filler = path.join(directory, 'filler');
const journal = createFileJournal({ file });
await journal.start();
await journal.open(moveIntent('before'), undefined, 1);
await journal.close('before', 1, succeeded(), 2);
fillDisk(filler);

/** Batches of ten with large results, until the disk is full. */
const stood: string[] = [];
const rejected: string[] = [];
const codes = new Set<string>();
for (let i = 0; rejected.length === 0; i += 1) {
  const ids = Array.from({ length: 10 }, (_, k) => `t${i}-${k}`);
  const answers = await Promise.allSettled(ids.map((taskId) => journal.open(moveIntent(taskId), undefined, 1)));
  for (const [k, answer] of answers.entries()) {
    (answer.status === 'fulfilled' ? stood : rejected).push(ids[k] ?? '');
    if (answer.status === 'rejected') codes.add(isWritError(answer.reason) ? answer.reason.code : String(answer.reason));
  }
}
const [readBeside, writeBeside] = await Promise.allSettled([journal.view('before'), journal.open(moveIntent('beside'), undefined, 1)]);
rmSync(filler);
const [retried = ''] = rejected;
const afterRoom = await journal.open(moveIntent(retried), undefined, 3);
await journal.stop();
await journal.start();
const report = {
  codes: [...codes],
  readBeside: readBeside.status,
  writeBeside: writeBeside.status,
  afterRoom,
  stood: await attemptsOf(stood),
  rejected: await attemptsOf(rejected.slice(1)),
  before: (await journal.view('before')).success?.result,
};
await journal.stop();
process.stdout.write(`${JSON.stringify(report)}\n`);

async function attemptsOf(ids: readonly string[]): Promise<number[]> {
  return [...new Set(await Promise.all(ids.map(async (taskId) => (await journal.view(taskId)).attempts)))];
}
