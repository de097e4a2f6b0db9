import { describe, expect, it } from 'vitest';
import { createWorld } from '../world.ts';

describe('writ doctor', () => {
  it('exits 3 when something that is needed fails, and shows what to do', async () => {
    const world = await createWorld();
    const diagnosis = {
      settings: [{ key: 'redis.port', value: '6390', source: 'flag redis.port' }],
      checks: [
        { area: 'Host', title: 'Node.js', level: 'ok', found: '20.20.2' },
        { area: 'Servers', title: 'Redis', level: 'fail', found: 'no answer', todo: 'run `writ up`' },
      ],
    } as const;
    const said = await world.cli(['doctor'], '', { diagnose: async () => diagnosis });
    expect(said.code).toBe(3);
    expect(said.out).toContain('redis.port  6390  (flag redis.port)');
    expect(said.out).toContain('FAIL  Redis: no answer\n      run `writ up`');
    expect((await world.cli(['doctor', '--rebuild-ledger'], '', { rebuildLedger: async () => 7 })).out).toContain('7 finished tasks');
  });
});
