import { chmodSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connectPrivately, listenPrivately, type PrivateServer } from '../../../../src/adapters/linux/private-socket.ts';

let directory: string;
let server: PrivateServer | undefined;
beforeEach(() => {
  // Longer than the 107 bytes that the address of a socket may have.
  directory = path.join(mkdtempSync(path.join(tmpdir(), 'writ-socket-')), 'long'.repeat(30));
});
afterEach(async () => {
  await server?.close();
  server = undefined;
  rmSync(path.dirname(directory), { recursive: true, force: true });
});

const listen = () =>
  listenPrivately({ directory, name: 'a.sock', maxConnections: 4, onConnection: (socket) => void socket.on('error', () => undefined).end('hello') });

describe('a private socket', () => {
  it('is reached by its user, and gone when its server closes', async () => {
    server = await listen();
    const file = path.join(directory, 'a.sock');
    expect([statSync(directory).mode & 0o777, statSync(file).mode & 0o777]).toEqual([0o700, 0o600]);
    const socket = await connectPrivately(directory, 'a.sock');
    let said = '';
    for await (const piece of socket ?? []) said += String(piece);
    expect(said).toBe('hello');
    await server?.close();
    expect(existsSync(file)).toBe(false);
    expect(await connectPrivately(directory, 'a.sock')).toBeUndefined();
  });

  it('is not taken from a process that answers, and is taken from one that is gone', async () => {
    server = await listen();
    expect(await listen()).toBeUndefined();
    const socket = await connectPrivately(directory, 'a.sock');
    expect(socket).toBeDefined();
    socket?.destroy();
  });

  it('in a directory that others can enter is neither opened nor asked', async () => {
    server = await listen();
    chmodSync(directory, 0o750);
    expect(await connectPrivately(directory, 'a.sock')).toBeUndefined();
    await expect(listen()).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
  });

  it('is no plain file of its name', async () => {
    server = await listen();
    await server?.close();
    writeFileSync(path.join(directory, 'a.sock'), 'x');
    expect(await connectPrivately(directory, 'a.sock')).toBeUndefined();
  });
});
