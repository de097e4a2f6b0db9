import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { loadConfig } from '../../../config/load.ts';
import { createApiRole } from '../../../src/bin/roles/api.ts';
import type { ContentSearchAnswer, IndexStatus } from '../../../src/contracts/index.ts';
import { type DataDirPaths, dataDirPaths } from '../../../src/data-dir/paths.ts';
import { createLogger } from '../../../src/observability/logging.ts';
import { scriptArgs } from '../../support/compiled/script.ts';
import { startTestRedis } from '../../support/redis.ts';

const WRIT = new URL('../../../src/bin/writ.ts', import.meta.url);

type Child = ChildProcessByStdio<null, Readable, Readable>;

/** A line of the log of the role. */
export type LogLine = Readonly<Record<string, unknown>> & { readonly msg: string };

/** `writ index-host` as a process. */
export interface HostRole {
  readonly lines: readonly LogLine[];
  /** Resolves with the first line that fits, those before included. */
  until(fits: (line: LogLine) => boolean): Promise<LogLine>;
  kill(signal: NodeJS.Signals): Promise<number | null>;
}

/** What a user has: settings with an index, Redis, the API in this process, and the program. */
export interface IndexInstallation extends AsyncDisposable {
  readonly tree: string;
  readonly cache: string;
  readonly places: DataDirPaths;
  startHost(): HostRole;
  /** The program itself, in the tree. */
  writ(args: readonly string[], cwd?: string): Promise<{ readonly code: number | null; readonly out: string; readonly err: string }>;
  search(request: object): Promise<ContentSearchAnswer>;
  get(address: string): Promise<{ readonly status: number; readonly body: string }>;
  post(address: string): Promise<{ readonly status: number; readonly body: string }>;
  indexes(): Promise<readonly IndexStatus[]>;
}

export const isState =
  (state: string) =>
  (line: LogLine): boolean =>
    line.msg === 'an index changed its state' && line['state'] === state;

/** @param files by path, what the tree has */
export async function startIndexInstallation(files: Readonly<Record<string, string>>, settings = ''): Promise<IndexInstallation> {
  const home = realpathSync(mkdtempSync(path.join(tmpdir(), 'writ-index-')));
  const places = dataDirPaths(path.join(home, 'data'));
  const [tree, cache] = [path.join(home, 'tree'), path.join(home, 'cache')];
  for (const directory of [tree, places.dataDir]) mkdirSync(directory, { mode: 0o700 });
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(tree, name)), { recursive: true });
    writeFileSync(path.join(tree, name), content);
  }
  const search = `[tools.search]\nenabled = true\nemit_stats = true\nindex_mode = "on"\nindex_roots = ["${tree}"]\nindex_path = "${cache}"\n`;
  writeFileSync(places.configFile, `${search}${settings}[tools.sandbox]\nallowed_roots = ["${tree}"]\n[http]\nport = 0\n`, { mode: 0o600 });
  const { config } = loadConfig({ dataDir: places.dataDir, env: {} });
  const redis = await startTestRedis({ directory: places.redis });
  const api = await createApiRole({ config, places, log: createLogger('silent', 'test') });
  await api.start();
  const url = (await readFile(places.apiUrl, 'utf8')).trim();
  const start = (args: readonly string[], cwd = tree): Child =>
    spawn(process.execPath, scriptArgs(WRIT, ['--data-dir', places.dataDir, ...args]), { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  const children: Child[] = [];
  const writ: IndexInstallation['writ'] = async (args, cwd) => {
    const child = start(args, cwd);
    const ended = once(child, 'close');
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
    await ended;
    return { code: child.exitCode, out, err };
  };
  const made = await writ(['key', 'create', 'all', '--roles', 'search,read,operate', '--print', '--json']);
  const { secret } = JSON.parse(made.out) as { secret: string };
  const call = async (method: string, address: string, body?: object) => {
    const headers = { authorization: `Bearer ${secret}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) };
    const response = await fetch(url + address, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
    return { status: response.status, body: await response.text() };
  };
  return {
    tree,
    cache,
    places,
    startHost() {
      const child = start(['index-host']);
      children.push(child);
      return hostRole(child);
    },
    writ,
    async search(request) {
      const { status, body } = await call('POST', '/v1/search', request);
      if (status !== 200) throw new Error(`${status}: ${body}`);
      return JSON.parse(body) as ContentSearchAnswer;
    },
    get: (address) => call('GET', address),
    post: (address) => call('POST', address),
    indexes: async () => (JSON.parse((await call('GET', '/v1/index')).body) as { indexes: IndexStatus[] }).indexes,
    async [Symbol.asyncDispose]() {
      for (const child of children) if (child.kill('SIGKILL')) await once(child, 'close');
      await api.stop();
      await redis.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

function hostRole(child: Child): HostRole {
  const lines: LogLine[] = [];
  const waiting = new Set<(line: LogLine) => void>();
  const ended = once(child, 'close');
  createInterface({ input: child.stderr }).on('line', (line) => {
    const said: LogLine = line.startsWith('{') ? (JSON.parse(line) as LogLine) : { msg: line };
    lines.push(said);
    for (const look of waiting) look(said);
  });
  return {
    lines,
    until(fits) {
      const before = lines.find(fits);
      if (before !== undefined) return Promise.resolve(before);
      return new Promise((resolve, reject) => {
        const look = (line: LogLine): void => {
          if (!fits(line)) return;
          waiting.delete(look);
          resolve(line);
        };
        waiting.add(look);
        void ended.then(() => reject(new Error(`the role ended; it had said ${JSON.stringify(lines.slice(-5))}`)));
      });
    },
    async kill(signal) {
      child.kill(signal);
      await ended;
      return child.exitCode;
    },
  };
}
