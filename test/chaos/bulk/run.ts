import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { QUEUE_PREFIX } from '../../../queues/catalog.ts';
import { evidencePath, minutesSince, revision, writeEvidence } from '../../../scripts/evidence.ts';
import { WritClient } from '../../../src/surfaces/client/index.ts';
import { type DoorInstallation, startInstallation } from '../door/installation.ts';
import { startModule } from '../door/role-process.ts';
import type { ClientSetup } from './client-process.ts';
import { FLAT } from './flatness.ts';
import { watched } from './watched.ts';

const LOOK_MS = 200;
const PATIENCE_MS = 1_800_000;

/** `npm run test:long -- bulk [--tasks 100000]`: a bulk push over HTTP, and a bulk retry of all of them, in flat memory. */
const { values } = parseArgs({ options: { tasks: { type: 'string', default: '100000' }, evidence: { type: 'string', default: evidencePath('bulk') } } });
const startedAt = new Date();
const commit = revision();
const tasks = Number(values.tasks);
const site = await startInstallation();
const key = await site.key('bulk');
const start = () => startModule(new URL('./client-process.ts', import.meta.url), { url: site.url, key, base: site.base, tasks } satisfies ClientSetup);
const { api } = site;

const pusher = await start();
const push = await watched('push', { api, client: pusher, tasks });
await pusher.stop();
await site.startWorker();
await allFailed(site, key, tasks);
const retrier = await start();
const retriedAt = new Date().toISOString();
const retry = await watched('retry', { api, client: retrier, tasks });
await retrier.stop();
await allFailed(site, key, tasks);
const failedAgain = await countFailed(site, key, retriedAt);
await site.stop();

const NOTHING = { lines: 0, accepted: 0, in_flight: 0, retried: 0, finished: 0, rejected: 0 };
const checks = {
  pushAnsweredInOrder:
    push.over.inOrder &&
    push.over.words['accepted'] === tasks &&
    isDeepStrictEqual(push.over.summary, { summary: { ...NOTHING, lines: tasks, accepted: tasks } }),
  retryAnswered: retry.over.words['retried'] === tasks && isDeepStrictEqual(retry.over.summary, { tasks, retried: tasks, refused: 0 }),
  apiFlat: push.api.flat && retry.api.flat,
  clientFlat: push.client.flat && retry.client.flat,
  everyTaskRanAgain: failedAgain === tasks,
};
const passed = Object.values(checks).every(Boolean);
const report = { suite: 'bulk', passed, tasks, bound: FLAT, checks, push, retry };
writeEvidence(values.evidence, { ...report, startedAt: startedAt.toISOString(), minutes: minutesSince(startedAt.getTime()), commit });
process.stdout.write(`${JSON.stringify(report)}\n${values.evidence}\n`);
process.exit(passed ? 0 : 1);

/** Resolves when every task has failed and the index of the API knows it. */
async function allFailed({ redis, url }: DoorInstallation, secret: string, count: number): Promise<void> {
  const client = await redis.client();
  const end = performance.now() + PATIENCE_MS;
  while (performance.now() < end) {
    if ((await client.zcard(`${QUEUE_PREFIX}:file:failed`)) === count && !(await anyLeft(url, secret))) return;
    await delay(LOOK_MS);
  }
  throw new Error('not all tasks failed in time');
}

async function anyLeft(url: string, secret: string): Promise<boolean> {
  const { tasks: api } = new WritClient({ baseUrl: url, key: secret });
  for (const state of ['waiting', 'delayed', 'running'] as const) {
    for await (const _ of api.list({ state }, { pageSize: 1 })) return true;
  }
  return false;
}

async function countFailed({ url }: DoorInstallation, secret: string, since: string): Promise<number> {
  let count = 0;
  for await (const _ of new WritClient({ baseUrl: url, key: secret }).tasks.list({ state: 'failure', since }, { pageSize: 500 })) count += 1;
  return count;
}
