import { describe, expect, it } from 'vitest';
import { shownAddress, unreachable } from '../../../../src/adapters/redis/unreachable.ts';
import { WritError } from '../../../../src/core/errors.ts';

describe('a configured Redis that cannot be used', () => {
  it.each([
    ['redis://a:b@host:1/2', 'redis://***@host:1/2'],
    ['redis://:p@ss@host:1', 'redis://***@host:1'],
    ['rediss://host', 'rediss://host'],
    ['unix:///run/redis.sock?db=1', 'unix:///run/redis.sock?db=1'],
  ])('is named without a password: %s', (url, shown) => {
    expect(shownAddress(url)).toBe(shown);
  });

  it.each([
    ['redis://h:1', 'connect ECONNREFUSED', 'Redis at redis://h:1 does not answer (connect ECONNREFUSED): look at the server and at redis.url (`writ doctor`)'],
    ['redis://h:1', 'Unknown RESP type 72 "H". Please report this.', /^what answers at redis:\/\/h:1 is no Redis/],
    ['redis://h:1', 'NOAUTH Authentication required.', /lets nobody in without a password, and redis\.url has none \(NOAUTH .*WRIT_REDIS__URL/],
    [
      'redis://u:secret@h:1',
      'WRONGPASS invalid username-password pair',
      /^Redis at redis:\/\/\*\*\*@h:1 lets nobody in with the user and password of redis\.url/,
    ],
  ])('says what is wrong with %s: %s', (url, cause, message) => {
    const error = unreachable(url, new Error(cause));
    expect(error).toMatchObject({
      code: 'REDIS_UNAVAILABLE',
      field: 'redis.url',
      message: typeof message === 'string' ? message : expect.stringMatching(message),
    });
    expect(error.message).not.toContain('secret');
  });

  it('says of a cluster that a master may be away, whoever answers', () => {
    const { message } = unreachable('redis://h:1', new Error('no answer within 3000 ms'), true);
    expect(message).toMatch(/^the Redis Cluster of redis:\/\/h:1 does not serve .* a master is away, and at redis\.url and redis\.cluster_nodes/);
  });

  it('keeps an error that says it better already', () => {
    const distrust = new WritError('REDIS_TLS', 'no trust');
    expect(unreachable('rediss://h', distrust)).toBe(distrust);
  });
});
