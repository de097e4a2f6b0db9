import { expect, it } from 'vitest';
import { writeFailedJobs } from '../../support/failed-jobs.ts';
import { startTestRedis } from '../../support/redis.ts';
import { allRows, eventually, fastFeed } from '../../support/task-feed.ts';
import { temporaryIndex } from '../../support/task-index.ts';

/** `npm run test:long -- task-index` does it with 100,000. */
const JOBS = 10_000;

it('lists thousands of failed jobs in pages, each once, newest first', async () => {
  await using server = await startTestRedis();
  await using under = await temporaryIndex();
  const { index } = under;
  const redis = await server.client();
  await writeFailedJobs(redis, JOBS);
  const feed = fastFeed(redis, index);
  await feed.start();
  await eventually('all rows', () => index.health().state === 'following' && index.health().tasks === JOBS);
  const rows = await allRows(index, { state: 'failure' });
  expect(rows.map(({ task_id }) => task_id)).toEqual(Array.from({ length: JOBS }, (_, n) => `failed-${JOBS - 1 - n}`));
  expect(await allRows(index, { state: 'failure', error_code: 'LEASE_EXPIRED', path: '/in/7' })).toHaveLength(JOBS / 100);
  await feed.stop();
});
