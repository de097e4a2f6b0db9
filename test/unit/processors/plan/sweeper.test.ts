import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createPlanSweeper } from '../../../../processors/plan/sweeper.ts';
import { createPlanJournal } from '../../../../src/adapters/sqlite/plan-journal/plan-journal.ts';
import { systemClock } from '../../../../src/core/clock.ts';
import { sha256Hex } from '../../../../src/core/hash.ts';
import { deferred } from '../../../conformance/deferred.ts';
import { wishAt } from '../../../support/wishes.ts';

const none = async (ids: readonly string[]) => ids.map(() => false);
const all = async (ids: readonly string[]) => ids.map(() => true);

it('puts a plan back on the queue whose last change lies hours ahead, because a clock was wrong', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'writ-sweeper-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  await using journal = createPlanJournal({ directory });
  await journal.start();
  const planSha256 = sha256Hex('plan');
  await journal.begin({ planSha256, envelope: '{"ahead":true}', lease: 'lease', wish: wishAt() }, systemClock.now() + 7_200_000);
  const added = deferred<string>();
  const jobs = { exists: none, failed: none, run: async (id: string) => added.resolve(id) };
  await using sweeper = createPlanSweeper({ journal, jobs, clock: systemClock, everyMs: 1, onError: (error) => added.resolve(String(error)) });
  await sweeper.start();
  expect(await added.promise).toBe(planSha256);
});

it('runs the failed job of a plan that runs again, as Redis has it that came back as it was before a retry; the rarer the oftener it fails', async () => {
  const planSha256 = sha256Hex('plan');
  const plan = { planSha256, lease: 'lease', envelope: '{"retried":true}', end: undefined, losses: 0, entries: 0, voided: 0, generation: 1 };
  const ran: [string, unknown][] = [];
  let now = 0;
  let swept = deferred();
  const sweeper = createPlanSweeper({
    journal: {
      // The second page is that of plans whose last change lies ahead.
      running: async (_since, _limit, after) => {
        if (after !== undefined) swept.resolve();
        return after === undefined ? [{ planSha256, changedAt: 0 }] : [];
      },
      record: async () => plan,
      note: async () => true,
    },
    jobs: { exists: all, failed: all, run: async (id, { envelope }) => void ran.push([id, envelope]) },
    clock: { now: () => now, monotonic: () => now },
    everyMs: 5,
    onError: (error) => void ran.push(['error', error]),
  });
  await sweeper.start();
  const ranAt: number[] = [];
  for (now = 5; now < 100; now += 5) {
    const before = ran.length;
    for (let sweep = 0; sweep < 2; sweep += 1) {
      swept = deferred();
      await swept.promise;
    }
    if (ran.length > before) ranAt.push(now);
  }
  await sweeper.stop();
  expect(ran[0]).toEqual([planSha256, { retried: true }]);
  expect(ranAt).toEqual([5, 10, 20, 40, 80]);
});
