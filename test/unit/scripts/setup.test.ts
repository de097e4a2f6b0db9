import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { packageRoot } from '../../../config/package.ts';

/**
 * The scripts run in a small tree of their own, with a PATH that holds a few real tools and stand-ins for what would
 * change the machine: apt-get, npm, redis-server, ugrep. What is shown is which of them are called, and when.
 */
const REAL_TOOLS = ['bash', 'sh', 'cat', 'chmod', 'cp', 'dirname', 'env', 'find', 'flock', 'ln', 'mkdir', 'mktemp', 'mv', 'rm', 'rmdir', 'touch', 'true'];

let root: string;
let bin: string;

beforeEach(() => {
  root = mkdtempSync(path.join(os.tmpdir(), 'writ-setup-'));
  bin = path.join(root, '.bin');
  for (const directory of ['scripts', 'src/bin', 'queues', 'processors', 'node_modules/.bin', '.bin'])
    mkdirSync(path.join(root, directory), { recursive: true });
  for (const script of ['setup', 'build', 'copy-assets', 'installed.js'])
    copyFileSync(path.join(packageRoot(), 'scripts', script), path.join(root, 'scripts', script));
  for (const tool of REAL_TOOLS) symlinkSync(whereIs(tool), path.join(bin, tool));
  symlinkSync(process.execPath, path.join(bin, 'node'));
  write('package.json', '{"type":"module"}');
  write('package-lock.json', LOCK);
  write('src/bin/writ.ts', 'export {};');
  write('src/a.sql', 'select 1;');
  // esbuild and what it would compile and bundle are not here.
  write('scripts/bundle.js', 'export {};');
  write('scripts/compile.js', COMPILE);
  write('scripts/node-headers.js', '');
  write(TANTIVY, '{}');
});
afterEach(() => rmSync(root, { recursive: true }));

const COMPILE = `import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
appendFileSync('calls', 'compile\\n');
mkdirSync('dist/src/bin', { recursive: true });
writeFileSync('dist/src/bin/writ.js', '');
`;
const TANTIVY = 'node_modules/@oxdev03/node-tantivy-binding-linux-x64-gnu/package.json';
const LOCK = JSON.stringify({
  packages: { '': {}, 'node_modules/a': { version: '1.0.0', integrity: 'x' }, 'node_modules/other-platform': { version: '1.0.0', optional: true } },
});
const INSTALLED = JSON.stringify({ packages: { 'node_modules/a': { version: '1.0.0', integrity: 'x' } } });

function whereIs(name: string): string {
  const found = ['/usr/bin', '/bin', '/usr/local/bin'].map((directory) => path.join(directory, name)).find((file) => existsSync(file));
  if (found === undefined) throw new Error(`this test needs ${name}: apt-get install -y coreutils findutils util-linux`);
  return found;
}

function write(name: string, text: string): void {
  mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
  writeFileSync(path.join(root, name), text);
}

function tool(file: string, script: string): void {
  writeFileSync(file, `#!/usr/bin/env bash\n${script}\n`);
  chmodSync(file, 0o755);
}

const standIn = (name: string, script = 'exit 0') => tool(path.join(bin, name), script);
const NPM = () =>
  `echo "npm $* JOBS=$JOBS ONNX=$ONNXRUNTIME_NODE_INSTALL" >>"${root}/calls"; mkdir -p node_modules/.bin; [[ $1 != ci ]] || echo '${INSTALLED}' >node_modules/.package-lock.json`;
const calls = () => (existsSync(path.join(root, 'calls')) ? readFileSync(path.join(root, 'calls'), 'utf8').trim().split('\n') : []);

interface Ran {
  readonly code: number;
  readonly stderr: readonly string[];
}

function run(...command: readonly string[]): Promise<Ran> {
  return new Promise((resolve) => {
    const child = execFile(
      path.join(root, command[0] ?? ''),
      command.slice(1),
      { cwd: os.tmpdir(), env: { PATH: bin, HOME: root } },
      (_error, _stdout, stderr) => {
        resolve({ code: child.exitCode ?? -1, stderr: stderr.split('\n').filter((line) => line !== '') });
      },
    );
  });
}

function everythingPresent(): void {
  standIn('redis-server');
  standIn('ugrep');
  standIn('npm', NPM());
}

describe('set-up', () => {
  it('installs packages with all cores, builds, and then has nothing to do and says nothing', async () => {
    everythingPresent();
    expect(await run('scripts/setup')).toMatchObject({ code: 0, stderr: [expect.stringContaining('npm ci'), 'setup: building dist'] });
    expect(calls().sort()).toEqual([
      'compile',
      'npm ci --ignore-scripts --no-audit --no-fund JOBS= ONNX=',
      'npm rebuild --no-audit --no-fund JOBS=max ONNX=skip',
    ]);
    expect(existsSync(path.join(root, 'dist/src/a.sql'))).toBe(true);
    expect(await run('scripts/setup')).toEqual({ code: 0, stderr: [] });
    expect(calls()).toHaveLength(3);
  });

  it('compiles with the headers that came with Node, where it has them', async () => {
    everythingPresent();
    write('scripts/node-headers.js', "process.stdout.write('/its/own');");
    standIn('npm', `echo "$1 nodedir=$npm_config_nodedir" >>"${root}/calls"; ${NPM()}`);
    expect((await run('scripts/setup')).code).toBe(0);
    expect(calls().filter((call) => call.includes('nodedir'))).toEqual(['ci nodedir=', 'rebuild nodedir=/its/own']);
  });

  it("goes on without Tantivy's binding when it cannot be had, and says so once", async () => {
    everythingPresent();
    rmSync(path.join(root, TANTIVY));
    expect((await run('scripts/setup')).stderr).toContain(
      "setup: Tantivy's binding could not be installed; message search goes on without it (later: scripts/tantivy)",
    );
    expect(await run('scripts/setup')).toEqual({ code: 0, stderr: [] });
  });

  it('run twice at the same time does everything once', async () => {
    everythingPresent();
    const both = await Promise.all([run('scripts/setup'), run('scripts/setup'), run('scripts/setup')]);
    expect(both.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(calls()).toHaveLength(3);
  });

  it('installs again when the lock file names another version, and builds again when a source changed or went', async () => {
    everythingPresent();
    await run('scripts/setup');
    write('package-lock.json', LOCK.replace('1.0.0', '2.0.0'));
    standIn('npm', NPM().replace('1.0.0', '2.0.0'));
    expect((await run('scripts/setup')).code).toBe(0);
    expect(calls()).toHaveLength(6);
    rmSync(path.join(root, 'src/a.sql'));
    expect((await run('scripts/setup')).code).toBe(0);
    expect(calls()).toHaveLength(7);
    expect(existsSync(path.join(root, 'dist/src/a.sql'))).toBe(false);
  });

  it('is content with packages where nothing of dist is wanted, and does all of it where they are not there', async () => {
    everythingPresent();
    expect((await run('scripts/setup', '--packages')).code).toBe(0);
    expect(calls()).toHaveLength(3);
    rmSync(path.join(root, 'src/a.sql'));
    rmSync(path.join(root, 'dist'), { recursive: true });
    expect(await run('scripts/setup', '--packages')).toEqual({ code: 0, stderr: [] });
    expect(calls()).toHaveLength(3);
    expect((await run('scripts/setup')).code).toBe(0);
    expect(calls()).toHaveLength(4);
  });

  it('begins anew after it was interrupted while native packages were compiled', async () => {
    everythingPresent();
    standIn('npm', `${NPM()}; [[ $1 != rebuild ]]`);
    standIn('make');
    standIn('g++');
    standIn('python3');
    const ran = await run('scripts/setup');
    expect(ran).toEqual({ code: 1, stderr: expect.arrayContaining(['setup: npm rebuild failed; run it and read why: npm ci']) });
    standIn('npm', NPM());
    expect((await run('scripts/setup')).code).toBe(0);
    expect(calls().map((call) => call.split(' ', 2).join(' '))).toEqual(expect.arrayContaining(['npm ci', 'npm rebuild']));
    expect(calls().filter((call) => call.startsWith('npm ci'))).toHaveLength(2);
  });

  it('comes back before it has compiled and built when it is told to begin, and the next call waits for that', async () => {
    everythingPresent();
    for (const name of ['python3', 'chromium', 'promtool', 'doveadm', 'sqlite3', 'tmux', 'docker-compose', 'systemd-analyze', 'man']) standIn(name);
    const gate = path.join(root, 'gate');
    standIn('npm', `${NPM()}; [[ $1 != rebuild ]] || read -r _ <"${gate}"`);
    await promisify(execFile)('mkfifo', [gate]);
    const begin = spawn(path.join(root, 'scripts/setup'), ['--tests', '--begin'], { cwd: os.tmpdir(), env: { PATH: bin, HOME: root }, stdio: 'ignore' });
    expect(await once(begin, 'exit')).toEqual([0, null]);
    const next = run('scripts/setup', '--tests');
    writeFileSync(gate, 'go\n');
    expect(await next).toEqual({ code: 0, stderr: [] });
    expect(calls()).toHaveLength(3);
  });

  it('fails with the one line to run when redis-server cannot be had', async () => {
    everythingPresent();
    rmSync(path.join(bin, 'redis-server'));
    const ran = await run('scripts/setup');
    expect([ran.code, ran.stderr.at(-1)]).toEqual([1, 'setup: redis-server is missing; run: sudo apt-get update && sudo apt-get install -y redis-server']);
  });

  it('installs redis-server with apt, without questions', async () => {
    everythingPresent();
    rmSync(path.join(bin, 'redis-server'));
    standIn('sudo', 'shift; exec "$@"');
    standIn('apt-get', `echo "apt-get $DEBIAN_FRONTEND $*" >>"${root}/calls"; printf '#!/bin/sh\\n' >"${bin}/redis-server"; chmod +x "${bin}/redis-server"`);
    // Stands in for what would switch off the service of this machine.
    standIn('systemctl');
    standIn('service');
    standIn('update-rc.d');
    expect((await run('scripts/setup')).code).toBe(0);
    expect(calls().find((call) => call.includes('install'))).toMatch(/^apt-get noninteractive .*install -y --no-install-recommends redis-server$/);
  });

  it('asks for a browser, promtool, a mail server, sqlite3, tmux, docker-compose, man and systemd-analyze only where tests are to run', async () => {
    everythingPresent();
    expect((await run('scripts/setup')).code).toBe(0);
    const ran = await run('scripts/setup', '--tests');
    expect([ran.code, ran.stderr.at(-1)]).toEqual([
      1,
      'setup: the tests need python3 chromium prometheus dovecot-imapd sqlite3 tmux docker-compose man-db systemd; run: sudo apt-get update && sudo apt-get install -y python3 chromium prometheus dovecot-imapd sqlite3 tmux docker-compose man-db systemd',
    ]);
    standIn('python3');
    standIn('chromium');
    standIn('promtool');
    standIn('doveadm');
    standIn('sqlite3');
    standIn('tmux');
    standIn('docker-compose');
    standIn('systemd-analyze');
    standIn('man');
    expect(await run('scripts/setup', '--tests')).toEqual({ code: 0, stderr: [] });
  });

  it.each([
    ['prometheus', 'promtool', 'doveadm', 'prometheus'],
    ['dovecot-imapd', 'doveadm', 'promtool', 'dovecot'],
  ])('installs %s with apt when the tests lack it, and switches the service off that comes with it', async (wanted, command, present, service) => {
    everythingPresent();
    await run('scripts/setup');
    standIn('python3');
    standIn('chromium');
    standIn('sqlite3');
    standIn('tmux');
    standIn('docker-compose');
    standIn('systemd-analyze');
    standIn('man');
    standIn(present);
    standIn('sudo', 'shift; exec "$@"');
    standIn('apt-get', `echo "apt-get $DEBIAN_FRONTEND $*" >>"${root}/calls"; printf '#!/bin/sh\\n' >"${bin}/${command}"; chmod +x "${bin}/${command}"`);
    for (const name of ['systemctl', 'service', 'update-rc.d']) standIn(name, `echo "${name} $*" >>"${root}/calls"`);
    const ran = await run('scripts/setup', '--tests');
    expect([ran.code, ran.stderr[0]]).toEqual([0, expect.stringContaining(`installing ${wanted} with apt`)]);
    expect(calls().find((call) => call.includes('install -y'))).toMatch(new RegExp(`^apt-get noninteractive .*install -y --no-install-recommends ${wanted}$`));
    // Without systemd and without its init script there is nothing to switch off.
    const off = calls().filter((call) => /^(systemctl disable|service|update-rc.d)/.test(call));
    for (const call of off) expect(call).toContain(service);
  });

  it('goes on without ugrep and says so once', async () => {
    everythingPresent();
    rmSync(path.join(bin, 'ugrep'));
    expect(await run('scripts/setup')).toMatchObject({ code: 0, stderr: expect.arrayContaining([expect.stringContaining('goes on without it')]) });
    expect(await run('scripts/setup')).toEqual({ code: 0, stderr: [] });
  });

  it('refuses an old Node.js with the line to run', async () => {
    everythingPresent();
    rmSync(path.join(bin, 'node'));
    standIn('node', '[ "$1" = -p ] && echo 20.18.3 || exit 1');
    expect(await run('scripts/setup')).toMatchObject({ code: 1, stderr: [expect.stringMatching(/^setup: Node\.js 20\.18\.3 is too old.* run: .*/)] });
  });

  it('fails with the command that shows why when the build fails', async () => {
    everythingPresent();
    write('scripts/compile.js', 'process.exitCode = 2;');
    const ran = await run('scripts/setup');
    expect([ran.code, ran.stderr.at(-1)]).toEqual([1, 'setup: the build failed; run: npm run build']);
    // What could be built is there for the tests; without the stamp the next set-up builds again.
    expect([existsSync(path.join(root, 'dist/src/a.sql')), existsSync(path.join(root, 'dist/.built'))]).toEqual([true, false]);
  });
});

describe('copy-assets', () => {
  it('copies SQL and Lua to the same place and removes outputs whose source is gone', async () => {
    for (const name of ['src/deep/x.sql', 'queues/y.lua', 'src/kept.ts', 'src/note.txt']) write(name, '');
    for (const name of ['src/kept.js', 'src/kept.js.map', 'src/kept.d.ts', 'src/gone.js', 'src/gone.js.map', 'src/gone.d.ts', 'src/old.sql', '.built'])
      write(`dist/${name}`, '');
    expect((await run('scripts/copy-assets')).code).toBe(0);
    const left = readdirSync(path.join(root, 'dist'), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    expect(left.map((entry) => path.relative(path.join(root, 'dist'), path.join(entry.parentPath, entry.name))).sort()).toEqual(
      ['.built', 'queues/y.lua', 'src/a.sql', 'src/deep/x.sql', 'src/kept.d.ts', 'src/kept.js', 'src/kept.js.map'].sort(),
    );
  });
});
