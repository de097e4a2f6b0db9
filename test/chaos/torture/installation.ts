import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type DataDirPaths, dataDirPaths } from '../../../src/data-dir/paths.ts';
import { WritClient } from '../../../src/surfaces/client/index.ts';
import { commandLine, lastJson, type Said } from '../../support/command-line.ts';
import { createOtherClock, type OtherClock } from '../../support/other-clock.ts';
import { freePorts } from '../../support/ports.ts';
import { startTestRedis, type TestRedis } from '../../support/redis.ts';
import { fillDisk, mountSmallDisk } from '../../support/small-disk.ts';
import { ENDPOINTS, type Endpoint } from './model.ts';
import { type Provider, startProvider, TOOL } from './provider.ts';
import { type Delivery, type Receiver, startReceiver } from './receivers.ts';
import { createRoles, type Roles } from './roles.ts';

/** A whole installation in a directory of its own, and everything around it that can be hurt. */
export interface Installation extends AsyncDisposable {
  readonly places: DataDirPaths;
  /** The one base directory. */
  readonly base: string;
  /** What is searched by content, with an index, and by name, as the scope `tree`. */
  readonly tree: string;
  /** Where the files of the index lie. */
  readonly cache: string;
  readonly redis: TestRedis;
  readonly roles: Roles;
  /** The data directory's: journals, stores, logs of audit, settings and Redis. The files of the tasks lie elsewhere. */
  readonly disk: { fill(): void; free(): void };
  /** The kernel's; all others have that of the machine. */
  readonly kernelClock: OtherClock;
  readonly client: WritClient;
  readonly provider: Provider;
  readonly receivers: Readonly<Record<Endpoint, Receiver>>;
  readonly deliveries: readonly Delivery[];
  /** Exchanges the file of the settings for one with another limit, which running roles take up; where there is no room for it, it stays. */
  settings(maxRunS: number): void;
  cli(args: readonly string[]): Promise<Said>;
}

/** Several times what minutes of load leave: the log of the task index alone grows to 64 MiB before it is written back, and Redis' file as far. */
const DISK_BYTES = 3 * 2 ** 27;
/** An attempt to deliver a notice. */
export const ATTEMPT_MS = 1500;
/** Whom an endpoint is told of beside what names it. */
const TOLD = {
  files: 'capabilities = ["FILE_MOVE", "FILE_COPY", "FILE_DELETE"]\nplans = true',
  named: '',
  mine: 'keys = ["producer"]',
} satisfies Record<Endpoint, string>;
/** Shorter than in production, and long enough for a busy machine. */
const LOCKS = { lock_ms: 3000, renew_ms: 1000, stalled_ms: 1000, heartbeat_ms: 600, drain_ms: 20_000 };

export async function startTorture(): Promise<Installation> {
  const home = mkdtempSync(path.join(tmpdir(), 'writ-torture-'));
  const inside = (name: string): string => path.join(home, name);
  const [base, tree, cache, registry, logs] = [inside('base'), inside('tree'), inside('cache'), inside('registry'), inside('logs')];
  for (const directory of [base, tree, logs]) mkdirSync(directory);
  plant(tree);
  const small = mountSmallDisk(path.join(home, 'data'), { bytes: DISK_BYTES, command: 'npm run torture' });
  const places = dataDirPaths(small.directory);
  const [apiPort = 0, ...ports] = await freePorts(1 + ENDPOINTS.length);
  const provider = await startProvider();
  layOutTool(registry, provider);
  const cli = (args: readonly string[]): Promise<Said> => commandLine(['--data-dir', places.dataDir, ...args]);
  await cli(['init']);

  const settings = (maxRunS: number): void => {
    const lines = [
      '[worker]',
      ...Object.entries(LOCKS).map(([name, value]) => `${name} = ${value}`),
      `[http]\nport = ${apiPort}\n[log]\nlevel = "warn"\n[file]\nmax_run_s = ${maxRunS}\n[plan]\nsweep_ms = 500\nregistry_dir = ${JSON.stringify(registry)}`,
      `[file.base_directories]\nmain = ${JSON.stringify(base)}`,
      ...searching(tree, cache),
      `[webhooks]\ntimeout_ms = ${ATTEMPT_MS}`,
      ...ENDPOINTS.map((name, at) => `[webhooks.endpoints.${name}]\nurl = "http://127.0.0.1:${ports[at]}/hook"\nallow = ["127.0.0.1"]\n${TOLD[name]}`),
    ];
    try {
      writeFileSync(`${places.configFile}.new`, `${lines.join('\n')}\n`, { mode: 0o600 });
      renameSync(`${places.configFile}.new`, places.configFile);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
  };
  settings(300);

  const filler = path.join(home, 'data', 'filler');
  const disk = { fill: () => fillDisk(filler), free: () => rmSync(filler, { force: true }) };
  const redis = await startTestRedis({ directory: places.redis });
  const kernelClock = createOtherClock(home);
  const roles = createRoles(['--data-dir', places.dataDir], logs, kernelClock);
  const deliveries: Delivery[] = [];
  let webhookKey = '';
  const receivers = Object.fromEntries(
    await Promise.all(ENDPOINTS.map(async (name, at) => [name, await startReceiver(name, ports[at] ?? 0, deliveries, () => webhookKey)] as const)),
  ) as Record<Endpoint, Receiver>;
  const close = async (): Promise<void> => {
    await roles.destroy();
    await redis.stop();
    for (const receiver of Object.values(receivers)) await receiver[Symbol.asyncDispose]();
    await provider[Symbol.asyncDispose]();
    small.unmount();
    rmSync(home, { recursive: true, force: true });
  };
  try {
    await roles.start();
    const made = lastJson(await cli(['key', 'create', 'producer', '--roles', 'submit,read,operate,kernel,approve,search,ingest', '--print', '--json']));
    // Short, so that what is asked of a process that was stopped is asked again.
    const client = new WritClient({ baseUrl: `http://127.0.0.1:${apiPort}`, key: String(made['secret']), timeoutMs: 10_000, retries: 6 });
    webhookKey = (await client.webhooks.list()).public_key;
    return { places, base, tree, cache, redis, disk, roles, kernelClock, client, provider, receivers, deliveries, settings, cli, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Files that nobody looks for: an index has something to leave out. */
const PLANTS = 400;
/** One of their directories. */
export const PLANTED = 'planted-0';

function plant(tree: string): void {
  for (let at = 0; at < PLANTS; at += 1) {
    const directory = path.join(tree, `planted-${at % 20}`);
    mkdirSync(directory, { recursive: true });
    writeFileSync(path.join(directory, `${at}.txt`), `file ${at} of what nobody looks for\n`);
  }
}

function searching(tree: string, cache: string): readonly string[] {
  const [root, index] = [JSON.stringify(tree), JSON.stringify(cache)];
  return [
    `[search.scopes.tree]\nkind = "files"\npath = ${root}`,
    `[tools.search]\nenabled = true\nemit_stats = true\nindex_mode = "on"\nindex_roots = [${root}]\nindex_path = ${index}`,
    `[tools.sandbox]\nallowed_roots = [${root}]`,
  ];
}

/** Definition and binding of the provider's tool, as they lie in a registry. */
function layOutTool(registry: string, { tool: { definition, binding } }: Provider): void {
  for (const part of ['registries', 'config/tools', 'config/tool-bindings']) mkdirSync(path.join(registry, part), { recursive: true });
  const write = (file: string, content: unknown): void => writeFileSync(path.join(registry, file), JSON.stringify(content));
  const file = `config/tools/${TOOL}.tool.json`;
  write('registries/tools.json', [{ ...definition, path: file }]);
  write(file, definition);
  write(`config/tool-bindings/${TOOL}.json`, binding);
}
