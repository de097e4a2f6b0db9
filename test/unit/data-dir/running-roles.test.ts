import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { examineRunning } from '../../../src/data-dir/doctor/running.ts';
import { runningRoles, tellRunning } from '../../../src/data-dir/running-roles.ts';

let home: string;
let running: string;
beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), 'writ-running-'));
  running = path.join(home, 'running');
});
afterEach(() => rmSync(home, { recursive: true }));

const worker = { role: 'worker', pid: 4711, settings: { 'worker.concurrency': 'a', 'file.max_bytes': 'b' } };
const kernel = { ...worker, role: 'kernel', pid: 4712 };

describe('the roles that run', () => {
  it('are those that have told so and not ended', () => {
    const ends = [worker, kernel].map((one) => tellRunning(running, one));
    expect(runningRoles(running)).toEqual([kernel, worker]);
    expect(statSync(running).mode & 0o777).toBe(0o700);
    ends[0]?.end();
    expect(runningRoles(running)).toEqual([kernel]);
    ends[1]?.end();
    expect(readdirSync(running)).toEqual([]);
  });

  it('are not those that were killed, whose files the next start removes', () => {
    tellRunning(running, worker).end();
    const dead = path.join(running, 'worker-1.json');
    writeFileSync(dead, JSON.stringify({ ...worker, pid: 1 }));
    expect(runningRoles(running)).toEqual([]);
    const word = tellRunning(running, kernel);
    expect([existsSync(dead), runningRoles(running)]).toEqual([false, [kernel]]);
    word.end();
  });

  it('are none where there is no directory, or where files are no such thing', () => {
    expect(runningRoles(running)).toEqual([]);
    const word = tellRunning(running, { ...worker, settings: {} });
    writeFileSync(path.join(running, 'worker-4711.json'), '{"role":');
    writeFileSync(path.join(running, 'stranger.txt'), '');
    expect(runningRoles(running)).toEqual([]);
    word.end();
    expect(existsSync(path.join(running, 'stranger.txt'))).toBe(true);
  });

  it('go on when it cannot be told', () => {
    writeFileSync(running, 'a file in the way');
    expect(() => tellRunning(running, worker).end()).not.toThrow();
  });
});

describe('doctor, about the roles that run', () => {
  it('names the settings that a role has not heard of, and says what to do', async () => {
    const word = tellRunning(running, worker);
    expect(await examineRunning(running, worker.settings)).toEqual([
      { area: 'Running roles', title: 'worker (process 4711)', level: 'ok', found: 'has the settings that this command reads' },
    ]);
    const [check] = await examineRunning(running, { ...worker.settings, 'worker.concurrency': 'new' });
    expect(check).toMatchObject({
      level: 'warn',
      found: 'was started with other settings than this command reads: worker.concurrency',
      todo: expect.stringMatching(/^restart it/),
    });
    word.end();
    expect(await examineRunning(running, {})).toEqual([]);
  });

  it('names files beside the settings that a role has read otherwise, and asks for none that it has not read', async () => {
    const word = tellRunning(running, { ...worker, generation: 2, files: { 'tool bindings': 'old' } });
    const files = (now: string) => ({
      'tool bindings': () => now,
      registries: () => {
        throw new Error('nobody has read them');
      },
    });
    const look = async (now: string) => (await examineRunning(running, worker.settings, () => 'reload', files(now)))[0];
    expect(await look('old')).toMatchObject({ level: 'ok' });
    expect(await look('new')).toMatchObject({ level: 'warn', found: expect.stringMatching(/: tool bindings$/), todo: expect.stringMatching(/^`writ reload`/) });
    word.end();
  });

  it('counts names beyond eight', async () => {
    const word = tellRunning(running, { ...worker, settings: Object.fromEntries([...'abcdefghij'].map((key) => [key, '1'])) });
    expect((await examineRunning(running, {}))[0]?.found).toMatch(/: a, b, c, d, e, f, g, h, and 2 more$/);
    word.end();
  });
});
