import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RoleEvent, type SupervisedRole, supervise } from '../../../../src/adapters/processes/supervise.ts';

const READY = "process.send({ type: 'ready' });";
const STAYS = 'setInterval(() => undefined, 1e6);';

type Event = RoleEvent;

let directory: string;
let events: Event[];
let onEvent: (event: Event) => void;
const running: ReturnType<typeof supervise>[] = [];

const role = (script: string, options: Partial<SupervisedRole> = {}) => {
  const supervised = supervise({
    name: 'worker',
    args: ['-e', script],
    logFile: path.join(directory, 'worker.log'),
    ioThreads: 3,
    restartMs: 1,
    stopMs: 30_000,
    onEvent: (event) => onEvent(event),
    ...options,
  });
  running.push(supervised);
  return supervised;
};
/** Resolves with the next event of this kind. */
const next = (what: Event['what']) =>
  new Promise<Event>((resolve) => {
    const before = onEvent;
    onEvent = (event) => {
      before(event);
      if (event.what === what) resolve(event);
    };
  });

beforeEach(() => {
  directory = mkdtempSync(path.join(os.tmpdir(), 'writ-supervise-'));
  events = [];
  onEvent = (event) => void events.push(event);
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((supervised) => supervised.stop()));
  rmSync(directory, { recursive: true });
});

describe('a supervised role', () => {
  it('has started when it says that it works, logs to its file, and ends when it is stopped', async () => {
    const supervised = role(`process.stderr.write(process.env.UV_THREADPOOL_SIZE); ${READY} ${STAYS}`);
    await supervised.start();
    await supervised.start();
    const pid = supervised.pid();
    expect(readFileSync(path.join(directory, 'worker.log'), 'utf8')).toBe('3');
    await supervised.stop();
    await supervised.stop();
    expect(supervised.pid()).toBeUndefined();
    expect(events).toMatchObject([
      { role: 'worker', what: 'started', pid },
      { what: 'ready', pid },
      { what: 'stopped', pid, detail: 'SIGTERM' },
    ]);
  });

  it('tells why its first run refused to start, and is not started again', async () => {
    const supervised = role("process.send({ type: 'refused', code: 'INVALID_CONFIG', message: 'no key' });");
    await expect(supervised.start()).rejects.toMatchObject({ code: 'INVALID_CONFIG', message: 'the worker role: no key' });
    await expect(role('process.exit(7)').start()).rejects.toThrow('the worker role ended with code 7');
    expect(events.map(({ what }) => what).filter((what) => what !== 'started')).not.toContain('died');
  });

  it('comes back when it was killed', async () => {
    const supervised = role(`${READY} ${STAYS}`);
    await supervised.start();
    const first = supervised.pid() ?? 0;
    const ready = next('ready');
    process.kill(first, 'SIGKILL');
    expect((await ready).pid).not.toBe(first);
    expect(events.map(({ what }) => what)).toEqual(['started', 'ready', 'died', 'started', 'ready']);
  });

  it('comes back when it was killed and its log is gone, with a new log', async () => {
    const logs = path.join(directory, 'logs');
    const supervised = role(`process.stderr.write(process.env.UV_THREADPOOL_SIZE); ${READY} ${STAYS}`, { logFile: path.join(logs, 'worker.log') });
    await supervised.start();
    rmSync(logs, { recursive: true });
    const ready = next('ready');
    process.kill(supervised.pid() ?? 0, 'SIGKILL');
    await ready;
    expect(readFileSync(path.join(logs, 'worker.log'), 'utf8')).toBe('3');
  });

  it('comes back without a log when none can be opened, and says so', async () => {
    const logs = path.join(directory, 'logs');
    const supervised = role(`${READY} ${STAYS}`, { logFile: path.join(logs, 'worker.log') });
    await supervised.start();
    rmSync(logs, { recursive: true });
    writeFileSync(logs, 'somebody has put a file there');
    const ready = next('ready');
    process.kill(supervised.pid() ?? 0, 'SIGKILL');
    await ready;
    expect(events.slice(2)).toMatchObject([
      { what: 'died', detail: 'SIGKILL' },
      { what: 'unlogged', detail: expect.stringContaining('ENOTDIR') },
      { what: 'started' },
      { what: 'ready' },
    ]);
  });

  it('does not wait for a reader of a pipe that lies in the place of its log', async () => {
    const logFile = path.join(directory, 'worker.log');
    execFileSync('mkfifo', [logFile]);
    await role(`${READY} ${STAYS}`, { logFile }).start();
    expect(events[0]).toMatchObject({ what: 'unlogged', detail: expect.stringContaining('ENXIO') });
  });

  it('is tried again when it was killed and no process can be started for a while', async () => {
    const supervised = role(`${READY} ${STAYS}`);
    await supervised.start();
    const { execPath } = process;
    const failed = next('died').then(() => next('died'));
    process.execPath = path.join(directory, 'no-such-program');
    try {
      process.kill(supervised.pid() ?? 0, 'SIGKILL');
      await failed;
    } finally {
      process.execPath = execPath;
    }
    await next('ready');
    expect(events.find(({ what, pid }) => what === 'died' && pid === undefined)).toMatchObject({ detail: expect.stringContaining('ENOENT') });
  });

  it('is ended hard when it does not end in time', async () => {
    const supervised = role(`process.on('SIGTERM', () => undefined); ${READY} ${STAYS}`, { stopMs: 1 });
    await supervised.start();
    await supervised.stop();
    expect(events.at(-1)).toMatchObject({ what: 'stopped', detail: 'SIGKILL' });
  });
});
