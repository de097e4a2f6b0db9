import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createBarrierClient } from '../../../src/content-search/ngram-index/serving/barrier-client.ts';
import type { BarrierClient } from '../../../src/core/ports/index.ts';
import { PATIENCE, PATIENCE_MS } from '../../support/patience.ts';

/** A host that lives, and answers when the test says so. */
let directory: string;
let server: Server;
let sockets: Socket[];
let asked: number[];
const clients: BarrierClient[] = [];

beforeEach(async () => {
  directory = mkdtempSync(path.join(tmpdir(), 'writ-slow-host-'));
  [sockets, asked] = [[], []];
  server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined).setEncoding('utf8');
    socket.on('data', (lines: string) => {
      for (const line of lines.trim().split('\n')) asked.push((JSON.parse(line) as { readonly id: number }).id);
    });
  });
  await new Promise<void>((resolve) => void server.listen(path.join(directory, 'host.sock'), resolve));
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  for (const socket of sockets) socket.destroy();
  await new Promise<void>((resolve) => void server.close(() => resolve()));
  rmSync(directory, { recursive: true });
});

function client(limitMs: number, now?: () => number): BarrierClient {
  const made = createBarrierClient(directory, limitMs, now);
  clients.push(made);
  return made;
}

const IDENTITY = { uid: 0, gid: 0, groups: [], readsAll: true, userNamespace: '1', mountNamespace: '1', view: '', policy: '' };
const ANSWER = { veto: null, state: 'COMPLETE', reason: null, guarantee: 'inotify', snapshot: null, identity: IDENTITY };
const answerTo = (id: number): void => {
  for (const socket of sockets) socket.write(`${JSON.stringify({ id, answer: ANSWER, version: 1, overlay: { files: [], subtrees: [] } })}\n`);
};
const isAsked = (times: number): Promise<void> => vi.waitFor(() => expect(asked).toHaveLength(times), PATIENCE);

describe('a host that is slow', () => {
  it('is waited for as long as its answer is worth it, and not at all by a search to which it is worth nothing', async () => {
    const [patient, hasty] = [client(1), client(1)];
    const waiting = patient.barrier(PATIENCE_MS);
    await isAsked(1);
    // The limit of both is over when the hasty one gives up.
    expect(await hasty.barrier()).toBeUndefined();
    answerTo(1);
    expect(await waiting).toMatchObject({ state: 'COMPLETE' });
  });

  it('that owes an answer for longer than another is worth is not asked, until it answers', async () => {
    let nowMs = 0;
    const one = client(1, () => nowMs);
    expect(await one.barrier(2)).toBeUndefined();
    await isAsked(1);
    nowMs = 500;
    expect(await one.barrier(500)).toBeUndefined();
    expect(await one.status()).toBeUndefined();
    const patient = one.barrier(PATIENCE_MS);
    await isAsked(2);
    answerTo(1);
    answerTo(2);
    expect(await patient).toMatchObject({ state: 'COMPLETE' });
    const again = one.barrier(PATIENCE_MS);
    await isAsked(3);
    answerTo(3);
    expect(await again).toMatchObject({ state: 'COMPLETE' });
  });

  it('is known to be dead at once when it dies, whatever its answer is worth', async () => {
    const waiting = client(1).barrier(2 ** 30);
    await isAsked(1);
    for (const socket of sockets) socket.destroy();
    expect(await waiting).toBeUndefined();
  });
});
