import { describe, expect, it } from 'vitest';
import type { SystemStatus } from '../../../../../src/core/ports/index.ts';
import { createWorld } from '../world.ts';

describe('writ status', () => {
  const status: SystemStatus = {
    queues: [
      {
        queue: 'file',
        waiting: 12,
        active: 3,
        delayed: 1,
        completed: 5,
        failed: 2,
        paused: false,
        oldestWaitingMs: 125_000,
        workers: 1,
        failures: { EXECUTION_FAILED: 2 },
        failuresSampled: 2,
      },
    ],
    workers: [
      { instance: 'w1', alive: true },
      { instance: 'w2', alive: false },
    ],
    ledger: { markers: 256, expected: 256, generation: 'g' },
    redis: { version: '7.0.15', policy: 'noeviction', appendOnly: true, appendOnlyOk: true, usedBytes: 1024 * 1024, limitBytes: 0 },
  };

  it('shows a table with the age of the oldest waiting job and the failures by code', async () => {
    const world = await createWorld();
    const { out, code } = await world.cli(['status'], '', { status: async () => status });
    expect(code).toBe(0);
    expect(out).toContain('file        12  2 min 5 s       3        1       2          5        1');
    expect(out).toContain('EXECUTION_FAILED 2 (newest 2 jobs)');
    expect(out).toContain('1 alive, 1 gone');
    expect((await world.cli(['status', '--json'], '', { status: async () => status })).lines[0]).toMatchObject({
      queues: [{ oldest_waiting_ms: 125_000 }],
      redis: { policy: 'noeviction' },
    });
  });

  it('exits 3 and says what to start when Redis is down', async () => {
    const world = await createWorld();
    expect(await world.cli(['status', '--json'])).toMatchObject({
      code: 3,
      lines: [{ error: { code: 'REDIS_UNAVAILABLE', hint: expect.stringContaining('writ up') } }],
    });
  });
});
