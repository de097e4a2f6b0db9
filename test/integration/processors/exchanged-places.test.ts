import { copyFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { holdPlaces } from '../../../processors/held-places.ts';
import { createConnection } from '../../../queues/connection.ts';
import { createReadiness } from '../../../src/bin/http/readiness.ts';
import { createWorkerRole } from '../../../src/bin/roles/worker.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { examineDirectories } from '../../../src/data-dir/doctor/directories.ts';
import { createLogger } from '../../../src/observability/logging.ts';
import { metricsSources } from '../../../src/observability/metrics-directory.ts';
import { readPlaces } from '../../../src/observability/worker-places.ts';
import { manifestOf, type Rig, startRig } from '../../support/rig.ts';

interface Answer {
  readonly status: number | undefined;
  readonly text: string;
}

/** Asks the worker of this rig on its socket. */
async function ask(rig: Rig, path: string): Promise<Answer> {
  const [source] = await metricsSources(rig.places.metrics);
  return new Promise((resolve, reject) => {
    request({ socketPath: source?.path ?? '', path, headers: { host: 'localhost' }, agent: false }, (response) => {
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

/** What the API of this pool answers at its `/readyz`, and the doctor about the directories. */
async function poolOf(rig: Rig): Promise<{ readonly ready: unknown; readonly doctor: readonly string[] }> {
  const connection = createConnection(rig.target, 'producer');
  try {
    const ready = createReadiness({
      connection,
      guard: { check: async () => undefined },
      kernel: { ping: async () => undefined },
      index: { health: () => ({ state: 'ready', tasks: 0, problem: undefined }) as never },
      queues: { paused: async () => [] },
      places: () => readPlaces(rig.places.metrics),
      clock: systemClock,
    });
    const checks = await examineDirectories(rig.places.dataDir, rig.config.file, () => readPlaces(rig.places.metrics));
    const doctor = checks.filter(({ level }) => level === 'fail').map(({ title, found }) => `${title}: ${found}`);
    return { ready: (await ready()).find(({ name }) => name === 'places'), doctor };
  } finally {
    connection.disconnect();
  }
}

it('a worker whose base directory was exchanged refuses its tasks, and worker, API, doctor and figures say so', { tags: ['FE-12', 'FE-22'] }, async () => {
  await using rig = await startRig({ config: { file: { settle_s: 1 } } });
  const worker = await createWorkerRole({ config: rig.config, places: rig.places, log: createLogger('silent', 'worker') });
  await worker.start();
  expect((await ask(rig, '/readyz')).status).toBe(200);
  expect((await ask(rig, '/metrics')).text).toMatch(/^writ_place_exchanged\{place="base:main"\} 0$/m);
  expect(await poolOf(rig)).toMatchObject({ ready: { ok: true }, doctor: [] });

  const [file, away] = [(name: string): string => join(rig.base, name), `${rig.base}-away`];
  writeFileSync(file('a'), 'x');
  renameSync(rig.base, away);
  // Nothing is made in its place, so that there is nothing to take up however long this test takes.
  const refused = manifestOf('FILE_MOVE', file('a'), file('b'));
  await rig.push(refused);
  expect(await rig.answer(refused.task_id)).toMatchObject({
    status: 'FAILURE',
    error: { error_code: 'EXECUTION_FAILED', message: "the base directory 'main' was exchanged (nothing stands at its path)" },
  });
  const ready = await ask(rig, '/readyz');
  expect(ready.status).toBe(503);
  expect(JSON.parse(ready.text).checks).toContainEqual(expect.objectContaining({ name: 'base:main', ok: false }));
  expect((await ask(rig, '/healthz')).status).toBe(200);
  expect((await ask(rig, '/metrics')).text).toMatch(/^writ_place_exchanged\{place="base:main"\} 1$/m);
  expect((await ask(rig, '/metrics')).text).toMatch(/^writ_place_exchanged\{place="base:other"\} 0$/m);
  const pool = await poolOf(rig);
  expect(pool.ready).toMatchObject({ ok: false, detail: expect.stringContaining('base:main was exchanged: nothing stands at its path') });
  expect(pool.doctor).toEqual(expect.arrayContaining([expect.stringMatching(/^base directory main: .*was exchanged/)]));

  // The timer of the watch takes up what stands there.
  mkdirSync(rig.base);
  writeFileSync(file('c'), 'y');
  await expect.poll(async () => (await ask(rig, '/readyz')).status).toBe(200);
  const moved = manifestOf('FILE_MOVE', file('c'), file('d'));
  await rig.push(moved);
  expect((await rig.answer(moved.task_id)).status).toBe('SUCCESS');
  expect(existsSync(file('d'))).toBe(true);
  await worker.stop();
  rmSync(away, { recursive: true });
});

it('what is held is told by its name, wherever its path leads later', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'writ-held-'));
  const [data, journal] = [join(directory, 'data'), join(directory, 'data', 'journal.db')];
  mkdirSync(data);
  writeFileSync(journal, '');
  const held = holdPlaces({ 'data-directory': data, journal, 'tool-journal': join(data, 'none') });
  expect(held.findings()).toEqual([]);
  await held.start();
  expect([held.exchanged(), held.findings()]).toEqual([
    undefined,
    [
      { name: 'data-directory', ok: true, detail: 'stands at its path' },
      { name: 'journal', ok: true, detail: 'stands at its path' },
    ],
  ]);
  renameSync(data, `${data}-away`);
  mkdirSync(data);
  expect(held.exchanged()).toBe('the journal of this process was exchanged (nothing stands at its path)');
  expect(held.findings().map(({ name, ok }) => [name, ok])).toEqual([
    ['data-directory', false],
    ['journal', false],
  ]);
  await held.stop();
  rmSync(directory, { recursive: true });
});

it('a worker whose journal was exchanged begins nothing, says so, and goes on when it is back', async () => {
  await using rig = await startRig();
  const worker = await createWorkerRole({ config: rig.config, places: rig.places, log: createLogger('silent', 'worker') });
  await worker.start();
  const { journal } = rig.places;
  // What putting back a copy does, while the worker writes to the one that it has open.
  copyFileSync(journal, `${journal}.copy`);
  renameSync(journal, `${journal}.own`);
  renameSync(`${journal}.copy`, journal);
  expect(JSON.parse((await ask(rig, '/readyz')).text).checks).toContainEqual(expect.objectContaining({ name: 'journal', ok: false }));
  expect((await ask(rig, '/metrics')).text).toMatch(/^writ_place_exchanged\{place="journal"\} 1$/m);

  writeFileSync(join(rig.base, 'a'), 'x');
  const task = manifestOf('FILE_MOVE', join(rig.base, 'a'), join(rig.base, 'b'));
  await rig.push(task);
  await expect.poll(async () => (await ask(rig, '/metrics')).text).toMatch(/^writ_deliveries_ended_total\{end="busy"\} [1-9]/m);
  expect(existsSync(join(rig.base, 'b'))).toBe(false);

  renameSync(`${journal}.own`, journal);
  expect((await rig.answer(task.task_id)).status).toBe('SUCCESS');
  expect((await ask(rig, '/readyz')).status).toBe(200);
  await worker.stop();
});
