import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { probePorts } from '../../../../src/adapters/processes/probe-ports.ts';

const HOST = '127.0.0.1';
const stranger = { mayHold: () => false };
let server: Server;
let port: number;

beforeAll(async () => {
  server = createServer();
  await new Promise<void>((resolve) => server.listen(0, HOST, resolve));
  const address = server.address();
  port = typeof address === 'object' && address !== null ? address.port : 0;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

describe('the probe of ports', () => {
  it('names the setting and the process in the way', async () => {
    await expect(probePorts([{ field: 'http.port', host: HOST, port }], stranger)).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      field: 'http.port',
      message: expect.stringMatching(
        new RegExp(`^127\\.0\\.0\\.1 port ${port} cannot be had: another program listens there: process ${process.pid} \\(.+\\); end it, or set another port$`),
      ),
    });
  });

  it('passes port 0, a free port and one whose holder will be ended', async () => {
    const holders: number[] = [];
    await probePorts([{ field: 'http.port', host: HOST, port: 0 }], stranger);
    await probePorts([{ field: 'redis.port', host: HOST, port }], { mayHold: (pid) => holders.push(pid) > 0 });
    expect(holders).toEqual([process.pid]);
  });

  it('leaves the port free that it has tried', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, HOST, resolve));
    const address = other.address();
    const free = typeof address === 'object' && address !== null ? address.port : 0;
    await new Promise((resolve) => other.close(resolve));
    const ports = [{ field: 'http.port', host: HOST, port: free }];
    await probePorts(ports, stranger);
    await probePorts(ports, stranger);
  });

  it('refuses two settings with one port', async () => {
    const both = [
      { field: 'http.port', host: HOST, port },
      { field: 'redis.port', host: HOST, port },
    ];
    await expect(probePorts(both, { mayHold: () => true })).rejects.toMatchObject({
      field: 'redis.port',
      message: expect.stringContaining('http.port asks for the same port'),
    });
  });

  it('need not find a port free that can be done without, but not for a second setting', async () => {
    const metrics = { field: 'metrics.worker_port', host: HOST, port, optional: true };
    await probePorts([metrics], stranger);
    await expect(probePorts([{ field: 'http.port', host: HOST, port }, metrics], { mayHold: () => true })).rejects.toMatchObject({
      field: 'metrics.worker_port',
    });
  });
});
