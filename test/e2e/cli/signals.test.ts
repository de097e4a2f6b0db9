import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dataDirPaths } from '../../../src/data-dir/paths.ts';
import { ensureKeys } from '../../../src/data-dir/signing-keys.ts';
import { type MuteServer, muteServer } from '../../support/mute-server.ts';
import { PATIENCE } from '../../support/patience.ts';
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
    it(`ends in order: ${role}, and Redis never answers`, async () => {
      await using redis = await muteServer();
      const process = start(role, '--set', `redis.url=${redis.url}`, ...indexed());
      await reached(redis, process);
      process.child.kill('SIGTERM');
      expect([await process.ended, process.said()]).toEqual([0, expect.stringContaining('"msg":"stopped"')]);
    });

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

describe('SIGHUP', () => {
  it('makes `writ up` drain everything, Redis last', async () => {
    const up = start('up');
    await up.says('Ctrl-C stops it');
    const redis = Number(readFileSync(path.join(places().redis, 'redis.pid'), 'utf8'));
    const roles = ['kernel', 'worker', 'api'].map((role) => Number(/"pid":(\d+)/.exec(readFileSync(path.join(places().logs, `${role}.log`), 'utf8'))?.[1]));
    up.child.kill('SIGHUP');
    expect(await up.ended).toBe(0);
    for (const pid of [redis, ...roles]) expect([pid, isThere(pid)]).toEqual([pid, false]);
    for (const role of ['kernel', 'worker', 'api']) {
      const [, end = ''] = readFileSync(path.join(places().logs, `${role}.log`), 'utf8').split('"msg":"stopping"');
      // None of them has missed Redis.
      expect(end).toContain('"msg":"stopped"');
      expect(end).not.toContain('"msg":"redis"');
    }
    expect(existsSync(places().apiUrl)).toBe(false);
  });

  for (const role of ROLES) {
    it(`leaves a service alone, which reads again what it can: ${role}`, async () => {
      await using redis = await muteServer();
      // A session of its own has no terminal, like a service.
      const process = startWrit(['--data-dir', places().dataDir, '--set', 'http.port=0', '--set', `redis.url=${redis.url}`, role, ...indexed()], {
        detached: true,
      });
      started.push(process);
      await reached(redis, process);
      process.child.kill('SIGHUP');
      await process.says('SIGHUP: ');
      process.child.kill('SIGTERM');
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

describe('a role whose reader has gone', () => {
  it.each(ROLES)('works on: %s', async (role) => {
    await using redis = await muteServer();
    const process = start(role, '--set', `redis.url=${redis.url}`, ...indexed());
    await reached(redis, process);
    process.child.stdout?.destroy();
    process.child.stderr?.destroy();
    // Each is a line of its log, which nobody takes.
    for (const signal of ['SIGHUP', 'SIGHUP', 'SIGTERM'] as const) process.child.kill(signal);
    expect(await process.ended).toBe(0);
  });
});

describe('`writ up` beside another', () => {
  it('says which one runs, and changes nothing', async () => {
    const first = start('up');
    await first.says('Ctrl-C stops it');
    const url = readFileSync(places().apiUrl, 'utf8').trim();
    const second = start('up');
    expect(await second.ended).toBe(1);
    expect(second.said()).toBe(
      `writ: \`writ up\` runs already for the data directory ${places().dataDir} (process ${first.child.pid}, its API at ${url}): ` +
        'use that one, stop it (SIGTERM, or Ctrl-C where it runs), or name another directory with --data-dir (WRONG_STATE)\n',
    );
    first.child.kill('SIGTERM');
    expect(await first.ended).toBe(0);
  });

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
