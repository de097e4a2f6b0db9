import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Redis } from 'ioredis';
import { type LoadedConfig, loadConfig } from '../../../config/load.ts';
import type { RedisTarget } from '../../../src/adapters/redis/target.ts';
import { createApiRole } from '../../../src/bin/roles/api.ts';
import { createIndexHostRole } from '../../../src/bin/roles/index-host.ts';
import { createKernelRole } from '../../../src/bin/roles/kernel.ts';
import { createWorkerRole } from '../../../src/bin/roles/worker.ts';
import type { Lifecycle } from '../../../src/core/lifecycle.ts';
import { dataDirPaths } from '../../../src/data-dir/paths.ts';
import { ensureKeys } from '../../../src/data-dir/signing-keys.ts';
import { createLogger } from '../../../src/observability/logging.ts';
import { createTestCa } from '../../support/certificates.ts';
import { commandLine, lastJson } from '../../support/command-line.ts';
import { freePorts } from '../../support/ports.ts';
import { startRedisServer } from '../../support/redis-server.ts';
import { FAST_LOCKS } from '../../support/rig.ts';

/** An installation whose roles each have a user of their own in Redis, over TLS. */
export interface AclSite extends AsyncDisposable {
  readonly base: string;
  readonly admin: Redis;
  /** Where the server is for a user with that password. */
  target(user: string, password: string): RedisTarget;
  readonly places: ReturnType<typeof dataDirPaths>;
  /** As that user. */
  client(user: string): Redis;
  config(user: string): LoadedConfig['config'];
  file(name: string, text?: string): string;
  /** The command line with the user of the API, in JSON; the last line. */
  cli(args: readonly string[], input?: string): Promise<Record<string, unknown> & { readonly code: number }>;
  /** The running API as the operator. */
  call(method: string, address: string, body?: object): Promise<{ readonly status: number; readonly body: Record<string, unknown> }>;
  readonly key: string;
  readonly url: string;
}

/**
 * @param users lines of a configuration of Redis, as deploy/redis/users.conf has them
 * @param prepare is called before the roles start
 */
export async function startAclSite(users: readonly string[], prepare: (site: Pick<AclSite, 'base' | 'places'>) => void = () => undefined): Promise<AclSite> {
  const home = realpathSync(mkdtempSync(path.join(tmpdir(), 'writ-acl-')));
  const places = dataDirPaths(path.join(home, 'data'));
  const [base, cache] = [path.join(home, 'base'), path.join(home, 'cache')];
  for (const directory of [base, places.dataDir]) mkdirSync(directory, { mode: 0o700 });
  await ensureKeys(places);
  const [port = 0] = await freePorts(1);
  const ca = createTestCa();
  const { cert, key } = ca.issue('redis', 'DNS:localhost');
  const tls = ['port 0', `tls-port ${port}`, `tls-cert-file ${cert}`, `tls-key-file ${key}`, `tls-ca-cert-file ${ca.cert}`, 'tls-auth-clients no'];
  const server = await startRedisServer([...tls, 'bind 127.0.0.1', 'appendonly yes', 'user admin on >admin ~* &* +@all', ...users]);
  const url = (user: string): string => `rediss://${user}:CHANGE-ME@localhost:${port}/0`;
  const toml = (entries: object): string =>
    Object.entries(entries)
      .map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`)
      .join('');
  const sections = {
    redis: { url: url('writ-api') },
    'redis.tls': { ca_file: ca.cert },
    worker: FAST_LOCKS,
    log: { level: 'silent' },
    http: { port: 0 },
    'file.base_directories': { main: base },
    'search.scopes.base': { kind: 'files', path: base },
    'tools.search': { enabled: true, index_mode: 'on', index_roots: [base], index_path: cache, binary: 'rg' },
    'tools.sandbox': { allowed_roots: [base] },
  };
  const text = Object.entries(sections).map(([name, entries]) => `[${name}]\n${toml(entries)}`);
  writeFileSync(places.configFile, text.join(''), { mode: 0o600 });

  const config = (user: string) => loadConfig({ dataDir: places.dataDir, env: {}, flags: { 'redis.url': url(user) } }).config;
  const context = (user: string) => ({ config: config(user), places, log: createLogger(config(user).log.level, 'test') });
  const roles: Lifecycle[] = [];
  const start = async (role: Lifecycle): Promise<void> => {
    roles.unshift(role);
    await role.start();
  };
  prepare({ base, places });
  await start(await createKernelRole(context('writ-kernel')));
  await start(await createWorkerRole(context('writ-worker')));
  await start(createIndexHostRole(context('writ-index')));
  await start(await createApiRole(context('writ-api')));
  const trusted = { host: 'localhost', port, tls: { ca: readFileSync(ca.cert) } };
  const admin = new Redis({ ...trusted, username: 'admin', password: 'admin' });
  const clients: Redis[] = [admin];

  const site: AclSite = {
    base,
    admin,
    places,
    config,
    url: readFileSync(places.apiUrl, 'utf8').trim(),
    key: '',
    target: (user, password) => ({ url: url(user).replace('CHANGE-ME', password), tls: { caFile: ca.cert } }),
    client(user) {
      const redis = new Redis({ ...trusted, username: user, password: 'CHANGE-ME', maxRetriesPerRequest: 1 });
      clients.push(redis);
      return redis;
    },
    file(name, content = name) {
      writeFileSync(path.join(base, name), content);
      return path.join(base, name);
    },
    async cli(args, input) {
      const said = await commandLine(['--data-dir', places.dataDir, ...args, '--json'], input);
      return { ...lastJson(said), code: said.code, err: said.err };
    },
    async call(method, address, body) {
      const headers = { authorization: `Bearer ${site.key}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) };
      const response = await fetch(site.url + address, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
      const said = await response.text();
      return { status: response.status, body: said.startsWith('{') || said.startsWith('[') ? JSON.parse(said) : { text: said } };
    },
    async [Symbol.asyncDispose]() {
      for (const role of roles) await role.stop();
      for (const redis of clients) redis.disconnect();
      await server.stop();
      ca[Symbol.dispose]();
      rmSync(home, { recursive: true, force: true });
    },
  };
  const { secret } = await site.cli(['key', 'create', 'all', '--roles', 'submit,read,operate,kernel,search,ingest', '--print']);
  return Object.assign(site, { key: String(secret) });
}
