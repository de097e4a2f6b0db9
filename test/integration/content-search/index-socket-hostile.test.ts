import { once } from 'node:events';
import { chmodSync, existsSync, lstatSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createBarrierClient } from '../../../src/content-search/ngram-index/serving/barrier-client.ts';
import { createBarrierServer } from '../../../src/content-search/ngram-index/serving/barrier-server.ts';
import type { Lifecycle } from '../../../src/core/lifecycle.ts';
import { barrierHost } from '../../support/content/barrier-host.ts';
import { PATIENCE_MS } from '../../support/patience.ts';

let home: string;
let directory: string;
let host: Lifecycle;
let files: readonly string[];
const damage: string[] = [];
beforeEach(() => {
  home = mkdtempSync(path.join(os.tmpdir(), 'writ-socket-'));
  directory = path.join(home, 'index');
  mkdirSync(directory, { mode: 0o700 });
  files = [];
  damage.length = 0;
  const corrupt = (message: string): void => void damage.push(message);
  host = createBarrierServer(
    directory,
    barrierHost({ status: () => 'fine', corrupt }, () => files),
  );
});
afterEach(async () => {
  await host.stop();
  rmSync(home, { recursive: true });
});

const socketFile = () => path.join(directory, 'host.sock');

async function open(): Promise<Socket> {
  const socket = connect(socketFile());
  await once(socket, 'connect');
  return socket.on('error', () => undefined).setEncoding('utf8');
}

/** An honest search, which is answered. */
async function isServed(): Promise<string | undefined> {
  const client = createBarrierClient(directory, PATIENCE_MS);
  try {
    return await client.status();
  } finally {
    client.close();
  }
}

describe('the socket of an index host', () => {
  it.each<[string, string | Buffer]>([
    ['no JSON', 'GET / HTTP/1.1\n'],
    ['an empty line', '\n'],
    ['bytes that are no text', Buffer.from([0xff, 0xfe, 0x00, 0x80, 0x0a])],
    ['null', 'null\n'],
    ['an order that it has not', '{"id":1,"drop":true}\n'],
    ['two orders at once', '{"id":1,"barrier":null,"status":true}\n'],
    ['a number that is none', '{"id":1e400,"barrier":null}\n'],
    ['half a number', '{"id":1.5,"barrier":null}\n'],
    ['a prototype', '{"__proto__":{"id":1,"status":true}}\n'],
    ['a text for the number', '{"id":"1\\"}","status":true}\n'],
    ['deep brackets', `${'['.repeat(16_000)}\n`],
    ['a line without an end', '{"corrupt":"'.padEnd(40_000, 'x')],
  ])('ends the connection that says %s, and serves the others', async (_what, said) => {
    await host.start();
    const socket = await open();
    let heard = '';
    socket.on('data', (text: string) => {
      heard += text;
    });
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.write(said);
    await closed;
    expect(heard).toBe('');
    expect(await isServed()).toBe('fine');
  });

  it('lets go of one who asks on and on and reads nothing', async () => {
    files = Array.from({ length: 10_000 }, (_, at) => `${'directory/'.repeat(10)}${at}`);
    await host.start();
    const socket = await open();
    socket.pause();
    // An error comes first: it wrote to a connection that was ended.
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const asked = '{"id":1,"barrier":null}\n'.repeat(100);
    const ask = (): void => void (socket.destroyed || socket.write(asked, () => setImmediate(ask)));
    ask();
    await closed;
    expect(await isServed()).toBe('fine');
  });

  it('takes reports of damage as words, few and short', async () => {
    await host.start();
    const socket = await open();
    socket.write(`${JSON.stringify({ corrupt: 'x'.repeat(10_000) })}\n`.repeat(20));
    await expect.poll(() => damage.length).toBe(1);
    expect(damage[0]).toHaveLength(1000);
    socket.destroy();
    expect(await isServed()).toBe('fine');
  });

  it('is open to this user alone, and gone with its host', async () => {
    await host.start();
    expect(statSync(socketFile()).mode & 0o777).toBe(0o600);
    await host.stop();
    expect(existsSync(socketFile())).toBe(false);
  });
});

describe('the directory of an index', () => {
  it('that others may enter gets no socket', async () => {
    chmodSync(directory, 0o750);
    await expect(host.start()).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    expect(existsSync(socketFile())).toBe(false);
  });

  it('that others may enter is not asked either', async () => {
    await host.start();
    chmodSync(directory, 0o755);
    expect(await isServed()).toBeUndefined();
    chmodSync(directory, 0o700);
    expect(await isServed()).toBe('fine');
  });

  it('that is a link is not followed', async () => {
    const link = path.join(home, 'link');
    symlinkSync(directory, link);
    const other = createBarrierServer(link, barrierHost({}));
    await expect(other.start()).rejects.toMatchObject({ code: 'ENOTDIR' });
    expect(existsSync(socketFile())).toBe(false);
    await other.stop();
  });

  it.each(['file', 'link'] as const)('keeps a %s that lies where the socket belongs: it is no socket of ours', async (kind) => {
    const target = path.join(home, 'precious');
    writeFileSync(target, 'precious');
    if (kind === 'file') writeFileSync(socketFile(), 'precious');
    else symlinkSync(target, socketFile());
    await expect(host.start()).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    expect(await isServed()).toBeUndefined();
    expect([lstatSync(socketFile()).isSymbolicLink(), statSync(target).size]).toEqual([kind === 'link', 8]);
  });
});
