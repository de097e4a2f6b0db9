import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { createFileJournal } from '../../../src/adapters/sqlite/journal/journal.ts';
import { manifestSha256 } from '../../../src/core/hash.ts';
import { moveIntent, succeeded } from '../../conformance/journal-fixtures.ts';
import { lookAgain } from '../../support/look-again.ts';
import { PATIENCE_MS } from '../../support/patience.ts';
import { manifestOf, startRig } from '../../support/rig.ts';

const REMEMBERED = 3000;

it('goes on after FLUSHALL: what was done is answered by the journal, with the same bytes, and every row comes back', {
  tags: ['FE-37', 'FE-39'],
}, async () => {
  await using rig = await startRig();
  const journal = createFileJournal({ file: rig.places.journal });
  await journal.start();
  await Promise.all(
    Array.from({ length: REMEMBERED }, async (_, i) => {
      const taskId = `remembered-${i}`;
      await journal.open(moveIntent(taskId), undefined, Date.now());
      await journal.close(taskId, 1, succeeded(`result of ${taskId}`), Date.now());
    }),
  );
  await journal.stop();
  await rig.startWorker();

  const order = (name: string) => {
    const source = path.join(rig.base, `${name}.txt`);
    writeFileSync(source, name);
    return { source, manifest: manifestOf('FILE_MOVE', source, `${source}.moved`) };
  };
  const before = order('before');
  const lease = await rig.lease(before.manifest);
  await rig.push(before.manifest, { lease });
  await rig.answer(before.manifest.task_id);
  const first = (await rig.ledger.row(before.manifest.task_id))?.result ?? '';

  await rig.redis.flushAll();
  // A file has come to the same place: only the journal knows that it is not the task's.
  writeFileSync(before.source, 'another');
  const after = order('after');
  await rig.push(before.manifest, { lease });
  await rig.push(after.manifest);
  expect((await rig.answer(after.manifest.task_id)).status).toBe('SUCCESS');
  expect((await rig.answer(before.manifest.task_id)).status).toBe('SUCCESS');
  expect((await rig.ledger.row(before.manifest.task_id))?.result).toBe(first);
  expect(await rig.verify(before.manifest, first)).toBe(true);
  expect(existsSync(before.source)).toBe(true);
  expect((await rig.ledger.row(after.manifest.task_id))?.manifestSha256).toBe(manifestSha256(after.manifest));

  const redis = await rig.redis.client();
  await lookAgain({
    look: async () => ((await redis.dbsize()) > REMEMBERED && (await rig.ledger.row('remembered-999')) !== undefined ? true : undefined),
    timeoutMs: PATIENCE_MS,
    failure: () => 'rows are missing',
  });
  for (const i of [0, 1, REMEMBERED - 1]) expect((await rig.ledger.row(`remembered-${i}`))?.result).toBe(`result of remembered-${i}`);
});
