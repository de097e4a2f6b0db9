import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { whyAway } from '../../../src/adapters/redis/access.ts';
import { tellWhileAway } from '../../../src/adapters/redis/while-away.ts';
import type { WritError } from '../../../src/core/errors.ts';
import { freePorts } from '../../support/ports.ts';
import { startRedisServer } from '../../support/redis-server.ts';

const urlOf = (port: number | undefined) => ({ url: `redis://127.0.0.1:${port}` });

describe('who waits for a configured Redis', () => {
  it('is told once that it is away and that it answers, and nothing more when the wait is over', async () => {
    const [port] = await freePorts(1);
    const told: (WritError | undefined)[] = [];
    let wake = (): void => undefined;
    const next = () =>
      new Promise<void>((resolve) => {
        wake = resolve;
      });
    let ready: (value: string) => void = () => undefined;
    const waiting = new Promise<string>((resolve) => {
      ready = resolve;
    });
    let heard = next();
    const whole = tellWhileAway(
      waiting,
      urlOf(port),
      (why) => {
        told.push(why);
        wake();
      },
      5,
    );
    await heard;
    expect(told).toMatchObject([
      { code: 'REDIS_UNAVAILABLE', field: 'redis.url', message: expect.stringContaining(`redis://127.0.0.1:${port} does not answer`) },
    ]);
    heard = next();
    await using _server = await startRedisServer([`port ${port}`]);
    await heard;
    ready('started');
    expect(await whole).toBe('started');
    expect(told).toHaveLength(2);
    expect(told[1]).toBeUndefined();
  });

  it('is told that no Redis answers on the port of something else', async () => {
    const server = createServer((_request, response) => response.end('hello'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      expect(await whyAway(urlOf((server.address() as AddressInfo).port))).toMatchObject({ message: expect.stringMatching(/^what answers at .* is no Redis/) });
    } finally {
      server.close();
    }
  });

  it('is told of a password that redis.url lacks, and of a wrong one', async () => {
    const [port] = await freePorts(1);
    await using _server = await startRedisServer([`port ${port}`, 'requirepass right']);
    expect(await whyAway(urlOf(port))).toMatchObject({ field: 'redis.url', message: expect.stringContaining('redis.url has none (NOAUTH') });
    const wrong = await whyAway({ url: `redis://:wrong@127.0.0.1:${port}` });
    expect(wrong?.message).toMatch(/\*\*\*@127.* with the user and password of redis\.url \(WRONGPASS/);
    expect(await whyAway({ url: `redis://:right@127.0.0.1:${port}` })).toBeUndefined();
  });
});
