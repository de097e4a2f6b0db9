import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { currentUser } from '../../../src/data-dir/open-audit.ts';
import { dataDirPaths } from '../../../src/data-dir/paths.ts';
import { runningRoles } from '../../../src/data-dir/running-roles.ts';
import { ensureKeys } from '../../../src/data-dir/signing-keys.ts';
import { readPlaces } from '../../../src/observability/worker-places.ts';
import { type MuteServer, muteServer } from '../../support/mute-server.ts';
import { PATIENCE } from '../../support/patience.ts';
import { freePorts } from '../../support/ports.ts';
import { openTerminal } from '../../support/tmux.ts';
import { startWrit, type WritProcess, writArgs } from '../../support/writ-process.ts';

let home: string;
const started: WritProcess[] = [];
const places = () => dataDirPaths(path.join(home, 'data'));
beforeEach(async () => {
  home = mkdtempSync(path.join(tmpdir(), 'writ-signals-'));
  mkdirSync(path.join(home, 'searched'));
  await ensureKeys(places());
  // No tour: these tests begin where it ends.
  writeFileSync(places().tourGiven, '');
});
afterEach(async () => {
  for (const { child, ended } of started.splice(0)) {
    child.kill('SIGKILL');
    await ended;
  }
  rmSync(home, { recursive: true, force: true });
});

const start = (...args: readonly string[]): WritProcess => {
  const process = startWrit(['--data-dir', places().dataDir, '--set', 'http.port=0', ...args]);
  started.push(process);
  return process;
};
/** The settings under which an index host has something to do. */
const indexed = (): string[] =>
  ['tools.search.enabled=true', 'tools.search.index_mode=auto', `tools.sandbox.allowed_roots=${path.join(home, 'searched')}`].flatMap((set) => ['--set', set]);
const ROLES = ['api', 'worker', 'kernel', 'index-host'] as const;

/** The process waits for an answer of this server; it is an error when it ends instead. */
async function reached(redis: MuteServer, { ended, said }: WritProcess): Promise<void> {
  const end = ended.then((code) => Promise.reject(new Error(`it ended with ${code}:\n${said()}`)));
  await Promise.race([redis.asked, end]);
}

describe('a role that is told to end while it starts', () => {
  for (const role of ROLES) {
    it(`ends in order: ${role}, and there is no Redis`, async () => {
      const { child, ended, says, said } = start(role, '--set', 'redis.url=redis://127.0.0.1:1', ...indexed());
      await says('ECONNREFUSED');
      child.kill('SIGTERM');
      expect([await ended, said()]).toEqual([0, expect.stringContaining('"msg":"stopped"')]);
    });
  }

  it('is ended by `writ up`, which is told to end while its roles wait', async () => {
    await using redis = await muteServer();
    const up = start('up', '--set', `redis.url=${redis.url}`);
    await reached(redis, up);
    up.child.kill('SIGTERM');
    expect([await up.ended, up.said()]).toEqual([0, expect.stringContaining('Writ stops')]);
  });
});

describe('a role that has nothing to do', () => {
  it('lives until it is told to end: the index host of the default settings', async () => {
    const { child, ended, says } = start('index-host', '--set', 'redis.url=redis://127.0.0.1:1');
    await says('"msg":"ready"');
    // Nothing keeps the process alive but itself: it is asked a while later, when its event loop has turned.
    await says('stands by');
    child.kill('SIGHUP');
    await says('SIGHUP');
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  });
});

describe('settings that are changed while roles run', () => {
  const reload = async (): Promise<{ code: number | NodeJS.Signals; said: string }> => {
    const command = startWrit(['--data-dir', places().dataDir, 'reload']);
    started.push(command);
    return { code: await command.ended, said: command.said() };
  };
  const settings = (toml: string): void => writeFileSync(places().configFile, toml);

  it('are taken up by `writ reload` and on SIGHUP; a bad file changes nothing, and a killed role is nobody', async () => {
    const { child, ended, says } = start('index-host', '--set', 'redis.url=redis://127.0.0.1:1');
    await says('"msg":"ready"');
    await expect.poll(() => runningRoles(places().running), PATIENCE).toHaveLength(1);
    const who = `index-host (process ${child.pid})`;
    settings('[log]\nlevel = "debug"\n[worker]\ndeaf_ms = 5000');
    const first = await reload();
    expect(first).toEqual({ code: 0, said: `${who} took up 1 setting, generation 2: log.level; needs a restart: worker.deaf_ms\n` });
    settings('[log]\nlevel = "loud"\n[http]\nmax_wait_s = 70000');
    child.kill('SIGHUP');
    await says(/"problem":"http.max_wait_s: must be at most 600 .*log.level: must be one of/);
    const refused = await reload();
    expect([refused.code, refused.said]).toEqual([2, expect.stringMatching(/http\.max_wait_s: must be at most 600 .*\n.*log\.level: must be one of/)]);
    expect(runningRoles(places().running)[0]?.generation).toBe(2);
    settings('');
    child.kill('SIGHUP');
    await says('"generation":3');
    child.kill('SIGKILL');
    await ended;
    expect(await reload()).toEqual({ code: 3, said: 'no role runs for this data directory\n' });
    const audit = readFileSync(places().audit, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(audit.map(({ action, outcome, who: by, detail }) => [action, outcome, by, detail['log.level']])).toEqual([
      ['settings.reload', 'asked', currentUser(), '"info" -> "debug"'],
      ['settings.reload', 'done', currentUser(), '"info" -> "debug"'],
      ['settings.reload', 'asked', 'SIGHUP', '"debug" -> "info"'],
      ['settings.reload', 'done', 'SIGHUP', '"debug" -> "info"'],
    ]);
  });
});

describe('SIGHUP', () => {
  it('makes `writ up` drain everything, Redis last; another beside it has said which one runs, and changed nothing', async () => {
    const up = start('up');
    expect(await up.says('Ctrl-C stops it')).not.toContain('as promised');
    const url = readFileSync(places().apiUrl, 'utf8').trim();
    const another = start('up');
    expect(await another.ended).toBe(1);
    expect(another.said()).toBe(
      `writ: \`writ up\` runs already for the data directory ${places().dataDir} (process ${up.child.pid}, its API at ${url}): ` +
        'use that one, stop it (SIGTERM, or Ctrl-C where it runs), or name another directory with --data-dir (WRONG_STATE)\n',
    );
    const redis = Number(readFileSync(path.join(places().redis, 'redis.pid'), 'utf8'));
    const roles = ['kernel', 'worker', 'api'].map((role) => Number(/"pid":(\d+)/.exec(readFileSync(path.join(places().logs, `${role}.log`), 'utf8'))?.[1]));
    // Before it does, its roles take up a base directory.
    const bases = async (): Promise<string[]> => (await readPlaces(places().metrics)).map(({ name }) => name).filter((name) => name.startsWith('base:'));
    expect(await bases()).toEqual(['base:workspace']);
    const toml = readFileSync(places().configFile, 'utf8');
    writeFileSync(
      places().configFile,
      toml.replace(/^workspace = .*$/m, (line) => `${line}\nsearched = ${JSON.stringify(path.join(home, 'searched'))}`),
    );
    const reload = startWrit(['--data-dir', places().dataDir, 'reload']);
    started.push(reload);
    expect([await reload.ended, reload.said()]).toEqual([
      0,
      expect.stringMatching(/^api .* took up 1 setting, generation 2: file\.base_directories.*\nkernel .*generation 2.*\nworker .*generation 2/),
    ]);
    expect(await bases()).toEqual(['base:workspace', 'base:searched']);
    up.child.kill('SIGHUP');
    expect(await up.ended).toBe(0);
    for (const pid of [redis, ...roles]) expect([pid, isThere(pid)]).toEqual([pid, false]);
    for (const role of ['kernel', 'worker', 'api']) {
      // A line that was on its way when the process ended may stand there twice (`flushSync` of the log's sink).
      const [, ...ends] = readFileSync(path.join(places().logs, `${role}.log`), 'utf8').split('"msg":"stopping"');
      const end = ends.at(-1);
      // None of them has missed Redis.
      expect(end).toContain('"msg":"stopped"');
      expect(end).not.toContain('"msg":"redis"');
    }
    expect(existsSync(places().apiUrl)).toBe(false);
  });

  for (const role of ROLES) {
    it(`leaves a service alone, which reads again what it can, and still ends in order as it starts, read by nobody: ${role}, whose Redis comes, and never answers`, async () => {
      const [port = 0] = await freePorts(1);
      // A session of its own has no terminal, like a service.
      const settings = ['--data-dir', places().dataDir, '--set', 'http.port=0', '--set', `redis.url=redis://127.0.0.1:${port}`];
      const process = startWrit([...settings, role, ...indexed()], { detached: true });
      started.push(process);
      await process.says('ECONNREFUSED');
      await using redis = await muteServer(port);
      await reached(redis, process);
      process.child.kill('SIGHUP');
      await process.says('SIGHUP: ');
      process.child.stdout?.destroy();
      process.child.stderr?.destroy();
      // Each is a line of its log, which nobody takes.
      for (const signal of ['SIGHUP', 'SIGHUP', 'SIGTERM'] as const) process.child.kill(signal);
      expect(await process.ended).toBe(0);
    });
  }
});

describe('a terminal that is closed', () => {
  it.each([
    ['up', 'Ctrl-C stops it'],
    ['kernel', '"msg":"ready"'],
  ])('ends what ran in it, and what that has started: %s', async (role, working) => {
    const pidFile = path.join(home, 'pid');
    const words = ['sh', '-c', 'echo $$ > "$0"; exec "$@"', pidFile, process.execPath, ...writArgs(['--data-dir', places().dataDir, '--set', 'http.port=0'])];
    const redis = role === 'up' ? [] : ['--set', 'redis.url=redis://127.0.0.1:1', '--set', 'log.level=info'];
    const terminal = openTerminal(home, [...words, role, ...redis], { columns: 200, rows: 50 });
    try {
      await terminal.shows(working);
    } finally {
      terminal[Symbol.dispose]();
    }
    const pids = [Number(readFileSync(pidFile, 'utf8')), ...(role === 'up' ? [Number(readFileSync(path.join(places().redis, 'redis.pid'), 'utf8'))] : [])];
    for (const pid of pids) await expect.poll(() => isThere(pid), PATIENCE).toBe(false);
  });
});

describe('`writ up` beside another program', () => {
  it('names the setting and the process when a port is taken, before anything is made', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const address = taken.address();
    const port = typeof address === 'object' ? address?.port : 0;
    try {
      for (const key of ['http.port', 'redis.port']) {
        const up = start('up', '--set', `${key}=${port}`);
        expect(await up.ended).toBe(2);
        const where = `${key}: 127.0.0.1 port ${port} cannot be had: another program listens there: process ${process.pid} (`;
        expect(up.said()).toMatch(/^writ: [^\n]*; end it, or set another port \(INVALID_CONFIG\)\n/);
        expect(up.said()).toContain(where);
        expect([places().redis, places().logs, places().configFile].filter((made) => existsSync(made))).toEqual([]);
        expect(up.said()).not.toContain('INTERNAL');
      }
    } finally {
      await new Promise((resolve) => taken.close(resolve));
    }
  });
});

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
