import { describe, expect, it } from 'vitest';
import { type Behaviour, toolServer } from '../../support/tool-server.ts';
import { call, once, toolAt } from './http-fixture.ts';

describe('an answer', () => {
  it.each([
    ['with a length', true],
    ['in chunks without end', false],
  ])('that is too large is cut off (%s)', async (_, withLength) => {
    const { answer } = await once(
      (_request, response) => {
        response.writeHead(200, withLength ? { 'content-length': 10_000_000 } : {});
        const more = (): void => {
          while (!response.destroyed && response.write('x'.repeat(65_536)));
          if (!response.destroyed) response.once('drain', more);
        };
        more();
      },
      { http: { response_max_bytes: 100_000 } },
    );
    expect(answer).toEqual({ kind: 'unclear', message: 'the tool answered 200 with more than 100000 bytes' });
  });

  it('that is compressed although nobody asked is not carried: it could hide what has to be scrubbed', async () => {
    const { answer } = await once((_, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end('zzz'));
    expect(answer).toMatchObject({ kind: 'unclear', message: expect.stringContaining('encoding') });
  });

  it.each([
    ['before its head', (_: unknown, response: { destroy(): void }) => response.destroy()],
    [
      'in its body',
      (_: unknown, response: { writeHead(status: number, headers: object): { write(text: string, then: () => void): void }; destroy(): void }) =>
        response.writeHead(200, { 'content-length': 10 }).write('x', () => response.destroy()),
    ],
  ] as const)('that ends %s is unclear', async (_, behaviour) => {
    expect((await once(behaviour as Behaviour)).answer).toMatchObject({ kind: 'unclear' });
  });

  it.each([
    ['never', () => undefined],
    [
      'drop by drop',
      (_, response) => {
        response.writeHead(200);
        const timer = setInterval(() => response.write('x'), 5);
        response.on('close', () => clearInterval(timer));
      },
    ],
    [
      'header by header',
      (_, response, socket) => {
        const timer = setInterval(() => socket.write('X-A: b\r\n'), 5);
        socket.write('HTTP/1.1 200 OK\r\n');
        socket.on('close', () => clearInterval(timer));
        void response;
      },
    ],
  ] satisfies (readonly [string, Behaviour])[])('that comes %s ends with the time of the call', async (_, behaviour) => {
    await using server = await toolServer(behaviour);
    const tool = toolAt(server);
    const stop = new AbortController();
    const ending = call(tool, {}, stop.signal);
    setTimeout(() => stop.abort('timeout'), 60);
    expect(await ending).toEqual({ kind: 'unclear', message: 'the tool did not answer in time, or the call was stopped' });
    await tool.close();
  });

  it.each([
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
    'not http at all\r\n\r\n',
    `HTTP/1.1 200 OK\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`,
    'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
  ])('that is no proper answer is unclear: %j', async (bytes) => {
    expect((await once((_, _response, socket) => void socket.end(bytes))).answer).toMatchObject({ kind: 'unclear' });
  });
});
