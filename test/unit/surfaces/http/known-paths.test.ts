import { describe, expect, it } from 'vitest';
import { createPathFinder, knownPaths, overlap } from '../../../../src/surfaces/http/known-paths.ts';
import { ROUTES } from '../../../../src/surfaces/http/routes/table.ts';

const PATHS = knownPaths([
  { method: 'GET', path: '/' },
  { method: 'GET', path: '/v1/tasks' },
  { method: 'POST', path: '/v1/tasks' },
  { method: 'GET', path: '/v1/tasks/:id' },
  { method: 'POST', path: '/v1/tasks/retry' },
  { method: 'GET', path: '/v1/events', head: false },
]);

describe('the paths of the tables', () => {
  it('are each once, with all their methods', () => {
    expect(PATHS.map(({ path, allow }) => [path, allow])).toEqual([
      ['/', 'GET, HEAD'],
      ['/v1/tasks', 'GET, HEAD, POST'],
      ['/v1/tasks/:id', 'GET, HEAD'],
      ['/v1/tasks/retry', 'POST'],
      ['/v1/events', 'GET'],
    ]);
  });

  it.each([
    ['/', '/'],
    ['/v1/tasks', '/v1/tasks'],
    ['/v1/tasks?x=/v1/events', '/v1/tasks'],
    ['/v1/tasks#x', '/v1/tasks'],
    ['/v1/%74asks', '/v1/tasks'],
    ['/v1/tasks;x', undefined],
    ['/v1/tasks/a;b', '/v1/tasks/:id'],
    ['/v1/tasks/a;b/cancel', undefined],
    ['/v1/tasks/a%2Fb', '/v1/tasks/:id'],
    ['/v1/tasks/retry', '/v1/tasks/retry'],
    ['/v1/tasks/', undefined],
    ['/v1/tasks/a/b', undefined],
    ['/v1/tasks/%', undefined],
    ['/V1/tasks', undefined],
    ['', undefined],
  ])('are found by an address: %s', (url, path) => {
    expect(createPathFinder(PATHS)(url)?.path).toBe(path);
  });

  it('are all found by an address of their own', () => {
    const paths = knownPaths(ROUTES);
    const find = createPathFinder(paths);
    for (const { path } of paths) expect(find(path.replaceAll(/:\w+/g, 'x-1'))?.path).toBe(path);
  });

  it('overlap where some address leads to both', () => {
    expect(overlap('/v1/tasks/:id', '/v1/tasks/retry')).toBe(true);
    expect(overlap('/v1/webhooks/:endpoint/resend', '/v1/webhooks/notices/:id')).toBe(true);
    expect(overlap('/v1/tasks/:id', '/v1/plans/:id')).toBe(false);
    expect(overlap('/v1/tasks', '/v1/tasks/:id')).toBe(false);
  });
});
