import { describe, expect, it } from 'vitest';
import { localUrl } from '../../../src/core/local-url.ts';

describe('the address of a server on its own host', () => {
  it.each([
    ['127.0.0.1', 'http://127.0.0.1:80'],
    ['localhost', 'http://localhost:80'],
    ['::1', 'http://[::1]:80'],
    ['[::1]', 'http://[::1]:80'],
    ['0.0.0.0', 'http://127.0.0.1:80'],
    ['::', 'http://127.0.0.1:80'],
    ['[::]', 'http://127.0.0.1:80'],
  ])('bound to %s is %s', (host, url) => {
    expect(localUrl(host, 80)).toBe(url);
  });
});
