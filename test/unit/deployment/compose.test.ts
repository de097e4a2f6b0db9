import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { loadConfig } from '../../../config/load.ts';
import { packageRoot } from '../../../config/package.ts';
import { CAPABILITY_QUEUE } from '../../../src/contracts/index.ts';
import { createHostRule } from '../../../src/surfaces/http/security/host-origin.ts';
import { composeText } from '../../support/compose-text.ts';

interface Service {
  readonly image?: string;
  readonly user?: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly secrets?: readonly string[];
  readonly networks?: readonly string[];
  readonly read_only?: boolean;
  readonly mem_limit?: string;
  readonly cpus?: number;
  readonly pids_limit?: number;
  readonly cap_drop?: readonly string[];
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: object;
  readonly networks: Readonly<Record<string, { readonly internal?: boolean }>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
}

const inRoot = (file: string): string => path.join(packageRoot(), file);
const composeWith = (env: Readonly<Record<string, string>>): Compose => parse(composeText(env), { merge: true }) as Compose;
const compose = composeWith({});
const services = Object.entries(compose.services);
const roles = Object.fromEntries(services.filter(([, { image }]) => image === 'writ:local'));

describe('docker-compose.yml', () => {
  it('has each role as a service of its own, started with a command that writ has', () => {
    const words = Object.fromEntries(Object.entries(roles).map(([name, { command = [] }]) => [name, command.slice(2)]));
    expect(words).toEqual({
      init: ['init'],
      kernel: ['kernel'],
      worker: ['worker', '--queues', 'file,plan'],
      search: ['worker', '--queues', 'search'],
      'index-host': ['index-host'],
      api: ['api'],
    });
    for (const { command } of Object.values(roles)) expect(command?.slice(0, 2)).toEqual(['--config', '/run/secrets/writ_toml']);
    // Nobody waits for a queue that no service serves.
    expect(Object.values(words).flatMap(([, , queues = '']) => queues.split(',').filter(Boolean))).toEqual(
      expect.arrayContaining([...new Set(Object.values(CAPABILITY_QUEUE))]),
    );
    const help = readFileSync(inRoot('src/surfaces/cli/commands/roles.ts'), 'utf8') + readFileSync(inRoot('src/surfaces/cli/commands/setup.ts'), 'utf8');
    for (const [role] of Object.values(words)) expect(help).toContain(`.command('${role}')`);
  });

  it('mounts only files, volumes and secrets that exist', () => {
    for (const [, { volumes = [], secrets = [], networks = [] }] of services) {
      for (const mount of volumes) {
        const [source = ''] = mount.split(':');
        if (source.startsWith('./')) expect([source, existsSync(inRoot(source))]).toEqual([source, true]);
        else if (source !== '/dev/null') expect(Object.keys(compose.volumes)).toContain(source);
      }
      for (const secret of secrets) expect(Object.keys(compose.secrets)).toContain(secret);
      for (const network of networks) if (network !== 'none') expect(Object.keys(compose.networks)).toContain(network);
    }
    // Secrets are files that no commit can take along.
    expect(readFileSync(inRoot('.gitignore'), 'utf8').split('\n')).toContain('secrets/');
    expect(readFileSync(inRoot('.dockerignore'), 'utf8').split('\n')).toContain('secrets');
    for (const { file } of Object.values(compose.secrets)) expect(file).toMatch(/^\.\/secrets\//);
  });

  it('publishes on loopback only, and only what people look at', () => {
    const published = services.flatMap(([name, { ports = [] }]) => ports.map((port) => [name, port]));
    expect(published.map(([name]) => name)).toEqual(['api', 'prometheus', 'grafana']);
    for (const [, port] of published) expect(port).toMatch(/^127\.0\.0\.1:\d+:\d+$/);
    expect(compose.networks['inside']?.internal).toBe(true);
  });

  it('may be published on other ports of the host, by whose number the API then lets itself be called', () => {
    const other = composeWith({ WRIT_PORT: '8400', PROMETHEUS_PORT: '9091', GRAFANA_PORT: '3001' });
    const ports = ['api', 'prometheus', 'grafana'].flatMap((name) => other.services[name]?.ports ?? []);
    expect(ports).toEqual(['127.0.0.1:8400:8377', '127.0.0.1:9091:9090', '127.0.0.1:3001:3000']);
    const hosts = other.services['api']?.environment?.['WRIT_HTTP__ALLOWED_HOSTS']?.split(',') ?? [];
    const rule = createHostRule({ host: '0.0.0.0', allowedHosts: hosts, port: () => 8377 });
    const asked = (host: string) =>
      rule.checkHost({ headers: { host }, raw: { rawHeaders: ['Host', host], url: '/' }, socket: { localAddress: '172.18.0.2' } } as never);
    for (const host of ['127.0.0.1:8400', 'localhost:8400', 'api:8377']) expect(() => asked(host)).not.toThrow();
    expect(() => asked('127.0.0.1:9999')).toThrow('names no host of this server');
  });

  it('runs nothing as root, with no capabilities, on a read-only file system', () => {
    for (const [name, { user, cap_drop: drop, healthcheck, read_only: readOnly }] of services) {
      expect([name, user]).toEqual([name, expect.stringMatching(/^[1-9]\d*:\d+$/)]);
      expect([name, drop]).toEqual([name, ['ALL']]);
      expect([name, readOnly]).toEqual([name, true]);
      if (name !== 'init') expect(healthcheck?.test[0]).toBe('CMD');
    }
  });

  it('lets no role see the private key of another', () => {
    const masked = (name: string): readonly string[] =>
      (roles[name]?.volumes ?? []).filter((mount) => mount.startsWith('/dev/null:')).map((mount) => mount.split('/keys/')[1] ?? '');
    expect(masked('kernel')).toEqual(['executor.key.json:ro']);
    expect(masked('worker')).toEqual(['kernel.key.json:ro']);
    expect(masked('search')).toEqual(['kernel.key.json:ro']);
    for (const name of ['api', 'index-host']) expect([name, masked(name)]).toEqual([name, ['kernel.key.json:ro', 'executor.key.json:ro']]);
  });

  it('lets only the worker of files write to them', () => {
    const mounted = services.flatMap(([name, { volumes = [] }]) => volumes.filter((mount) => mount.startsWith('files:')).map((mount) => [name, mount]));
    expect(mounted).toEqual([
      ['worker', 'files:/srv/files'],
      ['search', 'files:/srv/files:ro'],
      ['index-host', 'files:/srv/files:ro'],
      ['api', 'files:/srv/files:ro'],
    ]);
  });

  it('bounds memory, processors and processes of every service', () => {
    for (const [name, { mem_limit: memory, cpus, pids_limit: pids }] of services) {
      expect([name, memory]).toEqual([name, expect.stringMatching(/^\d+[mg]$/)]);
      expect([name, cpus, pids]).toEqual([name, expect.any(Number), expect.any(Number)]);
    }
  });

  it("is accepted by Debian's docker-compose, which reads the schema of the specification", () => {
    const seen = parse(execFileSync('docker-compose', ['-f', inRoot('docker-compose.yml'), 'config'], { encoding: 'utf8' })) as Compose;
    expect(Object.keys(seen.services).sort()).toEqual(services.map(([name]) => name).sort());
    for (const [name, { environment = {} }] of services) expect(seen.services[name]?.environment ?? {}).toEqual(environment);
    // What it drops it did not understand.
    for (const [name, { command, user, read_only: readOnly }] of services)
      expect([name, seen.services[name]]).toEqual([name, expect.objectContaining({ ...(command ? { command } : {}), user, read_only: readOnly })]);
  });

  it('is refused by it with a word that it does not know', () => {
    const directory = mkdtempSync(path.join(tmpdir(), 'writ-compose-'));
    const file = path.join(directory, 'docker-compose.yml');
    writeFileSync(file, readFileSync(inRoot('docker-compose.yml'), 'utf8').replace('pids_limit: 32', 'pids_limits: 32'));
    expect(() => execFileSync('docker-compose', ['-f', file, 'config', '-q'], { stdio: 'pipe' })).toThrow("'pids_limits'");
    rmSync(directory, { recursive: true });
  });

  it('keeps what Redis was given, and does not renew leases at a retry', () => {
    expect(compose.services['redis']?.command?.join(' ')).toContain('--appendonly yes --appendfsync everysec --maxmemory 512mb --maxmemory-policy noeviction');
    expect(roles['api']?.environment?.['WRIT_BOARD__REGRANT']).toBe('false');
  });

  it.each(Object.entries(roles))('gives %s settings that are accepted', (_name, { environment = {} }) => {
    const directory = mkdtempSync(path.join(tmpdir(), 'writ-compose-'));
    // As docs/monitoring.md has it made.
    const configFile = path.join(directory, 'writ.toml');
    writeFileSync(configFile, '[redis]\nurl = "redis://:secret@redis:6379"\n');
    const { config, sources } = loadConfig({ env: environment, dataDir: path.join(directory, 'data'), configFile, cwd: directory });
    expect(config.file.base_directories).toEqual({ files: '/srv/files' });
    expect(config.redis.url).toContain('@redis:6379');
    expect(sources.size).toBeGreaterThan(0);
    rmSync(directory, { recursive: true });
  });

  it('waits for what a service needs to be healthy', () => {
    for (const [, { depends_on: needs = {} }] of services) {
      for (const [name, { condition }] of Object.entries(needs)) {
        expect(Object.keys(compose.services)).toContain(name);
        expect(condition).toBe(name === 'init' ? 'service_completed_successfully' : 'service_healthy');
      }
    }
  });
});

describe('grafana/provisioning', () => {
  it('points to the data source and to the directory of dashboards that the container has', () => {
    const read = (file: string): unknown => parse(readFileSync(inRoot(file), 'utf8'), { merge: false });
    expect(read('grafana/provisioning/datasources/prometheus.yaml')).toMatchObject({
      apiVersion: 1,
      datasources: [{ type: 'prometheus', url: 'http://prometheus:9090' }],
    });
    expect(read('grafana/provisioning/dashboards/writ.yaml')).toMatchObject({
      apiVersion: 1,
      providers: [{ type: 'file', options: { path: '/var/lib/grafana/dashboards' } }],
    });
    expect(compose.services['grafana']?.volumes).toContain('./grafana/dashboards:/var/lib/grafana/dashboards:ro');
  });
});

describe('Dockerfile', () => {
  const dockerfile = readFileSync(inRoot('Dockerfile'), 'utf8');
  const [build = '', final = ''] = dockerfile.split(/^FROM /m).slice(1);

  it('pins its base, and every image of docker-compose.yml has a version', () => {
    expect(dockerfile).toMatch(/^ARG NODE=\d+\.\d+\.\d+-bookworm-slim$/m);
    expect([build, final].every((stage) => stage.startsWith(['node:', '{NODE}'].join('$')))).toBe(true);
    for (const [, { image = '' }] of services) expect(image).toMatch(/^(writ:local|[a-z/]+:v?\d+\.\d+\.\d+(-[a-z]+)?)$/);
  });

  it('ends as a user without rights, with nothing that only building or testing needs', () => {
    expect(build).toContain('npm prune --omit=dev');
    expect(final).not.toMatch(/apt-get|npm |\bADD\b|COPY \./);
    expect(final).toMatch(/^USER 10001:10001$/m);
    const copied = [...final.matchAll(/^COPY --from=build \/app\/(\S+) /gm)].map(([, source]) => source);
    expect(copied.filter((source) => source?.startsWith('dist'))).toEqual(['dist/config', 'dist/processors', 'dist/queues', 'dist/src']);
    expect(final).toContain('ENTRYPOINT ["node", "/app/dist/src/bin/writ.js"]');
  });
});
