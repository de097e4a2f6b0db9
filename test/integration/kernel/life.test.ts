import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openKernelStore } from '../../../src/adapters/sqlite/kernel-store/kernel-store.ts';
import { createKernelConnection, createKernelServer } from '../../../src/kernel/index.ts';
import { type KernelRig, type KernelRigOptions, startKernel } from '../../fixtures/authority/kernel-rig.ts';
import { MANIFEST, memoryFeed, NOW } from '../../fixtures/authority/world.ts';

let dir: string;
const running: KernelRig[] = [];
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'writ-kernel-life-'));
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((rig) => rig.stop()));
  await rm(dir, { recursive: true, force: true });
});

async function start(options: KernelRigOptions = {}): Promise<KernelRig> {
  const rig = await startKernel({ dir, ...options });
  running.push(rig);
  return rig;
}
async function end(rig: KernelRig): Promise<void> {
  running.splice(running.indexOf(rig), 1);
  await rig.stop();
}

/** A raw request, for bodies that the client would never send. */
function raw(
  socketPath: string,
  path: string,
  body: string,
  type = 'application/json',
  method = 'POST',
): Promise<{ status: number; type: string; body: Record<string, unknown> }> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ socketPath, path, method, headers: { 'content-type': type, 'content-length': Buffer.byteLength(body) } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, type: response.headers['content-type'] ?? '', body: JSON.parse(Buffer.concat(chunks).toString()) }),
      );
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

describe('the life of a kernel', () => {
  it('remembers leases and revocations over a restart', async () => {
    const first = await start();
    await first.client.issueOne({ manifest: MANIFEST });
    await first.client.revoke({ jti: 'gone', exp: NOW + 5 });
    await end(first);
    const second = await start();
    await expect(second.client.issueOne({ manifest: { ...MANIFEST, inputs: {} } })).rejects.toMatchObject({ code: 'TASK_ID_CONFLICT' });
    expect(await second.client.revoke({ jti: 'gone', exp: NOW + 5 })).toMatchObject({ n: 1 });
    expect(await second.client.revoke({ jti: 'next', exp: NOW + 5 })).toMatchObject({ n: 2 });
  });

  it('signs for more and larger manifests than one request may have', async () => {
    const { client } = await start();
    const large = { ...MANIFEST, inputs: { ...MANIFEST.inputs, note: 'x'.repeat(240 * 1024) } };
    const requests = Array.from({ length: 80 }, (_, n) => ({ manifest: { ...large, task_id: `large-${n}` } }));
    const answers = await client.issue([...requests, { manifest: { ...MANIFEST, task_id: 'small' } }]);
    expect(answers.map((answer) => (answer.ok ? answer.taskId : answer.code))).toEqual([...requests.map(({ manifest }) => manifest.task_id), 'small']);
    expect(await client.issue([])).toEqual([]);
  });

  it('is the only one of its directory, and leaves it to the next', async () => {
    const first = await start();
    expect(() => openKernelStore(join(dir, 'kernel'))).toThrow(/another kernel already runs/);
    await end(first);
    await end(await start());
  });

  it('has a socket and a directory for its owner only', async () => {
    const { socketPath } = await start();
    expect((await stat(socketPath)).mode & 0o777).toBe(0o600);
    expect((await stat(join(dir, 'kernel'))).mode & 0o777).toBe(0o700);
  });

  it('does not listen in a directory that others can enter, nor on a path that is too long', async () => {
    await chmod(dir, 0o755);
    await expect(startKernelServerOnly(join(dir, 'kernel.sock'))).rejects.toMatchObject({ code: 'INVALID_CONFIG' });
    await expect(startKernelServerOnly(join(dir, 'x'.repeat(110)))).rejects.toMatchObject({ code: 'INVALID_CONFIG' });
  });

  async function startKernelServerOnly(socketPath: string): Promise<void> {
    await createKernelServer({ routes: () => undefined, socketPath }).start();
  }

  it('replaces the socket file that a dead kernel left', async () => {
    await writeFile(join(dir, 'kernel.sock'), '');
    const { client } = await start();
    expect(await client.health()).toMatchObject({ kid: 'kernel-1' });
  });

  it('starts and revokes while Redis is away, and publishes at the next call', async () => {
    const feed = memoryFeed();
    feed.down = true;
    const { client, reports } = await start({ feed });
    expect(await client.revoke({ jti: 'a', exp: NOW + 5 })).toEqual({ n: 1, jti: 'a', published: false });
    expect(await client.health()).toMatchObject({ revocations: { number: 1, published: false, problem: 'Redis does not answer' } });
    expect(reports).toEqual(['the revocation log is not published: Redis does not answer']);
    feed.down = false;
    expect(await client.revoke({ jti: 'b', exp: NOW + 5 })).toEqual({ n: 2, jti: 'b', published: true });
    expect(feed.log).toHaveLength(2);
  });

  it('publishes again at its start what Redis has lost', async () => {
    const feed = memoryFeed();
    const first = await start({ feed });
    await first.client.revoke({ jti: 'a', exp: NOW + 5 });
    const published = [...feed.log];
    await end(first);
    feed.log = [];
    await start({ feed });
    expect(feed.log).toEqual(published);
  });

  it('publishes again what Redis has lost while it runs', async () => {
    const feed = memoryFeed();
    const { client } = await start({ feed });
    await client.revoke({ jti: 'a', exp: NOW + 5 });
    const published = [...feed.log];
    feed.log = [];
    await expect.poll(() => feed.log).toEqual(published);
  });

  it('takes its own entries back from Redis after its records were lost', async () => {
    const feed = memoryFeed();
    const first = await start({ feed });
    await first.client.revoke({ jti: 'a', exp: NOW + 5 });
    await end(first);
    await rm(join(dir, 'kernel'), { recursive: true });
    const second = await start({ feed });
    expect(await second.client.revoke({ jti: 'a', exp: NOW + 5 })).toMatchObject({ n: 1 });
    expect(await second.client.revoke({ jti: 'b', exp: NOW + 5 })).toMatchObject({ n: 2, published: true });
  });

  it('says so when the published log is not its own', async () => {
    const feed = memoryFeed();
    feed.log = ['rubbish'];
    const { client } = await start({ feed });
    expect(await client.health()).toMatchObject({ revocations: { published: false, problem: expect.stringContaining('did not sign') } });
  });
});

describe('hostile requests to the socket', () => {
  it.each<[string, string, string, number, string]>([
    ['no JSON', '/issue', '{', 400, 'INVALID_MANIFEST'],
    ['a key twice', '/issue', '{"tasks":[],"tasks":[]}', 400, 'INVALID_MANIFEST'],
    ['__proto__', '/issue', '{"tasks":[],"__proto__":{}}', 400, 'INVALID_MANIFEST'],
    ['a bomb of brackets', '/issue', '['.repeat(50_000), 400, 'INVALID_MANIFEST'],
    ['no body', '/issue', '', 400, 'INVALID_MANIFEST'],
    ['a list', '/issue', '[]', 400, 'INVALID_ARGUMENT'],
    ['an unknown field', '/issue', '{"tasks":[],"role":"root"}', 400, 'INVALID_ARGUMENT'],
    ['a missing manifest', '/issue', '{"tasks":[{}]}', 400, 'INVALID_ARGUMENT'],
    ['no subject of a revocation', '/revoke', '{}', 400, 'INVALID_ARGUMENT'],
    ['an unknown route', '/derive', '{}', 404, 'NOT_FOUND'],
  ])('%s is answered with a problem document', async (_what, path, body, status, code) => {
    const { socketPath } = await start();
    const answer = await raw(socketPath, path, body);
    expect(answer).toMatchObject({ status, body: { type: 'about:blank', status, code, title: code, detail: expect.any(String) } });
    expect(answer.type).toContain('application/problem+json');
  });

  it('a body that is too large, or of another type, is answered with a problem document', async () => {
    const { socketPath } = await start();
    expect(await raw(socketPath, '/issue', `"${'x'.repeat(17 * 1024 * 1024)}"`)).toMatchObject({ status: 413, body: { code: 'INVALID_ARGUMENT' } });
    expect(await raw(socketPath, '/issue', 'tasks=', 'application/x-www-form-urlencoded')).toMatchObject({ status: 415, body: { code: 'INVALID_ARGUMENT' } });
  });

  it('a batch of the largest manifests is judged one by one', async () => {
    const { client } = await start();
    const large = Array.from({ length: 50 }, (_, index) => ({ manifest: { ...MANIFEST, task_id: `large-${index}`, inputs: { a: 'x'.repeat(240_000) } } }));
    expect((await client.issue(large)).every(({ ok }) => ok)).toBe(true);
  });
});

describe('a client without a kernel', () => {
  it('is told that the kernel is unavailable: no socket, no listener, no answer, no kernel', async () => {
    const socketPath = join(dir, 'other.sock');
    const client = createKernelConnection(socketPath, { timeoutMs: 150 });
    await expect(client.health()).rejects.toMatchObject({ code: 'KERNEL_UNAVAILABLE' });
    await writeFile(socketPath, '');
    await expect(client.health()).rejects.toMatchObject({ code: 'KERNEL_UNAVAILABLE' });
    await rm(socketPath);
    const silent = createServer((socket) => socket.resume());
    await new Promise<void>((resolve) => silent.listen(socketPath, resolve));
    await expect(client.health()).rejects.toThrow(/no answer within 150 ms/);
    await new Promise((resolve) => silent.close(resolve));
  });

  it('finds a restarted kernel with the connection that it kept', async () => {
    const first = await start();
    const client = createKernelConnection(first.socketPath);
    await client.health();
    await end(first);
    await expect(client.health()).rejects.toMatchObject({ code: 'KERNEL_UNAVAILABLE' });
    await start();
    expect(await client.health()).toMatchObject({ kid: 'kernel-1' });
    client.close();
  });
});
