import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMetricsGatherer } from '../../../src/observability/gatherer.ts';
import { createMetrics } from '../../../src/observability/metrics.ts';
import { createMetricsSocket } from '../../../src/observability/metrics-socket.ts';

const never = (): Promise<never> => new Promise(() => undefined);
const refresh = async (): Promise<void> => undefined;
/** More than a scrape looks at. */
const DEAD = 80;

describe('a scrape', () => {
  let directory = '';
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'writ-gather-'));
    // A process that was killed leaves its sockets behind: these stand before every living one.
    const listen = `for (let i = 0; i < ${DEAD}; i += 1) require('net').createServer().listen(process.argv[1] + '/api-dead' + i + '.sock', () => { if (i === ${DEAD - 1}) process.kill(process.pid, 'SIGKILL') })`;
    spawnSync(process.execPath, ['-e', listen, directory]);
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  it('does not wait until the sockets of dead processes are taken away, and has one sweep at a time', async () => {
    const swept: string[] = [];
    const sweep = (where: string): Promise<void> => {
      swept.push(where);
      return never();
    };
    const gatherer = createMetricsGatherer({ directory, own: createMetrics('api', '1'), refresh, sweep });
    for (let scrape = 0; scrape < 3; scrape += 1) expect((await gatherer.metrics()).text).toContain('writ_gather_sources');
    expect(swept).toEqual([directory]);
  });

  it('shows the others without this process while its own figures do not come, and counts that', async () => {
    const own = createMetrics('api', '1');
    const gatherer = createMetricsGatherer({
      directory: join(directory, 'none'),
      own: { ...own, families: never },
      refresh,
      timeoutMs: 5,
    });
    expect((await gatherer.metrics()).text).not.toContain('role="api"');
    const counts = (await own.families()).find(({ name }) => name === 'writ_gather_errors_total')?.samples;
    expect(counts?.find(({ labels }) => labels['reason'] === 'timeout')?.value).toBe(1);
  });

  it('finds a living process behind more dead ones than it looks at, once they are swept', async () => {
    await using living = createMetricsSocket({ directory, metrics: createMetrics('worker', '1'), onError: (error) => expect.unreachable(String(error)) });
    // Its start sweeps too, and leaves young sockets alone: somebody may be about to bind them.
    await living.start();
    expect(readdirSync(directory)).toHaveLength(DEAD + 1);
    for (const name of readdirSync(directory)) utimesSync(join(directory, name), new Date(0), new Date(0));
    const gatherer = createMetricsGatherer({ directory, own: createMetrics('api', '1'), refresh });
    await expect.poll(async () => (await gatherer.metrics()).text).toMatch(/^writ_gather_sources\{.*\} 1$/m);
    await expect.poll(() => readdirSync(directory).filter((name) => name.startsWith('api-'))).toEqual([]);
    expect(readdirSync(directory)).toHaveLength(1);
  });
});
