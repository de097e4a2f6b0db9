import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
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
}

const TABLES = ['mirror', 'messages', 'agents', 'projects', 'product_project_links', 'agent_links'];
const INSTALLED = '/usr/lib/postgresql';

/** PostgreSQL refuses to run as root, so that then `nobody` runs it. */
export async function startPostgresql(): Promise<TestPostgresql> {
  const bin = path.join(INSTALLED, newest(), 'bin');
  const directory = mkdtempSync(path.join(tmpdir(), 'writ-pg-'));
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(directory, NOBODY, NOBODY);
  chmodSync(directory, 0o755);
  const become = isRoot ? [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'] : [];
  const data = path.join(directory, 'data');
  const made = spawnSync(
    'setpriv',
    [...become, path.join(bin, 'initdb'), '-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync', '--no-instructions'],
    {
      cwd: directory,
      encoding: 'utf8',
    },
  );
  if (made.status !== 0) throw new Error(`initdb: ${made.stderr}`);
  // A test run that is killed must not leave its servers behind.
  const flags = [
    '-c',
    'listen_addresses=',
    '-c',
    `unix_socket_directories=${directory}`,
    '-c',
    'fsync=off',
    '-c',
    'shared_buffers=16MB',
    '-c',
    'max_wal_senders=0',
    '-c',
    'wal_level=minimal',
    '-c',
    'autovacuum=off',
    '-c',
    'jit=off',
  ];
  const server = spawn('setpriv', ['--pdeathsig', 'KILL', ...become, path.join(bin, 'postgres'), '-D', data, ...flags], {
    cwd: directory,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const gone = once(server, 'exit');
  await accepting(server.stderr, gone);
  const psql = (database: string, statements: string): string => {
    const ran = spawnSync(path.join(bin, 'psql'), ['-h', directory, '-U', 'postgres', '-v', 'ON_ERROR_STOP=1', '-qAt', database], {
      input: statements,
      encoding: 'utf8',
    });
    if (ran.status !== 0) throw new Error(`psql: ${ran.stderr}`);
    return ran.stdout;
  };
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
    async [Symbol.asyncDispose]() {
      server.kill('SIGQUIT');
      await gone;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Connections to a database as the search has them. */
export function postgresqlAt(url: string, statementMs = 60_000): Postgresql {
  return openPostgresql({ url, passwordFile: '' }, { schema: SCHEMA, statementMs, most: 2, awayMs: 0 });
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
      if (line.includes('ready to accept connections')) resolve();
    });
  });
  const early = gone.then(() => {
    throw new Error(`PostgreSQL did not start:\n${said.join('\n')}`);
  });
  early.catch(() => undefined);
  await Promise.race([ready, early]);
}
