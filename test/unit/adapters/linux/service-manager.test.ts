import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openServiceManager } from '../../../../src/adapters/linux/service-manager.ts';

/** Node has no datagram sockets of the unix kind; Python listens as systemd does. */
const LISTEN = `
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1].replace('@', chr(0), 1) if sys.argv[1][0] == '@' else sys.argv[1])
print('listens', flush=True)
while True: print(s.recv(4096).decode(), flush=True)
`;

let home: string;
let listener: ChildProcess;
let heard: AsyncIterator<string>;
beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), 'writ-notify-'));
});
afterEach(async () => {
  listener?.kill('SIGKILL');
  if (listener?.exitCode === null && listener.signalCode === null) await once(listener, 'exit');
  rmSync(home, { recursive: true, force: true });
});

async function listenAt(address: string): Promise<void> {
  listener = spawn('python3', ['-c', LISTEN, address], { stdio: ['ignore', 'pipe', 'inherit'] });
  heard = createInterface({ input: listener.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  expect((await heard.next()).value).toBe('listens');
}
const next = async (): Promise<string> => String((await heard.next()).value);
const variables = (values: Readonly<Record<string, string>>) => (name: string) => values[name];

describe('a service manager', () => {
  it('is told of the start and the stop, and its watchdog that the event loop turns', async () => {
    const address = path.join(home, 'notify');
    await listenAt(address);
    const manager = openServiceManager(variables({ NOTIFY_SOCKET: address, WATCHDOG_USEC: '20000', WATCHDOG_PID: String(process.pid) }));
    manager.ready();
    expect([await next(), await next(), await next()]).toEqual(['READY=1', 'WATCHDOG=1', 'WATCHDOG=1']);
    manager.stopping();
    let said = await next();
    while (said === 'WATCHDOG=1') said = await next();
    expect(said).toBe('STOPPING=1');
  });

  it('may listen on an abstract name, and watch another process only', async () => {
    const address = `@writ-${path.basename(home)}`;
    await listenAt(address);
    const manager = openServiceManager(variables({ NOTIFY_SOCKET: address, WATCHDOG_USEC: '1000', WATCHDOG_PID: '1' }));
    manager.ready();
    manager.stopping();
    expect([await next(), await next()]).toEqual(['READY=1', 'STOPPING=1']);
  });

  it.each([{}, { NOTIFY_SOCKET: '' }, { NOTIFY_SOCKET: 'relative' }, { NOTIFY_SOCKET: '/nowhere/notify', WATCHDOG_USEC: 'x' }])(
    'that is not there or does not listen is no trouble: %j',
    (values) => {
      const manager = openServiceManager(variables(values));
      expect(() => {
        manager.ready();
        manager.stopping();
      }).not.toThrow();
    },
  );
});
