import { describe, expect, it } from 'vitest';
import { targetOptions } from '../../../../src/adapters/redis/target.ts';

describe('a Redis target', () => {
  it('becomes connection options', () => {
    expect(targetOptions({ path: '/x/redis.sock', password: 'p' })).toEqual({ protocol: 2, path: '/x/redis.sock', password: 'p' });
    expect(targetOptions({ url: 'redis://localhost' })).toEqual({ protocol: 2, host: 'localhost', port: 6379, db: 0 });
    expect(targetOptions({ url: 'redis://user:p%40ss@[::1]:7000/3' })).toEqual({
      protocol: 2,
      host: '::1',
      port: 7000,
      db: 3,
      username: 'user',
      password: 'p@ss',
    });
    expect(targetOptions({ url: 'rediss://redis.example:6380' })).toEqual({
      protocol: 2,
      host: 'redis.example',
      port: 6380,
      db: 0,
      tls: { minVersion: 'TLSv1.2' },
    });
    expect(targetOptions({ url: 'unix:///run/redis%20x.sock?db=2' })).toEqual({ protocol: 2, path: '/run/redis x.sock', db: 2 });
  });

  it('is refused when it names no Redis server, without repeating a password', () => {
    for (const url of ['', 'localhost:6379', 'http://:secret@x', 'redis://:secret@x/notanumber']) {
      expect(() => targetOptions({ url })).toThrow(
        expect.objectContaining({ code: 'INVALID_CONFIG', field: 'redis.url', message: expect.not.stringContaining('secret') }),
      );
    }
  });
});
