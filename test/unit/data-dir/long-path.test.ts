import { lstatSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dataDirPaths } from '../../../src/data-dir/paths.ts';
import { ROLE_NAMES } from '../../../src/observability/labels.ts';
import { createMetrics } from '../../../src/observability/metrics.ts';
import { metricsSources } from '../../../src/observability/metrics-directory.ts';
import { createMetricsSocket } from '../../../src/observability/metrics-socket.ts';
import { readSocket } from '../../../src/observability/read-socket.ts';

/** `sun_path` without its final NUL. */
const MOST = 107;

let base: string;
let long: string;
beforeEach(() => {
  base = mkdtempSync(path.join(tmpdir(), 'writ-long-'));
  long = path.join(base, 'ü'.repeat(40), 'e'.repeat(100));
  mkdirSync(long, { recursive: true });
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const listening = (file: string): Promise<Server> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject).listen(file, () => resolve(server));
  });

describe('a data directory whose path is longer than a socket address', () => {
  it('has its sockets under paths that fit, each where its name says', async () => {
    const places = dataDirPaths(long);
    for (const file of [places.kernelSocket, places.deriveSocket]) {
      expect(Buffer.byteLength(file)).toBeLessThanOrEqual(MOST);
      mkdirSync(path.dirname(file));
      const server = await listening(file);
      expect(lstatSync(path.join(long, ...file.split('/').slice(-2))).isSocket()).toBe(true);
      await new Promise((resolve) => void server.close(resolve));
    }
  });

  it.each(ROLE_NAMES)('has room for the socket of the role %s', (role) => {
    expect(Buffer.byteLength(path.join(dataDirPaths(`/${'d'.repeat(66)}`).metrics, `${role}-12345678.sock`))).toBeLessThanOrEqual(MOST);
  });

  it('shows its metrics there', async () => {
    const { metrics: directory } = dataDirPaths(long);
    const troubles: unknown[] = [];
    const socket = createMetricsSocket({ directory, metrics: createMetrics('worker', 'test'), onError: (error) => troubles.push(error) });
    await socket.start();
    const [source] = await metricsSources(dataDirPaths(long).metrics);
    expect(await readSocket(source?.path ?? '', '/healthz', 10_000)).toEqual({ text: expect.stringContaining('"ok"') });
    await socket.stop();
    expect([troubles, await metricsSources(path.join(long, 'metrics'))]).toEqual([[], []]);
  });

  it('is the one that has the name now, when another has taken its place', () => {
    const inode = (): number => statSync(path.dirname(path.dirname(dataDirPaths(long).kernelSocket))).ino;
    const before = inode();
    renameSync(long, `${long}.old`);
    // Nobody listens below a directory that is not there.
    expect(dataDirPaths(long).kernelSocket).toBe(path.join(long, 'kernel', 'kernel.sock'));
    mkdirSync(long);
    expect(inode()).toBe(statSync(long).ino);
    expect(inode()).not.toBe(before);
  });
});

it('a data directory with a short path has its sockets under their plain names', () => {
  expect(dataDirPaths('/var/lib/writ').kernelSocket).toBe('/var/lib/writ/kernel/kernel.sock');
});
