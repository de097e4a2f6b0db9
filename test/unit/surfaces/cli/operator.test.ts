import { describe, expect, it } from 'vitest';
import type { SystemStatus, Vault, VaultEntry } from '../../../../src/core/ports/index.ts';
import { createWorld } from './world.ts';

describe('writ lease', () => {
  it('issues, verifies against a manifest, and sees another one', async () => {
    const world = await createWorld();
    const issued = await world.cli(['lease', 'issue', '-', '--ttl', '15m', '--json'], JSON.stringify(world.manifest('a')));
    expect(issued).toMatchObject({ code: 0, lines: [{ task_id: 'a', payload: { exp: world.clock.ms / 1000 + 900 } }] });
    const token = String(issued.lines[0]?.['lease']);
    expect((await world.cli(['lease', 'verify', token, '--manifest', 'input'], JSON.stringify(world.manifest('a')))).code).toBe(0);
    expect(await world.cli(['lease', 'verify', token, '--manifest', 'input', '--json'], JSON.stringify(world.manifest('b')))).toMatchObject({
      code: 1,
      lines: [{ valid: false, code: 'INVALID_LEASE' }],
    });
    world.clock.ms += 901_000;
    expect(await world.cli(['lease', 'verify', '-', '--json'], token)).toMatchObject({ code: 1, lines: [{ valid: false, code: 'LEASE_EXPIRED' }] });
  });

  it('prints the token alone, so that a shell can keep it', async () => {
    const world = await createWorld();
    const { out } = await world.cli(['lease', 'issue', '-'], JSON.stringify(world.manifest('a')));
    expect(out).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/);
  });

  it('sees a revoked lease, and revokes by token and by jti', async () => {
    const world = await createWorld();
    const token = await world.lease(world.manifest('revoked'));
    expect(await world.cli(['lease', 'verify', token])).toMatchObject({ code: 1, out: expect.stringContaining('revoked (entry 3') });
    await world.cli(['lease', 'revoke', token]);
    await world.cli(['lease', 'revoke', 'some-jti']);
    expect(world.asked.revoked).toEqual([token, { jti: 'some-jti', exp: world.clock.ms / 1000 + 100 }]);
  });

  it('refuses what is no lease', async () => {
    const world = await createWorld();
    expect((await world.cli(['lease', 'verify', 'nonsense'])).code).toBe(1);
    expect((await world.cli(['lease', 'issue', '-'], '{"task_id":1}')).code).toBe(2);
    expect((await world.cli(['lease', 'verify', '-'], '')).code).toBe(2);
  });
});

function vaultOf(entries: VaultEntry[]): { vault: Vault; purged: string[] } {
  const purged: string[] = [];
  const vault: Vault = {
    entries: async ({ base, before }, after = '', limit) =>
      entries
        .filter((entry) => entry.taskId > after && (base === undefined || entry.base === base) && (before === undefined || entry.since < before))
        .slice(0, limit),
    usage: async () => [],
    purge: async (page) =>
      page.map((entry) => {
        if (entry.taskId === 'busy') return { entry, what: 'in-use', why: 'an unfinished task wants it' };
        purged.push(entry.taskId);
        return { entry, what: 'purged' };
      }),
  };
  return { vault, purged };
}

describe('writ vault', () => {
  const DAY = 86_400_000;
  const entry = (taskId: string, since: number): VaultEntry => ({
    base: 'main',
    name: `d-${taskId}`,
    taskId,
    original: { base: 'main', segments: ['x', taskId] },
    bytes: 1024,
    since,
  });

  it('lists what was deleted, page after page', async () => {
    const world = await createWorld();
    const { vault } = vaultOf(Array.from({ length: 1_203 }, (_, at) => entry(`t${String(at).padStart(5, '0')}`, world.clock.ms - DAY)));
    const { lines } = await world.cli(['vault', 'list', '--json'], '', { vault: async () => vault });
    expect(lines).toHaveLength(1_204);
    expect(lines[0]).toMatchObject({ task_id: 't00000', file: '/main/x/t00000' });
    expect(lines.at(-1)).toEqual({ summary: { files: 1_203, bytes: 1_203 * 1024 } });
  });

  it('removes nothing without --confirm, and tells what it would remove', async () => {
    const world = await createWorld();
    const { vault, purged } = vaultOf([entry('old', world.clock.ms - 40 * DAY), entry('young', world.clock.ms - DAY)]);
    const said = await world.cli(['vault', 'purge', '--older-than', '30d'], '', { vault: async () => vault });
    expect(said).toMatchObject({ code: 2, err: expect.stringContaining('would remove 1 file (1.0 KiB) for good; add --confirm') });
    expect(purged).toEqual([]);
  });

  it('removes only what is old enough and not wanted back', async () => {
    const world = await createWorld();
    const { vault, purged } = vaultOf([
      entry('busy', world.clock.ms - 40 * DAY),
      entry('old', world.clock.ms - 40 * DAY),
      entry('young', world.clock.ms - DAY),
    ]);
    const said = await world.cli(['vault', 'purge', '--older-than', '30d', '--confirm', '--json'], '', { vault: async () => vault });
    expect(said.lines.at(-1)).toEqual({ summary: { purged: 1, bytes: 1024, in_use: 1, gone: 0, failed: 0 } });
    expect(purged).toEqual(['old']);
  });

  it('has no default age', async () => {
    const world = await createWorld();
    expect(await world.cli(['vault', 'purge', '--confirm'])).toMatchObject({ code: 2, err: expect.stringContaining("required option '--older-than <time>'") });
  });
});

describe('writ status and writ doctor', () => {
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
      lines: [{ error: { code: 'REDIS_UNAVAILABLE', hint: expect.stringContaining('npx writ up') } }],
    });
  });

  it('exits 3 when something that is needed fails, and shows what to do', async () => {
    const world = await createWorld();
    const diagnosis = {
      settings: [{ key: 'redis.port', value: '6390', source: 'flag redis.port' }],
      checks: [
        { area: 'Host', title: 'Node.js', level: 'ok', found: '20.20.2' },
        { area: 'Servers', title: 'Redis', level: 'fail', found: 'no answer', todo: 'run `npx writ up`' },
      ],
    } as const;
    const said = await world.cli(['doctor'], '', { diagnose: async () => diagnosis });
    expect(said.code).toBe(3);
    expect(said.out).toContain('redis.port  6390  (flag redis.port)');
    expect(said.out).toContain('FAIL  Redis: no answer\n      run `npx writ up`');
    expect((await world.cli(['doctor', '--rebuild-ledger'], '', { rebuildLedger: async () => 7 })).out).toContain('7 finished tasks');
  });
});
