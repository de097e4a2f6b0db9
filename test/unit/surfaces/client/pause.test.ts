import { describe, expect, it } from 'vitest';
import { WritApiError } from '../../../../src/surfaces/client/index.ts';
import { backoffMs, pauseAfter } from '../../../../src/surfaces/client/pause.ts';

describe('pauses', () => {
  it('grow with jitter up to a limit, and are what the server wishes', () => {
    expect([0, 1, 2, 30].map((failures) => backoffMs(failures, () => 0))).toEqual([100, 200, 400, 5000]);
    expect(backoffMs(30, () => 0.999)).toBeLessThanOrEqual(10_000);
    const refused = (status: number, retryAfterMs?: number) => new WritApiError({ type: '', title: '', status, detail: '', code: 'X' }, retryAfterMs);
    expect([429, 503, 400, 401, 403, 404, 409, 422, 500, 504].filter((status) => pauseAfter(refused(status), 0, Math.random) !== undefined)).toEqual([
      429, 503,
    ]);
    expect(pauseAfter(refused(429, 7000), 0, () => 0)).toBe(7000);
    expect(pauseAfter(new TypeError('a bug'), 0, () => 0)).toBeUndefined();
  });
});
