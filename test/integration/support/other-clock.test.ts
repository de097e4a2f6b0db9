import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createOtherClock, type OtherClock } from '../../support/other-clock.ts';

/** What a process reads when it is asked: its clock, its steady clock, and that of SQLite, which is in a native library. */
const PROGRAM = `
  const { Worker } = require('node:worker_threads');
  const Database = require('better-sqlite3');
  const sqlite = new Database(':memory:').prepare("SELECT CAST(unixepoch('subsec') * 1000 AS INTEGER)").pluck();
  const thread = new Worker("const { parentPort } = require('node:worker_threads'); parentPort.on('message', () => parentPort.postMessage(Date.now()))", { eval: true });
  process.on('message', () => {
    thread.once('message', (inThread) => process.send({ wall: Date.now(), inThread, sqlite: sqlite.get(), steady: performance.now() }));
    thread.postMessage('');
  });
  process.send('ready');`;

type Read = Readonly<Record<'wall' | 'inThread' | 'sqlite' | 'steady', number>>;
const HOUR = 3_600_000;

describe('the clock of one process', () => {
  let home: string;
  let clock: OtherClock;
  let child: ChildProcess;
  beforeEach(async () => {
    home = mkdtempSync(path.join(tmpdir(), 'writ-clock-'));
    clock = createOtherClock(home);
    const [program = '', ...words] = [...clock.launcher, process.execPath, '-e', PROGRAM];
    child = spawn(program, words, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    await once(child, 'message');
  });
  afterEach(async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    clock.forget(child.pid ?? 0);
    rmSync(home, { recursive: true });
  });

  async function read(): Promise<Read & { readonly from: number; readonly until: number }> {
    const from = Date.now();
    child.send('');
    const [told] = (await once(child, 'message')) as [Read];
    return { ...told, from, until: Date.now() };
  }

  it('is moved ahead, back and right again while it runs, in its threads and native libraries too, and its steady clock goes on', async () => {
    const first = await read();
    for (const aheadMs of [HOUR, -HOUR, 0]) {
      clock.move(aheadMs / 1000);
      const { from, until, ...told } = await read();
      for (const time of [told.wall, told.inThread, told.sqlite]) {
        expect(time).toBeGreaterThanOrEqual(from + aheadMs - 1);
        expect(time).toBeLessThanOrEqual(until + aheadMs + 1);
      }
      expect(told.steady - first.steady).toBeGreaterThanOrEqual(0);
      expect(told.steady - first.steady).toBeLessThanOrEqual(until - first.from + 1);
    }
  });

  it('leaves nothing in shared memory behind when the process is killed', async () => {
    const left = path.join('/dev/shm', `faketime_shm_${child.pid}`);
    expect(existsSync(left)).toBe(true);
    child.kill('SIGKILL');
    await once(child, 'exit');
    clock.forget(child.pid ?? 0);
    expect(existsSync(left)).toBe(false);
  });
});
