import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createPlanSweeper } from '../../../../processors/plan/sweeper.ts';
import { createPlanJournal } from '../../../../src/adapters/sqlite/plan-journal/plan-journal.ts';
import { systemClock } from '../../../../src/core/clock.ts';
import { sha256Hex } from '../../../../src/core/hash.ts';
import { deferred } from '../../../conformance/deferred.ts';

it('puts a plan back on the queue whose last change lies hours ahead, because a clock was wrong', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'writ-sweeper-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  await using journal = createPlanJournal({ directory });
  await journal.start();
  const planSha256 = sha256Hex('plan');
  await journal.begin({ planSha256, envelope: '{"ahead":true}', lease: 'lease' }, systemClock.now() + 7_200_000);
  const added = deferred<string>();
  const jobs = { exists: async (ids: readonly string[]) => ids.map(() => false), add: async (id: string) => added.resolve(id) };
  await using sweeper = createPlanSweeper({ journal, jobs, clock: systemClock, everyMs: 1, onError: (error) => added.resolve(String(error)) });
  await sweeper.start();
  expect(await added.promise).toBe(planSha256);
});
