import type { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { BulkSummary } from '../../../../src/contracts/index.ts';
import { patient } from '../../../support/patience.ts';
import { manifestOf } from '../../../support/rig.ts';
import { linesOf, type Site, startSite } from './routes-site.ts';

const MIB = 1024 * 1024;
let site: Site;
let redis: Redis;
beforeAll(async () => {
  site = await startSite();
  redis = await site.rig.redis.client();
});
afterAll(() => site[Symbol.asyncDispose]());

const task = () => manifestOf('FILE_MOVE', `${site.rig.base}/is-not-there`, `${site.rig.base}/never`);
const push = (query: string, body: unknown, headers = {}) => site.ask(`/v1/tasks?sign=true${query}`, { method: 'POST', body, headers });
const room = async () => (await site.ask('/readyz')).body.checks.find(({ name }: { name: string }) => name === 'redis');

/** Pushes streams of tasks that will fail until one is refused. */
async function fill(): Promise<{ readonly accepted: number; readonly problem: unknown }> {
  for (let accepted = 0; ; ) {
    const lines = Array.from({ length: 1000 }, () => JSON.stringify({ manifest: task() })).join('\n');
    const reply = await push('', lines, { 'content-type': 'application/x-ndjson' });
    if (reply.status !== 200) return { accepted, problem: reply.body };
    const last = linesOf(reply.text).at(-1) as BulkSummary;
    accepted += last.summary.accepted;
    if (last.problem !== undefined) return { accepted, problem: last.problem };
  }
}

it('takes no more than what can end: all of a full queue ends, and the host says meanwhile that it takes nothing', async () => {
  const used = Number(/^used_memory:(\d+)/m.exec(await redis.info('memory'))?.[1]);
  await redis.config('SET', 'maxmemory', String(used + 8 * MIB));
  let accepted = 0;
  {
    await using _ = await site.paused();
    const filled = await fill();
    accepted = filled.accepted;
    expect(filled.problem).toMatchObject({ code: 'REDIS_FULL', detail: expect.stringContaining('for the ends of') });
    expect(accepted).toBeGreaterThan(500);
    expect(await push('', { manifest: task() })).toMatchObject({ status: 429, body: { code: 'REDIS_FULL' } });
    expect((await push('&dry_run=true', { manifest: site.manifest('there') })).body).toMatchObject({ would: 'refuse', obstacles: [{ code: 'REDIS_FULL' }] });
    expect((await site.ask('/readyz')).status).toBe(503);
    expect(await room()).toMatchObject({ ok: false, detail: expect.stringContaining('no new work') });
  }
  await site.rig.startWorker();
  const failed = () => redis.zcard('{writ}:file:failed');
  await vi.waitFor(async () => expect(await failed()).toBe(accepted), { timeout: patient(60_000), interval: 200 });
  // What was kept for the ends is free again where they were smaller.
  await vi.waitFor(async () => expect(await room()).toMatchObject({ ok: true }), { timeout: patient(20_000), interval: 200 });
  expect((await push('&dry_run=true', { manifest: site.manifest('there') })).body).toMatchObject({ would: 'run' });
});
