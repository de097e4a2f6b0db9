import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import net, { type AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { landlockVersion } from '../../../src/adapters/linux/landlock.ts';
import { processEntry } from '../../../src/core/process-entry.ts';

let home: string;
let said: Record<string, unknown>;
let child: ChildProcess;

beforeAll(async () => {
  home = mkdtempSync(path.join(os.tmpdir(), 'writ-landlock-'));
  mkdirSync(path.join(home, 'allowed'));
  const inside = path.join(home, 'allowed', 'inside');
  const outside = path.join(home, 'outside');
  const link = path.join(home, 'allowed', 'link');
  writeFileSync(inside, 'allowed text');
  writeFileSync(outside, 'secret text');
  symlinkSync(outside, link);
  const server = net.createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { file, execArgv } = processEntry(new URL('./confined-child.ts', import.meta.url));
  const started = fork(file, [path.join(home, 'allowed'), inside, outside, link, String((server.address() as AddressInfo).port)], {
    execArgv: [...execArgv],
    env: {},
  });
  child = started;
  const exit = once(started, 'exit');
  const message = once(started, 'message') as Promise<[Record<string, unknown>]>;
  [said] = await Promise.race([message, exit.then(() => Promise.reject(new Error('the process ended without a word')))]);
  await exit;
  server.close();
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

describe('a process that has confined itself', () => {
  it('is confined by the version of Landlock that the kernel says', () => {
    expect(landlockVersion()).toBeGreaterThan(0);
    expect(said['landlock']).toBe(landlockVersion());
  });

  it('keeps its pid and the channel to its parent when it becomes another program', () => {
    expect(said['pid']).toBe(child.pid);
  });

  it('reads beneath what it was allowed, and so do its children', () => {
    expect(said).toMatchObject({ inside: 'allowed text', childInside: 'allowed text' });
  });

  it('reads nothing else: not directly, not through a link that lies inside, not on a thread of the pool, not by a child', { tags: ['SEC-LSI-01'] }, () => {
    expect(said).toMatchObject({ outside: 'EACCES', throughLink: 'EACCES', inPool: 'EACCES', byChild: '' });
  });

  it('writes nothing, not even beneath what it may read', () => {
    expect(said).toMatchObject({ write: 'EACCES', change: 'EACCES' });
  });

  it('reaches nobody: no TCP, no signal to a process outside', () => {
    expect(said).toMatchObject({ connect: 'EACCES', signal: 'EPERM' });
  });
});
