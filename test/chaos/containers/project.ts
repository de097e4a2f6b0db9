import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parse, stringify } from 'yaml';
import { packageRoot } from '../../../config/package.ts';
import { patient } from '../../support/patience.ts';
import { type Ran, ran } from '../package/ran.ts';
import type { Engine } from './engine.ts';

/** The roles and what they need. Grafana is in no package of Debian: its service is the one that is not run. */
export const SERVICES = ['redis', 'kernel', 'worker', 'search', 'index-host', 'api', 'prometheus'] as const;
export const ROLES = ['kernel', 'worker', 'search', 'index-host', 'api'] as const;
export type ServiceName = (typeof SERVICES)[number];

const HEALTHY_WITHIN_MS = patient(240_000);
const LOOK_MS = 500;
const WRIT = ['node', '/app/dist/src/bin/writ.js', '--config', '/run/secrets/writ_toml'];

/** A checkout of one commit in a directory of its own, run by Compose. */
export interface Project {
  readonly directory: string;
  /** Of the API and of Prometheus on this host. */
  readonly ports: Readonly<Record<'api' | 'prometheus', number>>;
  /** Shell lines as they stand in a page, but for the number of the port; stops at the first that fails. */
  shell(lines: string): Promise<Ran>;
  compose(...words: string[]): Promise<Ran>;
  /** As `compose`; throws when it fails. */
  must(...words: string[]): Promise<string>;
  /** `writ` inside of a running service. */
  writ(service: ServiceName, ...words: string[]): Promise<Ran>;
  /** Where a volume lies on this host. */
  volume(name: string): Promise<string>;
  /** Waits until these are healthy, every container of each. */
  healthy(services: readonly ServiceName[]): Promise<void>;
  /** The process of a service on this host, and how often the engine has started it again; of its first container. */
  state(service: ServiceName): Promise<ServiceState>;
  /** As `state`, for every container of the service. */
  states(service: ServiceName): Promise<readonly ServiceState[]>;
}

export interface ServiceState {
  readonly id: string;
  readonly pid: number;
  readonly restarts: number;
  readonly exitCode: number;
  readonly status: string;
  readonly health: string;
}

/** @param commit what is checked out */
export async function createProject(engine: Engine, home: string, name: string, commit: string): Promise<Project> {
  const directory = path.join(home, name);
  mkdirSync(directory);
  await checkOut(commit, directory);
  const services = Object.keys((parse(readFileSync(path.join(directory, 'docker-compose.yml'), 'utf8')) as { services: object }).services);
  writeFileSync(path.join(directory, 'docker-compose.override.yml'), stringify({ services: overrides(services) }));
  const ports = { api: await freePort(), prometheus: await freePort() };
  const env = { ...engine.env, COMPOSE_PROJECT_NAME: name, WRIT_PORT: String(ports.api), PROMETHEUS_PORT: String(ports.prometheus) };

  const compose = (...words: string[]): Promise<Ran> => ran('docker', ['compose', ...words], directory, env);
  const states = async (service: ServiceName): Promise<readonly ServiceState[]> => {
    const filters = ['--filter', `label=com.docker.compose.project=${name}`, '--filter', `label=com.docker.compose.service=${service}`];
    const ids = (await engine.must('ps', '--all', '--quiet', ...filters)).split('\n').filter(Boolean);
    const found = JSON.parse(ids.length === 0 ? '[]' : await engine.must('inspect', ...ids)) as Inspected[];
    return found.map(({ Id: id, RestartCount: restarts, State: { Pid: pid, ExitCode: exitCode, Status: status, Health } }) => {
      return { id, pid, exitCode, status, restarts, health: Health?.Status ?? 'none' };
    });
  };
  const state = async (service: ServiceName): Promise<ServiceState> => (await states(service))[0] ?? ABSENT;
  const firstIll = async (service: ServiceName): Promise<ServiceState | undefined> => {
    const all = await states(service);
    return all.length === 0 ? ABSENT : all.find(({ health }) => health !== 'healthy');
  };
  const lastWords = async ({ id }: ServiceState): Promise<string> => {
    const { out, err } = await engine.docker('logs', '--tail', '20', id);
    return out + err;
  };
  return {
    directory,
    ports,
    compose,
    state,
    states,
    shell: (lines) => ran('bash', ['-euxo', 'pipefail', '-c', lines.replaceAll('127.0.0.1:8377', `127.0.0.1:${ports.api}`)], directory, env),
    async must(...words) {
      const { code, out, err } = await compose(...words);
      if (code !== 0) throw new Error(`docker compose ${words.join(' ')} ended with ${code}: ${out.slice(-3000)}${err.slice(-3000)}`);
      return out;
    },
    writ: (service, ...words) => compose('exec', '-T', service, ...WRIT, ...words),
    volume: (volume) => engine.must('volume', 'inspect', '--format', '{{.Mountpoint}}', `${name}_${volume}`),
    async healthy(wanted) {
      const end = performance.now() + HEALTHY_WITHIN_MS;
      for (const service of wanted) {
        for (let ill = await firstIll(service); ill !== undefined; ill = await firstIll(service)) {
          if (performance.now() > end) throw new Error(`${service} is ${ill.status}, ${ill.health}: ${await lastWords(ill)}`);
          await delay(LOOK_MS);
        }
      }
    },
  };
}

/** A service without a container. */
const ABSENT: ServiceState = { id: '', pid: 0, exitCode: -1, status: 'absent', restarts: 0, health: 'none' };

interface Inspected {
  readonly Id: string;
  readonly RestartCount: number;
  readonly State: { readonly Pid: number; readonly ExitCode: number; readonly Status: string; readonly Health?: { readonly Status: string } };
}

/** Earlier files of Compose know one port; this host may use it for something else. */
export function withPorts(text: string, { ports }: Pick<Project, 'ports'>): string {
  if (text.includes('WRIT_PORT')) return text;
  return text
    .replace('127.0.0.1:8377:8377', `127.0.0.1:${ports.api}:8377`)
    .replace('127.0.0.1:9090:9090', `127.0.0.1:${ports.prometheus}:9090`)
    .replace('WRIT_HTTP__ALLOWED_HOSTS: api\n', `WRIT_HTTP__ALLOWED_HOSTS: "api,127.0.0.1:${ports.api}"\n`);
}

/** An engine without a bridge builds in the host's network; a service of a profile that nobody names is not started. */
function overrides(services: readonly string[]): Readonly<Record<string, object>> {
  const own = services.filter((service) => service === 'init' || ROLES.some((role) => role === service));
  return { ...Object.fromEntries(own.map((service) => [service, { build: { context: '.', network: 'host' } }])), grafana: { profiles: ['registry'] } };
}

async function checkOut(commit: string, directory: string): Promise<void> {
  const tarball = path.join(directory, '..', `${path.basename(directory)}.tar`);
  for (const [program, ...words] of [
    ['git', '-C', packageRoot(), 'archive', '--output', tarball, commit],
    ['tar', '-C', directory, '-xf', tarball],
  ] as const) {
    const { code, err } = await ran(program, words, directory);
    if (code !== 0) throw new Error(`${commit} cannot be checked out: ${err}`);
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
