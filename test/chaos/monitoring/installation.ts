import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Redis } from 'ioredis';
import { type DataDirPaths, dataDirPaths } from '../../../src/data-dir/paths.ts';
import { WritClient } from '../../../src/surfaces/client/index.ts';
import { commandLine, lastJson, type Said } from '../../support/command-line.ts';
import { startHttpProvider } from '../../support/http-provider.ts';
import { freePorts } from '../../support/ports.ts';
import { startPostgresql } from '../../support/postgresql.ts';
import { type Prometheus, startPrometheusWith } from '../../support/prometheus.ts';
import { startRedisServer } from '../../support/redis-server.ts';
import { mountSmallDisk } from '../../support/small-disk.ts';
import { createRole, type Role } from './role.ts';
import { monitoringFiles } from './rules.ts';

export const ROLES = ['kernel', 'worker', 'index-host', 'api'] as const;
export type RoleName = (typeof ROLES)[number];

/** A whole installation with its monitoring, each part of which can be hurt. */
export interface Installation extends AsyncDisposable {
  readonly home: string;
  readonly places: DataDirPaths;
  /** The base directory, which is what the scope and the index know, too. */
  readonly base: string;
  /** Where the files of the index lie. */
  readonly cache: string;
  readonly roles: Readonly<Record<RoleName, Role>>;
  readonly redis: Redis;
  readonly redisPid: number;
  readonly client: WritClient;
  readonly prometheus: Prometheus;
  /** What the receiver of webhooks answers; 204 in peace. */
  readonly receiver: { status: number };
  readonly apiUrl: string;
  /** A command of the program, on this data directory. */
  cli(args: readonly string[], input?: string): Promise<Said>;
}

/** Shorter than in production, and long enough for a busy machine. */
const LOCKS = { lock_ms: 3000, renew_ms: 1000, stalled_ms: 1000, heartbeat_ms: 600, deaf_ms: 3000 };
const PASSWORD = 'monitored';

export async function startMonitored(): Promise<Installation> {
  const undo: (() => unknown)[] = [];
  const close = async (): Promise<void> => {
    for (const one of undo.splice(0).reverse()) await one();
  };
  try {
    return { ...(await open((one) => undo.push(one))), [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function open(defer: (undo: () => unknown) => void): Promise<Omit<Installation, keyof AsyncDisposable>> {
  const home = realpathSync(mkdtempSync(path.join(tmpdir(), 'writ-monitoring-')));
  defer(() => rmSync(home, { recursive: true, force: true }));
  const [base, cache, logs, data] = ['base', 'cache', 'logs', 'data'].map((name) => path.join(home, name)) as [string, string, string, string];
  for (const directory of [base, logs, data]) mkdirSync(directory, { mode: 0o700 });
  // It can be filled up without harm to others; Redis lies elsewhere.
  defer(mountSmallDisk(data, { bytes: 2 ** 28, names: 3000, command: 'npm run test:long -- monitoring' }).unmount);

  const [apiPort = 0, redisPort = 0] = await freePorts(2);
  const server = await startRedisServer([`port ${redisPort}`, 'bind 127.0.0.1', 'appendonly yes', `requirepass ${PASSWORD}`, 'maxmemory 1gb']);
  defer(server.stop);
  const redisUrl = `redis://:${PASSWORD}@127.0.0.1:${redisPort}`;
  const redis = new Redis(redisUrl);
  defer(() => redis.disconnect());
  const receiver = { status: 204 };
  const hook = await startHttpProvider((_, response) => void response.writeHead(receiver.status).end());
  defer(() => hook[Symbol.asyncDispose]());

  // Its panels have a value where there is one.
  const postgresql = await startPostgresql();
  defer(() => postgresql[Symbol.asyncDispose]());
  const database = postgresql.database();

  const places = dataDirPaths(data);
  const cli: Installation['cli'] = (args, input) => commandLine(['--data-dir', data, ...args], input);
  await cli(['init']);
  writeFileSync(places.configFile, settings({ apiPort, redisUrl, base, cache, database, hook: `${hook.url}/hook` }), { mode: 0o600 });
  const roles = Object.fromEntries(ROLES.map((name) => [name, createRole(['--data-dir', data, name], logs)])) as Record<RoleName, Role>;
  defer(() => Promise.all(Object.values(roles).map((role) => role.end('SIGKILL'))));
  for (const name of ROLES) await roles[name].start();
  const made = await cli(['key', 'create', 'all', '--roles', 'submit,search,read,ingest,operate,kernel', '--print', '--json']);
  const apiUrl = `http://127.0.0.1:${apiPort}`;
  const client = new WritClient({ baseUrl: apiUrl, key: String(lastJson(made)['secret']), timeoutMs: 20_000, retries: 2 });
  const prometheus = await startPrometheusWith(monitoringFiles(apiPort));
  defer(() => prometheus[Symbol.asyncDispose]());
  return { home, places, base, cache, roles, redis, redisPid: server.pid, client, prometheus, receiver, apiUrl, cli };
}

interface Settings {
  readonly apiPort: number;
  readonly redisUrl: string;
  readonly base: string;
  readonly cache: string;
  readonly database: string;
  readonly hook: string;
}

function settings({ apiPort, redisUrl, base, cache, database, hook }: Settings): string {
  const directory = JSON.stringify(base);
  return [
    `[http]\nport = ${apiPort}\n[log]\nlevel = "warn"\n[redis]\nurl = "${redisUrl}"\n[worker]`,
    ...Object.entries(LOCKS).map(([name, value]) => `${name} = ${value}`),
    `[file.base_directories]\nmain = ${directory}`,
    `[search.scopes.main]\nkind = "files"\npath = ${directory}`,
    `[tools.search]\nenabled = true\nemit_stats = true\nindex_mode = "on"\nindex_roots = [${directory}]\nindex_path = ${JSON.stringify(cache)}`,
    `[tools.sandbox]\nallowed_roots = [${directory}]`,
    `[messages]\nengine = "postgresql"\npostgresql_url = "${database}"`,
    `[webhooks.endpoints.all]\nurl = "${hook}"\nallow = ["127.0.0.1"]\ncapabilities = ["FILE_COPY"]\n`,
  ].join('\n');
}
