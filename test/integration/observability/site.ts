import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type ApiMetrics, createApiMetrics } from '../../../src/bin/api-metrics.ts';
import { createKernelRole } from '../../../src/bin/roles/kernel.ts';
import { createLogger } from '../../../src/observability/logging.ts';
import { scriptArgs } from '../../support/compiled/script.ts';
import { patient } from '../../support/patience.ts';
import { type Rig, type RigOptions, startRig } from '../../support/rig.ts';

/** A rig with a kernel and the metrics of the api role. */
export interface Site extends AsyncDisposable {
  readonly rig: Rig;
  readonly api: ApiMetrics;
  /** The exposition, as Prometheus would get it. */
  scrape(): Promise<string>;
  /** A worker in a process of its own, which ends by SIGKILL after the effect of its first task. Resolves when it has. */
  dyingWorker(): Promise<void>;
}

export async function startSite(options: RigOptions = {}): Promise<Site> {
  const rig = await startRig(options);
  const context = { config: rig.config, places: rig.places, log: createLogger('silent', 'kernel') };
  const kernel = await createKernelRole(context);
  await kernel.start();
  const api = createApiMetrics({ config: rig.config, places: rig.places, connection: await rig.redis.client('producer'), timeBoxMs: patient(500) });
  return {
    rig,
    api,
    scrape: async () => (await api.metrics()).text,
    async dyingWorker() {
      const setup = join(rig.places.dataDir, 'child.json');
      writeFileSync(setup, JSON.stringify({ config: rig.config, dataDir: rig.places.dataDir }));
      const child = spawn(process.execPath, scriptArgs(new URL('./killed-worker-child.ts', import.meta.url), [setup]), {
        stdio: 'inherit',
      });
      await once(child, 'exit');
    },
    async [Symbol.asyncDispose]() {
      await api.close();
      await kernel.stop();
      await rig.stop();
    },
  };
}

/** Serves `/metrics` on a loopback port, for a real Prometheus. */
export async function serveMetrics(site: Site): Promise<{ readonly port: number } & AsyncDisposable> {
  const server = createServer(
    (_request, response) => void site.api.metrics().then(({ type, text }) => response.writeHead(200, { 'content-type': type }).end(text)),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

export interface ReadSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The samples of an exposition; throws at a line that is none. */
export function samplesOf(text: string): readonly ReadSample[] {
  return text.split('\n').flatMap((line) => {
    if (line === '' || line.startsWith('#')) return [];
    const [, name = '', inside = '', value = ''] = /^([a-z_0-9]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? fail(line);
    const labels = Object.fromEntries([...inside.matchAll(/([a-z_]+)="((?:[^"\\]|\\.)*)"/g)].map(([, label = '', content = '']) => [label, content]));
    return [{ name, labels, value: Number(value.replace('Inf', 'Infinity')) }];
  });
}

function fail(line: string): never {
  throw new Error(`no sample: ${line}`);
}

/** The sum of the samples of a name that have these labels. */
export function total(text: string, name: string, labels: Readonly<Record<string, string>> = {}): number {
  const fitting = samplesOf(text).filter((sample) => sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value));
  return fitting.reduce((sum, { value }) => sum + value, 0);
}
