import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { createConnection, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createWorkerRole } from '../../../src/bin/roles/worker.ts';
import { createLogger } from '../../../src/observability/logging.ts';
import { metricsSources } from '../../../src/observability/metrics-directory.ts';
import { patient } from '../../support/patience.ts';
import { manifestOf, startRig } from '../../support/rig.ts';

/** A way to Redis on which the connections that fetch jobs can be made to hang: open, and nothing comes or goes. */
interface Line extends AsyncDisposable {
  readonly path: string;
  hang(): void;
  /** Ends what hangs, as a network does at last. */
  heal(): void;
}

/** What only BullMQ's worker says: the list that it waits at. */
const FETCHES = ':marker';

async function lineTo(redis: string): Promise<Line> {
  const directory = mkdtempSync(join(tmpdir(), 'writ-line-'));
  const path = join(directory, 'redis.sock');
  const pairs = new Set<readonly [Socket, Socket]>();
  const fetching = new Set<Socket>();
  let hangs = false;
  const server = createServer((near) => {
    const far = createConnection(redis);
    const pair = [near, far] as const;
    pairs.add(pair);
    near.on('data', (chunk) => {
      if (chunk.includes(FETCHES)) fetching.add(near);
      if (!(hangs && fetching.has(near))) far.write(chunk);
    });
    far.on('data', (chunk) => void (hangs && fetching.has(near) ? undefined : near.write(chunk)));
    for (const [one, other] of [pair, [far, near] as const])
      one
        .on('error', () => undefined)
        .on('close', () => {
          pairs.delete(pair);
          other.destroy();
        });
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  const endAll = (of: (near: Socket) => boolean): void => {
    for (const [near] of pairs) if (of(near)) near.destroy();
  };
  return {
    path,
    hang: () => {
      hangs = true;
    },
    heal() {
      hangs = false;
      endAll((near) => fetching.has(near));
    },
    async [Symbol.asyncDispose]() {
      endAll(() => true);
      await new Promise((resolve) => server.close(resolve));
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Asks a socket that a process shows itself on. */
function ask(socketPath: string, path: string): Promise<{ readonly status: number | undefined; readonly text: string }> {
  return new Promise((resolve, reject) => {
    request({ socketPath, path, headers: { host: 'localhost' }, agent: false }, (response) => {
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

it('a worker that has gone deaf to a real queue answers 503 at /healthz and says so in its figures, and is well again when it hears', async () => {
  await using rig = await startRig();
  const target = rig.redis.target();
  if (!('path' in target)) throw new Error('the test Redis listens on a socket');
  await using line = await lineTo(target.path);
  const url = `unix://:${target.password}@localhost${line.path}`;
  const config = { ...rig.config, redis: { ...rig.config.redis, url }, worker: { ...rig.config.worker, deaf_ms: patient(1000), drain_ms: 200 } };
  const worker = await createWorkerRole({ config, places: rig.places, log: createLogger('silent', 'worker') });
  await worker.start();
  const [source] = await metricsSources(rig.places.metrics);
  const health = (path: string) => ask(source?.path ?? '', path);
  const file = (name: string): string => join(rig.base, name);
  writeFileSync(file('a'), 'x');

  const heard = manifestOf('FILE_COPY', file('a'), file('b'));
  await rig.push(heard);
  await rig.answer(heard.task_id);
  expect(await health('/healthz')).toMatchObject({ status: 200, text: expect.stringContaining('"status":"ok"') });
  expect(await health('/readyz')).toMatchObject({ status: 200, text: expect.stringContaining('"takes writes"') });

  line.hang();
  const unheard = manifestOf('FILE_COPY', file('a'), file('c'));
  await rig.push(unheard);
  await expect.poll(async () => (await health('/healthz')).status).toBe(503);
  expect((await health('/healthz')).text).toContain('{"name":"file","ok":false,"detail":"jobs wait and none is taken"}');
  expect((await health('/readyz')).status).toBe(503);
  expect((await health('/metrics')).text).toMatch(/^writ_worker_deaf\{queue="file"\} 1$/m);
  expect((await health('/metrics')).text).toMatch(/^writ_worker_deaf\{queue="search"\} 0$/m);

  line.heal();
  await rig.answer(unheard.task_id);
  await expect.poll(async () => (await health('/healthz')).status).toBe(200);
  await worker.stop();
});
