import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkAccess } from '../../../src/adapters/redis/access.ts';
import { freePorts } from '../../support/ports.ts';

describe('a Redis Sentinel', () => {
  it('is refused with a code and what to do', async () => {
    await using sentinel = await startSentinel();
    await expect(checkAccess({ url: `redis://127.0.0.1:${sentinel.port}` })).rejects.toMatchObject({
      code: 'REDIS_POLICY',
      field: 'redis.url',
      message: expect.stringMatching(/Sentinel answers there.*name the address of the master$/),
    });
  });
});

const SERVER = 'redis-server';

/** A real one, which watches nobody. */
async function startSentinel(): Promise<AsyncDisposable & { readonly port: number }> {
  const home = mkdtempSync(path.join(tmpdir(), 'writ-sentinel-'));
  const [port = 0] = await freePorts(1);
  writeFileSync(path.join(home, 'sentinel.conf'), `port ${port}\nbind 127.0.0.1\ndir ${home}\n`);
  const child = spawn(SERVER, [path.join(home, 'sentinel.conf'), '--sentinel'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  let said = '';
  await new Promise<void>((resolve, reject) => {
    void ended.then(() => reject(new Error(`the Sentinel ended: ${said}`)));
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (said.includes('Sentinel ID is')) resolve();
    });
  });
  return {
    port,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
      rmSync(home, { recursive: true });
    },
  };
}
