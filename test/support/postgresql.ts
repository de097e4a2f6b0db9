import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { openPostgresql, type Postgresql } from '../../src/adapters/postgresql/open.ts';
import { SCHEMA } from '../../src/messages/engines/postgresql/schema.ts';
import { NOBODY } from './nobody.ts';

/** A real server of PostgreSQL for one test file. */
export interface TestPostgresql extends AsyncDisposable {
  /** A database of its own, empty, whose owner is an ordinary user; its address. */
  database(): string;
  /** The database may be had by somebody else; what is in it vanishes then. */
  giveBack(url: string): void;
  /** Statements of the superuser, one after the other; what they print. */
  psql(database: string, statements: string): string;
  /** Every process of it is killed, as by a machine that goes down. */
  kill(): Promise<void>;
  /** Starts it again, on what it has on disk. */
  restart(): Promise<void>;
  /** A hot standby of this server that follows it; only where `replicas` was asked for. */
  replica(): Promise<TestReplica>;
}

/** A second server that follows the first one, made with pg_basebackup. */
export interface TestReplica {
  /** The same database there. */
  at(url: string): string;
  psql(database: string, statements: string): string;
  /** Stops every process of it, as a machine does that hangs; connections stay open. */
  stop(): void;
  goOn(): void;
  end(): Promise<void>;
}

/** Name of the socket; further servers have the next ones. */
const PORT = 5432;
const TABLES = ['mirror', 'messages', 'agents', 'projects', 'product_project_links', 'agent_links', 'products', 'cursor_keys'];
const INSTALLED = '/usr/lib/postgresql';

/** PostgreSQL refuses to run as root, so that then `nobody` runs it. */
export async function startPostgresql({ replicas = false, sharedBuffers = '16MB' } = {}): Promise<TestPostgresql> {
  const bin = path.join(INSTALLED, newest(), 'bin');
  const directory = mkdtempSync(path.join(tmpdir(), 'writ-pg-'));
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(directory, NOBODY, NOBODY);
  chmodSync(directory, 0o755);
  const become = isRoot ? [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'] : [];
  const run = (program: string, args: readonly string[]): void => {
    const ran = spawnSync('setpriv', [...become, path.join(bin, program), ...args], { cwd: directory, encoding: 'utf8' });
    if (ran.status !== 0) throw new Error(`${program}: ${ran.stderr}`);
  };
  const launch = (data: string, port: number) =>
    launched(directory, ['setpriv', '--pdeathsig', 'KILL', ...become, path.join(bin, 'postgres'), '-D', data], port, { replicas, sharedBuffers });
  const data = path.join(directory, 'data');
  run('initdb', ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync', '--no-instructions']);
  let main = await launch(data, PORT);
  const psqlAt =
    (port: number) =>
    (database: string, statements: string): string => {
      const ran = spawnSync(path.join(bin, 'psql'), ['-h', directory, '-p', String(port), '-U', 'postgres', '-v', 'ON_ERROR_STOP=1', '-qAt', database], {
        input: statements,
        encoding: 'utf8',
      });
      if (ran.status !== 0) throw new Error(`psql: ${ran.stderr}`);
      return ran.stdout;
    };
  const psql = psqlAt(PORT);
  const followers: TestReplica[] = [];
  psql('postgres', 'CREATE ROLE writ LOGIN');
  let databases = 0;
  const free: string[] = [];
  return {
    database() {
      const used = free.pop();
      if (used !== undefined) {
        psql(/writ\d+/.exec(used)?.[0] ?? '', `TRUNCATE ${TABLES.map((table) => `${SCHEMA}.${table}`).join()}`);
        return used;
      }
      databases += 1;
      psql('postgres', `CREATE DATABASE writ${databases} OWNER writ`);
      return `postgresql:///writ${databases}?host=${directory}&user=writ`;
    },
    giveBack: (url) => void free.push(url),
    psql,
    kill: () => main.kill(),
    async restart() {
      main = await launch(data, PORT);
    },
    async replica() {
      const port = PORT + followers.length + 1;
      const copy = path.join(directory, `replica${port}`);
      run('pg_basebackup', ['-D', copy, '-h', directory, '-U', 'postgres', '-R', '-X', 'stream', '-c', 'fast', '--no-sync']);
      const server = await launch(copy, port);
      const follower: TestReplica = {
        at: (url) => `${url}&port=${port}`,
        psql: psqlAt(port),
        stop: () => server.signal('SIGSTOP'),
        goOn: () => server.signal('SIGCONT'),
        end: () => server.end(),
      };
      followers.push(follower);
      return follower;
    },
    async [Symbol.asyncDispose]() {
      for (const follower of followers) await follower.end();
      await main.end();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** A server that runs, and what is done to all of its processes. */
async function launched(
  directory: string,
  [program = '', ...args]: readonly string[],
  port: number,
  { replicas, sharedBuffers }: { readonly replicas: boolean; readonly sharedBuffers: string },
) {
  const flags = {
    listen_addresses: '',
    port,
    unix_socket_directories: directory,
    fsync: 'off',
    shared_buffers: sharedBuffers,
    max_wal_senders: replicas ? 4 : 0,
    wal_level: replicas ? 'replica' : 'minimal',
    autovacuum: 'off',
  };
  // A test run that is killed must not leave its servers behind.
  const server = spawn(program, [...args, ...Object.entries(flags).flatMap(([name, value]) => ['-c', `${name}=${value}`])], {
    cwd: directory,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const gone = once(server, 'exit');
  await accepting(server.stderr, gone);
  const { pid = 0 } = server;
  const signal = (name: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): void => {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean);
    for (const one of [pid, ...children.map(Number)]) process.kill(one, name);
  };
  return {
    signal,
    async kill(): Promise<void> {
      signal('SIGKILL');
      await gone;
    },
    async end(): Promise<void> {
      if (server.exitCode === null && server.signalCode === null) {
        signal('SIGCONT');
        server.kill('SIGQUIT');
      }
      await gone;
    },
  };
}

/** Connections to a database as the search has them. */
export function postgresqlAt(url: string, statementMs = 60_000, promptMs?: number): Postgresql {
  return openPostgresql({ url, passwordFile: '' }, { schema: SCHEMA, statementMs, most: 2, awayMs: 0, ...(promptMs !== undefined && { promptMs }) });
}

function newest(): string {
  try {
    const versions = readdirSync(INSTALLED).sort((a, b) => Number(b) - Number(a));
    if (versions[0] !== undefined) return versions[0];
  } catch {
    // Said below.
  }
  throw new Error('this test runs a server of PostgreSQL; run: sudo apt-get update && sudo apt-get install -y postgresql');
}

async function accepting(stderr: NodeJS.ReadableStream, gone: Promise<unknown>): Promise<void> {
  const said: string[] = [];
  const lines = createInterface({ input: stderr });
  const ready = new Promise<void>((resolve) => {
    lines.on('line', (line) => {
      if (said.length < 50) said.push(line);
      if (/ready to accept (?:read-only )?connections/.test(line)) resolve();
    });
  });
  const early = gone.then(() => {
    throw new Error(`PostgreSQL did not start:\n${said.join('\n')}`);
  });
  early.catch(() => undefined);
  await Promise.race([ready, early]);
}
