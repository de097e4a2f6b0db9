import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WritError } from '../../../src/core/errors.ts';
import { manifestSha256 } from '../../../src/core/hash.ts';
import type { DeriveRequest, PlanKernel } from '../../../src/core/ports/index.ts';
import { createKernelServer, createPlanKernelClient, deriveRoutes } from '../../../src/kernel/index.ts';
import { createLineCalls, type LineCalls } from '../../../src/kernel/lines-client.ts';
import { type LineAnswer, MAX_ASKED } from '../../../src/kernel/lines-server.ts';

const MANIFEST = { task_id: 's-1', capability_id: 'FILE_COPY', inputs: { text: 'two\nlines' }, constraints: {} };
const HASH = manifestSha256(MANIFEST);
const GRANTED = { taskId: 's-1', manifestSha256: HASH, lease: 'a.b.c', jti: 'j', exp: 1 };
const REQUEST: DeriveRequest = { planSha256: 'a'.repeat(64), lease: 'a.b.c', since: 0, answers: [], voided: [] };

function deferred<T>() {
  let resolve: (value: T) => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<T>((done, failed) => {
    resolve = done;
    reject = failed;
  });
  return { promise, resolve, reject };
}

describe('a connection to the kernel in lines', () => {
  let directory: string;
  let socketPath: string;
  const running: { stop(): Promise<void> }[] = [];
  const closing: { close(): void }[] = [];

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'writ-lines-'));
    socketPath = join(directory, 'derive.sock');
  });
  afterEach(async () => {
    for (const one of closing.splice(0)) one.close();
    await Promise.all(running.splice(0).map((one) => one.stop()));
    rmSync(directory, { recursive: true, force: true });
  });

  async function listen(derive: PlanKernel['derive'], withLines = true, report?: (problem: string) => void, maxBodyBytes = 4096) {
    const server = createKernelServer({
      socketPath,
      maxBodyBytes,
      routes(app, maxBytes): LineAnswer | undefined {
        const answer = deriveRoutes(app, { derive }, maxBytes);
        return withLines ? answer : undefined;
      },
      ...(report && { report }),
    });
    running.push(server);
    await server.start();
    return server;
  }
  function client() {
    const made = createPlanKernelClient(socketPath);
    closing.push(made);
    return made;
  }
  function calls(timeoutMs = 10_000): LineCalls {
    const made = createLineCalls(socketPath, timeoutMs);
    closing.push(made);
    return made;
  }
  /** A connection that goes on in lines. */
  async function raw(): Promise<Socket> {
    const socket = connect(socketPath).setEncoding('utf8');
    closing.push({ close: () => socket.destroy() });
    socket.write('GET / HTTP/1.1\r\nHost: kernel\r\nConnection: Upgrade\r\nUpgrade: writ-lines\r\n\r\n');
    const [head] = (await once(socket, 'data')) as [string];
    expect(head).toMatch(/^HTTP\/1.1 101 /);
    return socket;
  }

  it('answers each question under its number, whichever is ready first, and tells problems as the errors that the kernel threw', async () => {
    const first = deferred<void>();
    await listen(async ({ since }) => {
      if (since === 0) await first.promise;
      if (since === 2) throw new WritError('LEASE_REFUSED', 'no', { field: 'x' });
      return { manifest: MANIFEST, ...GRANTED, jti: `j${since}` };
    });
    const kernel = client();
    const slow = kernel.derive(REQUEST);
    expect(await kernel.derive({ ...REQUEST, since: 1 })).toEqual({ manifest: MANIFEST, ...GRANTED, jti: 'j1' });
    await expect(kernel.derive({ ...REQUEST, since: 2 })).rejects.toMatchObject({ code: 'LEASE_REFUSED', message: 'no', field: 'x' });
    await expect(kernel.derive({ ...REQUEST, planSha256: 'none' })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', field: 'plan_sha256' });
    first.resolve();
    expect((await slow).jti).toBe('j0');
  });

  it('leaves out the manifest that the caller knows, and no other one', async () => {
    await listen(async () => ({ manifest: MANIFEST, ...GRANTED }));
    const known = { manifest: { ...MANIFEST, inputs: {} }, manifestSha256: HASH };
    const answers = await calls().ask({ knows: HASH, body: { plan_sha256: REQUEST.planSha256, lease: 'a.b.c', since: 0, answers: [], voided: [] } });
    expect(answers).toMatchObject({ answer: expect.not.objectContaining({ manifest: expect.anything() }) });
    expect((await client().derive({ ...REQUEST, known })).manifest).toBe(known.manifest);
    expect((await client().derive({ ...REQUEST, known: { ...known, manifestSha256: 'b'.repeat(64) } })).manifest).toEqual(MANIFEST);
  });

  it('is not needed: a kernel that knows nothing of it answers over HTTP, and so does this one to an earlier worker', async () => {
    await listen(async () => ({ manifest: MANIFEST, ...GRANTED }), false);
    const kernel = client();
    expect(await kernel.derive({ ...REQUEST, known: { manifest: MANIFEST, manifestSha256: HASH } })).toEqual({ manifest: MANIFEST, ...GRANTED });
    expect(await kernel.derive(REQUEST)).toEqual({ manifest: MANIFEST, ...GRANTED });
  });

  it('is made anew when the kernel was restarted, and says so when nobody is there', async () => {
    const derive = async () => ({ manifest: MANIFEST, ...GRANTED });
    const server = await listen(derive);
    const kernel = client();
    await kernel.derive(REQUEST);
    await server.stop();
    await expect(kernel.derive(REQUEST)).rejects.toMatchObject({ code: 'KERNEL_UNAVAILABLE' });
    await listen(derive);
    expect(await kernel.derive(REQUEST)).toMatchObject({ lease: 'a.b.c' });
  });

  it('asks once more when it is cut off with a question, and a stop lets the kernel answer first', async () => {
    const asked = deferred<void>();
    const answer = deferred<void>();
    const server = await listen(async () => {
      asked.resolve();
      await answer.promise;
      return { manifest: MANIFEST, ...GRANTED };
    });
    const kernel = client();
    const told = kernel.derive(REQUEST);
    await asked.promise;
    const stopped = server.stop();
    answer.resolve();
    expect(await told).toMatchObject({ lease: 'a.b.c' });
    await stopped;
  });

  it('gives up on a kernel that does not answer in time', async () => {
    const never = deferred<never>();
    await listen(() => never.promise);
    await expect(calls(50).ask({ body: { plan_sha256: REQUEST.planSha256, lease: 'a.b.c', since: 0, answers: [], voided: [] } })).rejects.toMatchObject({
      code: 'KERNEL_UNAVAILABLE',
    });
    never.reject(new WritError('INTERNAL', 'over'));
  });

  /** The replies of a connection, one after the other. */
  function repliesOf(socket: Socket): () => Promise<unknown> {
    const lines = createInterface(socket)[Symbol.asyncIterator]();
    return async () => JSON.parse(String((await lines.next()).value)) as unknown;
  }
  const question = (id: number, lease: string): string =>
    `${JSON.stringify({ id, body: { plan_sha256: REQUEST.planSha256, lease, since: 0, answers: [], voided: [] } })}\n`;
  const busy = (id: number) => ({ id, problem: expect.objectContaining({ code: 'KERNEL_UNAVAILABLE', status: 503 }) });

  it('refuses more questions at a time than a worker has, and more characters than one may have, until there is room', async () => {
    const answer = deferred<void>();
    closing.push({ close: () => answer.resolve() });
    const derive = async () => {
      await answer.promise;
      return { manifest: MANIFEST, ...GRANTED };
    };
    await listen(derive, true, undefined, 512 * 1024);
    const many = await raw();
    const toldMany = repliesOf(many);
    many.write(Array.from({ length: MAX_ASKED + 1 }, (_, at) => question(at + 1, 'a.b.c')).join(''));
    expect(await toldMany()).toEqual(busy(MAX_ASKED + 1));
    const large = await raw();
    const toldLarge = repliesOf(large);
    const half = 'a.b.'.padEnd(300 * 1024, 'c');
    large.write(question(1, half));
    large.write(question(2, half));
    expect(await toldLarge()).toEqual(busy(2));
    answer.resolve();
    expect(await toldMany()).toMatchObject({ id: expect.any(Number), answer: { jti: 'j' } });
    await toldLarge();
    large.write(question(3, 'a.b.c'));
    expect(await toldLarge()).toMatchObject({ id: 3, answer: { jti: 'j' } });
  });

  it.each([
    ['no JSON', '{'],
    ['a question without a number', '{"body":{}}'],
    ['two equal keys', '{"id":1,"id":1,"body":{}}'],
    ['more than may be asked', `{"id":1,"body":"${'x'.repeat(5000)}"}`],
    ['more than may be asked, without an end', 'x'.repeat(5000)],
  ])('ends at %s', async (_what, line) => {
    await listen(async () => ({ manifest: MANIFEST, ...GRANTED }));
    const socket = await raw();
    socket.write(line.length === 5000 ? line : `${line}\n`);
    await once(socket, 'close');
  });

  it('is refused under another name, and reports what is our own fault without telling it', async () => {
    const reported: string[] = [];
    await listen(
      async () => {
        throw new Error('secret');
      },
      true,
      (problem) => reported.push(problem),
    );
    const other = connect(socketPath);
    other.write('GET / HTTP/1.1\r\nHost: kernel\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    other.on('error', () => undefined);
    await once(other, 'close');
    await expect(client().derive(REQUEST)).rejects.toMatchObject({ code: 'INTERNAL', message: expect.not.stringContaining('secret') });
    expect(reported).toEqual(['secret']);
  });
});
