import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { loadConfig } from '../../../config/load.ts';
import { createKernelRole } from '../../../src/bin/roles/kernel.ts';
import { ROLES, type Role, type TaskManifest } from '../../../src/contracts/index.ts';
import { createApiKeyStore } from '../../../src/data-dir/api-keys.ts';
import { type DataDirPaths, dataDirPaths } from '../../../src/data-dir/paths.ts';
import { ensureKeys } from '../../../src/data-dir/signing-keys.ts';
import { createLogger } from '../../../src/observability/logging.ts';
import { startTestRedis, type TestRedis } from '../../support/redis.ts';
import { type Running, startRole } from './role-process.ts';

/** A data directory with Redis, a kernel in this process, and the API and a worker as processes of their own. */
export interface DoorInstallation {
  readonly places: DataDirPaths;
  /** The one base directory. */
  readonly base: string;
  readonly redis: TestRedis;
  readonly api: Running;
  readonly url: string;
  key(name: string, roles?: readonly Role[]): Promise<string>;
  startWorker(): Promise<Running>;
  stop(): Promise<void>;
}

const SETTINGS = ['http.port=0', 'http.rate_limit=10000000', 'log.level=error'];

/** `descriptors`: how many file descriptors the roles may open (role-process.ts). */
export async function startInstallation({ descriptors }: { readonly descriptors?: number } = {}): Promise<DoorInstallation> {
  const home = mkdtempSync(path.join(tmpdir(), 'writ-door-'));
  const base = path.join(home, 'base');
  mkdirSync(base);
  const places = dataDirPaths(path.join(home, 'data'));
  await ensureKeys(places);
  writeFileSync(places.configFile, `[file.base_directories]\nmain = ${JSON.stringify(base)}\n`, { mode: 0o600 });
  const { config } = loadConfig({ dataDir: places.dataDir, env: {} });
  const redis = await startTestRedis({ directory: places.redis, maxmemoryBytes: 4 * 2 ** 30 });
  const kernel = await createKernelRole({ config, places, log: createLogger('error', 'kernel') });
  await kernel.start();

  const processes: Running[] = [];
  const start = async (role: string): Promise<Running> => {
    const args = [role, '--data-dir', places.dataDir, ...SETTINGS.flatMap((setting) => ['--set', setting])];
    const running = await startRole(args, descriptors === undefined ? {} : { descriptors });
    processes.push(running);
    return running;
  };
  const stop = async (): Promise<void> => {
    for (const running of processes.reverse()) await running.stop();
    await kernel.stop();
    await redis.stop();
    rmSync(home, { recursive: true, force: true });
  };
  try {
    const api = await start('api');
    const keys = createApiKeyStore({ file: places.apiKeys });
    return {
      places,
      base,
      redis,
      api,
      url: readFileSync(places.apiUrl, 'utf8').trim(),
      key: async (name, roles = ROLES) => (await keys.create({ name, roles })).secret,
      startWorker: () => start('worker'),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** A task that can only fail: its source does not exist. */
export function failingManifest(base: string, name: string): TaskManifest {
  return {
    task_id: name,
    capability_id: 'FILE_MOVE',
    inputs: { source_path: path.join(base, `missing-${name}`), destination_path: path.join(base, `moved-${name}`) },
    constraints: {},
  };
}
