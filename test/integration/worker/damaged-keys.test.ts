import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { QUEUE_PREFIX } from '../../../queues/catalog.ts';
import { parkedKey, REVOCATIONS_KEY, refusedKey, rowKey } from '../../../src/adapters/redis/keys.ts';
import type { TaskManifest } from '../../../src/contracts/index.ts';
import { metricsSources } from '../../../src/observability/metrics-directory.ts';
import { manifestOf, type Rig, startRig } from '../../support/rig.ts';

/** Keys of ours that hold something else: nothing untrue may be recorded, and what stops work says so. */
let rig: Rig;
let redis: Redis;
let queue: Queue;
beforeEach(async () => {
  rig = await startRig({ logLevel: process.env['RIG_LOG'] ?? 'silent' });
  redis = await rig.redis.client();
  queue = new Queue('file', { connection: await rig.redis.client('worker'), prefix: QUEUE_PREFIX });
});
afterEach(async () => {
  await queue.close();
  await rig.stop();
});

function copyOf(): { readonly manifest: TaskManifest; readonly destination: string } {
  const source = join(rig.base, `${randomUUID()}.txt`);
  writeFileSync(source, 'content');
  return { manifest: manifestOf('FILE_COPY', source, `${source}.copy`), destination: `${source}.copy` };
}

/** What the worker answers at this path of the socket that it shows itself on. */
async function ask(path: string): Promise<{ readonly status: number | undefined; readonly text: string }> {
  const [source] = await metricsSources(rig.places.metrics);
  return new Promise((resolve, reject) => {
    request({ socketPath: source?.path, path, headers: { host: 'localhost' }, agent: false }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => {
        text += chunk.toString();
      });
      response.on('end', () => resolve({ status: response.statusCode, text }));
    })
      .on('error', reject)
      .end();
  });
}

describe.each<[string, () => Promise<unknown>]>([
  ['was overwritten by a text', () => redis.set(REVOCATIONS_KEY, 'x')],
  ['has an entry that is none', () => redis.rpush(REVOCATIONS_KEY, 'rubbish')],
])('a revocation log that %s', (_what, damage) => {
  it('stops new work with health red, records and counts nothing, and lets it go on when it is whole', async () => {
    await rig.revoke('somebody-elses', 1);
    await rig.startWorker();
    const before = copyOf();
    await rig.push(before.manifest);
    await rig.answer(before.manifest.task_id);
    expect((await ask('/readyz')).status).toBe(200);

    await damage();
    const { manifest, destination } = copyOf();
    await rig.push(manifest);
    // More often than a task may lose its worker or crash; the delays between are passed over.
    const deliveries = async (): Promise<number> => {
      await queue.promoteJobs();
      return (await queue.getJob(`t_${manifest.task_id}`))?.attemptsStarted ?? 0;
    };
    await expect.poll(deliveries).toBeGreaterThan(8);
    expect(await rig.ledger.row(manifest.task_id)).toMatchObject({ state: 'running', takeovers: 0, crashes: 0, result: undefined });
    expect(existsSync(destination)).toBe(false);
    const { status, text } = await ask('/readyz');
    expect([status, text]).toEqual([503, expect.stringContaining('revocation log')]);
    expect((await ask('/metrics')).text).toMatch(/^writ_revocations_damaged(?:\{[^}]*\})? 1$/m);
    // What is finished is no new work.
    expect(await rig.push(before.manifest)).toMatchObject({ kind: 'finished' });

    await redis.del(REVOCATIONS_KEY);
    await queue.promoteJobs();
    expect(await rig.answer(manifest.task_id)).toMatchObject({ status: 'SUCCESS' });
    expect(readFileSync(destination, 'utf8')).toBe('content');
    expect((await ask('/readyz')).status).toBe(200);
    expect(await redis.llen(REVOCATIONS_KEY)).toBe(1);
  });
});

it('a task is done whatever stands under its row, its parked jobs and its refused answers', async () => {
  await rig.startWorker();
  for (const state of ['text', 'list', 'hash'] as const) {
    const { manifest, destination } = copyOf();
    for (const key of [rowKey(manifest.task_id), parkedKey(manifest.task_id), refusedKey(manifest.task_id, `file:t_${manifest.task_id}`)]) {
      if (state === 'text') await redis.set(key, 'x');
      else if (state === 'list') await redis.lpush(key, 'x');
      else await redis.hset(key, { state: 'done', sha: 'x', epoch: 'first' });
    }
    await rig.push(manifest);
    expect(await rig.answer(manifest.task_id)).toMatchObject({ status: 'SUCCESS' });
    expect(readFileSync(destination, 'utf8')).toBe('content');
  }
});

it('a finished task whose row was damaged is answered from the journal, and nothing is done again', async () => {
  await rig.startWorker();
  const { manifest, destination } = copyOf();
  await rig.push(manifest);
  const first = JSON.stringify(await rig.answer(manifest.task_id));
  writeFileSync(destination, 'changed by somebody since');
  await redis.set(rowKey(manifest.task_id), 'x');
  await rig.push(manifest);
  expect(JSON.stringify(await rig.answer(manifest.task_id))).toBe(first);
  expect(readFileSync(destination, 'utf8')).toBe('changed by somebody since');
});
