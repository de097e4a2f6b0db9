import { describe, expect, it } from 'vitest';
import { toWritError } from '../../../../src/adapters/redis/redis-error.ts';
import { WritError } from '../../../../src/core/errors.ts';

function named(name: string, message: string): Error {
  return Object.assign(new Error(message), { name });
}

describe('errors of a Redis client', () => {
  it('become coded errors with the original as their cause', () => {
    const cases: [Error, string][] = [
      [named('ReplyError', "OOM command not allowed when used memory > 'maxmemory'."), 'REDIS_FULL'],
      [named('ReplyError', 'WRONGTYPE Operation against a key holding the wrong kind of value'), 'INTERNAL'],
      [named('ReplyError', "ERR unknown command 'x'"), 'INTERNAL'],
      [named('ReplyError', 'LOADING Redis is loading the dataset in memory'), 'REDIS_UNAVAILABLE'],
      [named('ReplyError', "READONLY You can't write against a read only replica."), 'REDIS_UNAVAILABLE'],
      [named('MaxRetriesPerRequestError', 'Reached the max retries per request limit'), 'REDIS_UNAVAILABLE'],
      [named('Error', 'Connection is closed.'), 'REDIS_UNAVAILABLE'],
      [named('Error', "Stream isn't writeable and enableOfflineQueue options is false"), 'REDIS_UNAVAILABLE'],
      [named('Error', 'Command timed out'), 'REDIS_UNAVAILABLE'],
      [named('Error', "Cluster isn't ready and enableOfflineQueue options is false"), 'REDIS_UNAVAILABLE'],
      [named('Error', 'None of startup nodes is available'), 'REDIS_UNAVAILABLE'],
      [named('ClusterAllFailedError', 'Failed to refresh slots cache.'), 'REDIS_UNAVAILABLE'],
      [named('Error', 'Too many Cluster redirections. Last error: ReplyError: CLUSTERDOWN'), 'REDIS_UNAVAILABLE'],
      [Object.assign(new Error('connect ECONNREFUSED'), { errno: -111, syscall: 'connect' }), 'REDIS_UNAVAILABLE'],
    ];
    for (const [cause, code] of cases) expect(toWritError(cause)).toMatchObject({ name: 'WritError', code, cause });
  });

  it('name the setting that a node of a cluster needs', () => {
    expect(toWritError(named('ReplyError', 'MOVED 1 127.0.0.1:7001'))).toMatchObject({
      code: 'REDIS_UNAVAILABLE',
      field: 'redis.cluster',
      message: expect.stringContaining('set redis.cluster = true'),
    });
  });

  it('stay what they are when Redis has nothing to do with them', () => {
    for (const error of [new TypeError('x is not a function'), new WritError('REDIS_POLICY', 'no'), 'text']) expect(toWritError(error)).toBe(error);
  });
});
