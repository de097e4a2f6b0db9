import { readdirSync } from 'node:fs';
import { request } from 'node:http';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Installation, startInstallation } from './installation.ts';

let site: Installation;
beforeEach(async () => {
  site = await startInstallation();
  await site.startWorker();
});
afterEach(() => site[Symbol.asyncDispose]());

const ledger = async (): Promise<string> => /^ledger\s+(.*)$/m.exec((await site.cli(['status'])).out)?.[1] ?? '';

/** Losses that the running worker counts. */
async function losses(): Promise<string | undefined> {
  const socketPath = readdirSync(site.places.metrics)
    .filter((name) => name.startsWith('worker-'))
    .map((name) => path.join(site.places.metrics, name))[0];
  const said = await new Promise<string>((resolve, reject) => {
    request({ socketPath, path: '/metrics' }, (response) => void text(response).then(resolve, reject))
      .on('error', reject)
      .end();
  });
  return /^writ_ledger_rebuilds_total\S* (\d+)$/m.exec(said)?.[1];
}

async function copy(taskId: string): Promise<void> {
  site.file(taskId);
  const manifest = site.manifest(taskId, 'FILE_COPY', taskId, `${taskId}-copy`);
  expect(await site.cli(['push', '-', '--sign', '--wait'], JSON.stringify(manifest))).toMatchObject({ code: 0 });
}

describe('the ledger of a new installation', () => {
  it('is whole before the first task, and nobody counts it as lost, then or later', async () => {
    expect(await ledger()).toMatch(/^complete/);
    await copy('first');
    expect([await ledger(), await losses()]).toEqual([expect.stringMatching(/^complete/), '0']);
  });

  it('counts as lost once there was a task: while the worker runs, and when Redis came back empty before it', async () => {
    await copy('first');
    await site.redis.flushAll();
    expect(await ledger()).toMatch(/^0 of 256/);
    await copy('second');
    expect([await ledger(), await losses()]).toEqual([expect.stringMatching(/^complete/), '1']);

    await site.stopWorker();
    await site.redis.flushAll();
    await site.startWorker();
    expect(await ledger()).toMatch(/^0 of 256/);
    await copy('third');
    expect([await ledger(), await losses()]).toEqual([expect.stringMatching(/^complete/), '1']);
  });
});
