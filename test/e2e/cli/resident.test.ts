import { execFile } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageRoot } from '../../../config/package.ts';
import { type DataDirPaths, dataDirPaths } from '../../../src/data-dir/paths.ts';
import { commandLine } from '../../support/command-line.ts';
import { startCommand, type WritProcess } from '../../support/writ-process.ts';

const run = promisify(execFile);
const DIST = path.join(packageRoot(), 'dist/src/bin');

interface Said {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

let home: string;
let places: DataDirPaths;
let base: string;
/** The program without all that a command needs: what it answers, the resident process has answered. */
let thinProgram: string;
let up: WritProcess;

beforeAll(async () => {
  await run('flock', ['package.json', 'scripts/build'], { cwd: packageRoot(), maxBuffer: 64 * 1024 * 1024 });
  home = mkdtempSync(path.join(tmpdir(), 'writ-thin-'));
  places = dataDirPaths(path.join(home, 'data'));
  base = path.join(home, 'base');
  const bin = path.join(home, 'thin/dist/src/bin');
  for (const directory of [places.dataDir, base, bin]) mkdirSync(directory, { recursive: true, mode: 0o700 });
  for (const file of ['writ.js', 'build-id']) copyFileSync(path.join(DIST, file), path.join(bin, file));
  copyFileSync(path.join(packageRoot(), 'package.json'), path.join(home, 'thin/package.json'));
  thinProgram = path.join(bin, 'writ.js');
  writeFileSync(path.join(base, 'letter.txt'), 'dear reader\n');
  writeFileSync(
    places.configFile,
    `[log]\nlevel = "silent"\n[http]\nport = 0\n[messages]\nenabled = true\n[file.base_directories]\nmain = ${JSON.stringify(base)}\n[search.scopes.letters]\nkind = "files"\npath = ${JSON.stringify(base)}\n`,
    { mode: 0o600 },
  );
  expect(await whole(['init'])).toMatchObject({ code: 0 });
  up = startCommand(process.execPath, [path.join(DIST, 'writ.js'), '--data-dir', places.dataDir, 'up'], { cwd: home, env: environment() });
  // The directory is somebody's own: no tour is given in it.
  expect(await up.says('Ctrl-C stops it')).not.toContain('as promised');
});
afterAll(async () => {
  up.child.kill('SIGINT');
  await up.ended;
  rmSync(home, { recursive: true, force: true });
});

/** The same for all processes: what a runner of tests sets would keep them apart. */
const environment = (): Record<string, string> => ({ PATH: process.env['PATH'] ?? '', HOME: home });

async function writ(program: string, args: readonly string[], env: Readonly<Record<string, string>>): Promise<Said> {
  const words = [program, '--data-dir', places.dataDir, ...args];
  const options = { cwd: base, env: { ...environment(), ...env } };
  return run(process.execPath, words, options).then(
    ({ stdout, stderr }) => ({ code: 0, out: stdout, err: stderr }),
    (error: { code?: number; stdout?: string; stderr?: string }) => ({ code: error.code ?? -1, out: error.stdout ?? '', err: error.stderr ?? '' }),
  );
}

const thin = (args: readonly string[]): Promise<Said> => writ(thinProgram, args, {});
/** In a time zone of its own, so that no other process may run it. */
const whole = (args: readonly string[]): Promise<Said> => writ(path.join(DIST, 'writ.js'), args, { TZ: 'Etc/GMT+1' });
/** The same commands in this process, from the sources that were built. */
const here = (args: readonly string[]): Promise<Said> => commandLine(['--data-dir', places.dataDir, ...args], '', { cwd: () => base });

let tasks = 0;
/** A file with a task that nobody has pushed. */
function task(): string {
  tasks += 1;
  const source_path = path.join(base, `file-${tasks}`);
  writeFileSync(source_path, 'x');
  const file = path.join(home, `task-${tasks}.json`);
  const inputs = { source_path, destination_path: `${source_path}-moved` };
  writeFileSync(file, JSON.stringify({ task_id: `thin-${tasks}`, capability_id: 'FILE_MOVE', inputs, constraints: {} }));
  return file;
}

/** What differs from one moment to the next: figures, and ids by their number. */
const timeless = ({ code, out, err }: Said) => ({ code, out: out.replace(/\d+(\.\d+)?/g, 'N'), err: err.replace(/\d+(\.\d+)?/g, 'N') });

describe('the short way', () => {
  it('says the same as a process that has the whole program', async () => {
    const [short, long] = [await thin(['status']), await whole(['status'])];
    expect(timeless(short)).toEqual(timeless(long));
  });

  it('does nothing where a command belongs into a process of its own: spans are that process’s', async () => {
    const traced = ['--set', 'tracing.enabled=true'];
    const file = task();
    // The rest of this program is not there, so that nobody has run it.
    expect(await thin(['push', file, '--sign', ...traced])).not.toMatchObject({ code: 0 });
    expect(await here(['result', `thin-${tasks}`])).toMatchObject({ err: expect.stringContaining('NOT_FOUND') });
    expect(await writ(path.join(DIST, 'writ.js'), ['push', file, '--sign', ...traced], {})).toMatchObject({
      code: 0,
      out: expect.stringContaining('accepted'),
    });
  });

  it.each<[string, () => readonly string[]]>([
    ['status', () => ['status']],
    ['status for a program', () => ['status', '--json']],
    ['a push', () => ['push', task(), '--sign']],
    ['a push that waits', () => ['push', task(), '--sign', '--wait']],
    ['a push without a lease', () => ['push', task()]],
    ['a result', () => ['result', 'thin-3', '--verify', '--json']],
    ['an unknown result', () => ['result', 'no-such-task']],
    ['an id that is none', () => ['result', 'no such task', '--json']],
    ['an unknown scope', () => ['find', 'nowhere', 'x']],
    ['a search', () => ['search', '-F', 'dear reader']],
    ['a search without a match', () => ['search', 'no such words', base, '--json']],
    ['a search with a bad option', () => ['search', 'x', '-C', 'many']],
    ['a search in messages', () => ['messages', 'search', 'anything', '--explain']],
    ['a search in messages with a bad filter', () => ['messages', 'search', '--since', 'yesterday']],
    ['settings that are none', () => ['status', '--set', 'redis.prot=1']],
  ])('says the same as the commands themselves: %s', async (_, args) => {
    const [short, long] = [await thin(args()), await here(args())];
    expect(short.err).not.toContain('ERR_MODULE_NOT_FOUND');
    expect(timeless(short)).toEqual(timeless(long));
  });

  it('leaves no word of Node in the log of the API, whose lines are JSON', async () => {
    const file = task();
    for (let round = 0; round < 3; round += 1) expect(await thin(['push', file, '--sign', '--dry-run'])).toMatchObject({ code: 0 });
    expect(readFileSync(path.join(places.logs, 'api.log'), 'utf8')).toBe('');
  });

  it('finds, and verifies what the executor has signed', async () => {
    const said = await thin(['find', 'letters', 'letter', '--json']);
    expect(said).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse(said.out)).toMatchObject({ count: 1 });
  });

  it('lets nobody else in, and takes nobody without the secret', async () => {
    expect(statSync(places.commands).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(places.commands)) expect([name, statSync(path.join(places.commands, name)).mode & 0o777]).toEqual([name, 0o600]);
    // The directory stands open: nobody can tell whose socket it is.
    chmodSync(places.commands, 0o755);
    expect((await thin(['status'])).err).toContain('ERR_MODULE_NOT_FOUND');
    chmodSync(places.commands, 0o700);
    expect((await thin(['status'])).code).toBe(0);
    const secret = path.join(places.commands, 'secret');
    copyFileSync(secret, path.join(home, 'secret'));
    writeFileSync(secret, 'x'.repeat(64));
    expect((await thin(['status'])).err).toContain('ERR_MODULE_NOT_FOUND');
    copyFileSync(path.join(home, 'secret'), secret);
  });

  it('is left for another build, and for what it does not know', async () => {
    const id = path.join(path.dirname(thinProgram), 'build-id');
    writeFileSync(id, 'another');
    expect((await thin(['status'])).err).toContain('ERR_MODULE_NOT_FOUND');
    copyFileSync(path.join(DIST, 'build-id'), id);
    expect((await thin(['doctor'])).err).toContain('ERR_MODULE_NOT_FOUND');
    expect((await thin(['push', '-'])).err).toContain('ERR_MODULE_NOT_FOUND');
  });

  it('needs nobody for the version', async () => {
    expect(await thin(['status', '--version'])).toMatchObject({ code: 1 });
    expect((await run(process.execPath, [thinProgram, '--version'])).stdout).toBe(
      (await run(process.execPath, [path.join(DIST, 'writ.js'), '--version'])).stdout,
    );
  });

  it('ends with the process that it leads to, and the whole program answers', async () => {
    up.child.kill('SIGINT');
    expect(await up.ended).toBe(0);
    expect(existsSync(path.join(places.commands, 'commands.sock'))).toBe(false);
    expect(await writ(path.join(DIST, 'writ.js'), ['status'], {})).toMatchObject({ code: 3, out: '', err: expect.stringContaining('REDIS_UNAVAILABLE') });
  });
});
