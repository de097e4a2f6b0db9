import { parseArgs } from 'node:util';
import { evidencePath, minutesSince, revision, writeEvidence } from '../../../scripts/evidence.ts';
import { writeFailedJobs } from '../../support/failed-jobs.ts';
import { startTestRedis } from '../../support/redis.ts';
import { allRows, eventually, fastFeed } from '../../support/task-feed.ts';
import { temporaryIndex } from '../../support/task-index.ts';

/** Memory that building and listing may gain after the first quarter, MiB: V8's heap breathes. */
const BREATH_MIB = 64;
const PAGE = 500;

/** `npm run test:long -- task-index [--jobs 100000]`: failed jobs are indexed from nothing and listed page by page. */
const { values } = parseArgs({ options: { jobs: { type: 'string', default: '100000' }, evidence: { type: 'string', default: evidencePath('task-index') } } });
const jobs = Number(values.jobs);
const startedAt = new Date();
const commit = revision();
const rssMib = (): number => Math.round(process.memoryUsage().rss / 2 ** 20);

const server = await startTestRedis();
const under = await temporaryIndex();
const redis = await server.client();
await writeFailedJobs(redis, jobs, { padding: 200 });
const feed = fastFeed(redis, under.index);
const begun = performance.now();
await feed.start();
const warm = await eventually('a quarter', () => (under.index.health().tasks >= jobs / 4 ? rssMib() : undefined), 600_000);
await eventually('all rows', () => under.index.health().state === 'following' && under.index.health().tasks === jobs, 600_000);
const buildSeconds = (performance.now() - begun) / 1000;
const built = rssMib();

// Pages are looked at and let go: only their number and their order stay.
let listed = 0;
let slowestPageMs = 0;
let last = '';
let ordered = true;
for (let cursor: string | undefined, more = true; more; ) {
  const asked = performance.now();
  const page = await under.index.list({ state: 'failure' }, { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) });
  slowestPageMs = Math.max(slowestPageMs, performance.now() - asked);
  for (const { updated_at: updated } of page.tasks) {
    ordered &&= last === '' || updated <= last;
    last = updated;
  }
  listed += page.tasks.length;
  cursor = page.next;
  more = cursor !== undefined;
}
const end = rssMib();
const oneCode = (await allRows(under.index, { error_code: 'LEASE_EXPIRED', path: '/in/7' })).length;
await feed.stop();
await under[Symbol.asyncDispose]();
await server.stop();

const flat = end <= warm + BREATH_MIB;
const passed = listed === jobs && ordered && flat && oneCode === jobs / 100;
const report = {
  jobs,
  listed,
  ordered,
  oneCode,
  buildSeconds,
  rowsPerSecond: Math.round(jobs / buildSeconds),
  slowestPageMs,
  memoryMib: { warm, built, end },
  flat,
};
writeEvidence(values.evidence, {
  suite: 'task-index',
  passed,
  ...report,
  startedAt: startedAt.toISOString(),
  minutes: minutesSince(startedAt.getTime()),
  commit,
});
process.stdout.write(`${JSON.stringify(report)}\n${values.evidence}\n`);
process.exit(passed ? 0 : 1);
