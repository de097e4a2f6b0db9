import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createPlanSweeper } from '../../../processors/plan/sweeper.ts';
import { createPlanJobs, planJobId } from '../../../queues/plan-jobs.ts';
import { createPlanJournal } from '../../../src/adapters/sqlite/plan-journal/plan-journal.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { sha256Hex } from '../../../src/core/hash.ts';
import type { PlanJournal } from '../../../src/core/ports/index.ts';
import { deferred } from '../../conformance/deferred.ts';
import { commandCount, startTestRedis } from '../../support/redis.ts';
import { wishAt } from '../../support/wishes.ts';

/** More than one page of the sweeper's. */
const PLANS = 1200;
const SWEEPS = 3;

it('looks for the jobs of all parked plans by their ids, by one command where none is lost, and reads no envelope but that of a plan whose job is lost', async () => {
  await using server = await startTestRedis();
  const directory = mkdtempSync(join(tmpdir(), 'writ-sweeper-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  await using journal = createPlanJournal({ directory });
  await journal.start();
  const jobs = createPlanJobs({ connection: await server.client('worker'), pool: 'default' });
  const plans = Array.from({ length: PLANS }, (_, i) => sha256Hex(`plan ${i}`));
  await Promise.all(
    plans.map(async (planSha256) => {
      await journal.begin({ planSha256, envelope: '{"parked":true}', lease: 'lease', wish: wishAt() }, 1);
      await jobs.add(planSha256, { v: 1, envelope: { parked: true }, lease: 'lease' });
    }),
  );
  // Both pages have one of them.
  const inOrder = [...plans].sort();
  const lost = [inOrder[3], inOrder[PLANS - 3]].filter((id) => id !== undefined);
  const redis = await server.client();
  for (const id of lost) await redis.del(`{writ}:plan:${planJobId(id)}`);

  const read: string[] = [];
  const looked = new Map<string, number>();
  const swept = deferred();
  const errors: unknown[] = [];
  const counting: Pick<PlanJournal, 'running' | 'record' | 'note'> = {
    running: (...args) => journal.running(...args),
    note: (...args) => journal.note(...args),
    record(planSha256) {
      read.push(planSha256);
      return journal.record(planSha256);
    },
  };
  const sweeper = createPlanSweeper({
    journal: counting,
    jobs: {
      run: (...args) => jobs.run(...args),
      failed: (ids) => jobs.failed(ids),
      async exists(ids) {
        const there = await jobs.exists(ids);
        for (const id of ids) looked.set(id, (looked.get(id) ?? 0) + 1);
        if ((looked.get(inOrder[PLANS - 1] ?? '') ?? 0) > SWEEPS) swept.resolve();
        return there;
      },
    },
    clock: systemClock,
    everyMs: 1,
    onError(error) {
      errors.push(error);
      swept.resolve();
    },
  });
  await sweeper.start();
  await swept.promise;
  await sweeper.stop();
  await redis.config('RESETSTAT');
  expect(await jobs.exists(plans)).not.toContain(false);
  expect(commandCount(await redis.info('commandstats'), 'exists')).toBe(1);
  await jobs.close();

  expect(errors).toEqual([]);
  expect(looked.size).toBe(PLANS);
  expect(read.sort()).toEqual(lost.sort());
  expect(await redis.hget(`{writ}:plan:${planJobId(lost[0] ?? '')}`, 'data')).toBe('{"v":1,"envelope":{"parked":true},"lease":"lease"}');
});
