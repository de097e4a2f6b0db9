import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { loadConfig } from '../../../config/load.ts';
import { createKernelRole } from '../../../src/bin/roles/kernel.ts';
import { createWorkerRole } from '../../../src/bin/roles/worker.ts';
import type { TaskManifest } from '../../../src/contracts/index.ts';
import type { Lifecycle } from '../../../src/core/lifecycle.ts';
import { type DataDirPaths, dataDirPaths } from '../../../src/data-dir/paths.ts';
import { ensureKeys } from '../../../src/data-dir/signing-keys.ts';
import { createLogger } from '../../../src/observability/logging.ts';
import { commandLine, lastJson, type Said } from '../../support/command-line.ts';
import { scriptArgs } from '../../support/compiled/script.ts';
import { startTestRedis, type TestRedis } from '../../support/redis.ts';
import { FAST_LOCKS } from '../../support/rig.ts';

const WRIT = new URL('../../../src/bin/writ.ts', import.meta.url);

/** A data directory with a real Redis, kernel and worker, and the command line against it. */
export interface Installation extends AsyncDisposable {
  readonly places: DataDirPaths;
  /** The one base directory, `main`. */
  readonly base: string;
  readonly redis: TestRedis;
  manifest(taskId: string, capability: string, source: string, destination?: string): TaskManifest;
  file(name: string, text?: string): string;
  /** The command line in this process, with the services of production. */
  cli(args: readonly string[], input?: string): Promise<Said>;
  /** The same, answered in JSON; the last line. */
  json(args: readonly string[], input?: string): Promise<Record<string, unknown> & { readonly code: number }>;
  /** The program itself, as its own process. */
  spawn(args: readonly string[], input?: string): Promise<Said>;
  start(args: readonly string[]): { child: ChildProcessByStdio<Writable, Readable, Readable>; said: Promise<Said> };
  startWorker(): Promise<void>;
  stopWorker(): Promise<void>;
  stopKernel(): Promise<void>;
}

export async function startInstallation(): Promise<Installation> {
  const home = mkdtempSync(path.join(tmpdir(), 'writ-cli-'));
  const base = path.join(home, 'base');
  const places = dataDirPaths(path.join(home, 'data'));
  mkdirSync(base);
  await ensureKeys(places);
  const worker = Object.entries(FAST_LOCKS).map(([key, value]) => `${key} = ${value}`);
  writeFileSync(places.configFile, `[worker]\n${worker.join('\n')}\n[log]\nlevel = "silent"\n[file.base_directories]\nmain = ${JSON.stringify(base)}\n`, {
    mode: 0o600,
  });
  const { config } = loadConfig({ dataDir: places.dataDir, env: {} });
  const redis = await startTestRedis({ directory: places.redis });
  const context = { config, places, log: createLogger('silent', 'test') };
  let kernel: Lifecycle | undefined = await createKernelRole(context);
  await kernel.start();
  let workerRole: Lifecycle | undefined;

  const start: Installation['start'] = (args) => {
    const child = spawn(process.execPath, scriptArgs(WRIT, ['--data-dir', places.dataDir, ...args]), {
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let out = '';
    let err = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      err += text;
    });
    child.stdin.on('error', () => undefined);
    return { child, said: new Promise((resolve) => child.on('close', (code) => resolve({ code: code ?? -1, out, err }))) };
  };

  const installation: Installation = {
    places,
    base,
    redis,
    manifest: (task_id, capability_id, source, destination) => ({
      task_id,
      capability_id,
      inputs: { source_path: path.join(base, source), ...(destination === undefined ? {} : { destination_path: path.join(base, destination) }) },
      constraints: capability_id === 'FILE_DELETE' ? { reversible: true } : {},
    }),
    file(name, text = name) {
      writeFileSync(path.join(base, name), text);
      return path.join(base, name);
    },
    cli: (args, input) => commandLine(['--data-dir', places.dataDir, ...args], input),
    async json(args, input) {
      const said = await installation.cli([...args, '--json'], input);
      return { ...lastJson(said), code: said.code };
    },
    start,
    async spawn(args, input = '') {
      const { child, said } = start(args);
      child.stdin.end(input);
      return said;
    },
    async startWorker() {
      workerRole = await createWorkerRole(context);
      await workerRole.start();
    },
    async stopWorker() {
      await workerRole?.stop();
      workerRole = undefined;
    },
    async stopKernel() {
      await kernel?.stop();
      kernel = undefined;
    },
    async [Symbol.asyncDispose]() {
      await workerRole?.stop();
      await kernel?.stop();
      await redis.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
  return installation;
}
