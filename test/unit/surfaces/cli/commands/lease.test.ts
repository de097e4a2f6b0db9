import { describe, expect, it } from 'vitest';
import { createWorld } from '../world.ts';

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
    const jti = '5b1f8a4e-9f5c-4c1f-8f0e-3a1f0c6d2b7a';
    await world.cli(['lease', 'revoke', jti]);
    for (const typo of [jti.slice(1), jti.toUpperCase(), 'notajti', `${jti} ${jti}`, `${jti}.`])
      expect(await world.cli(['lease', 'revoke', typo])).toMatchObject({
        code: 2,
        err: expect.stringContaining('token: this is neither a lease nor the jti of one'),
      });
    expect(world.asked.revoked).toEqual([token, { jti, exp: world.clock.ms / 1000 + 100 }]);
  });

  it('refuses what is no lease', async () => {
    const world = await createWorld();
    expect((await world.cli(['lease', 'verify', 'nonsense'])).code).toBe(1);
    expect((await world.cli(['lease', 'issue', '-'], '{"task_id":1}')).code).toBe(2);
    expect((await world.cli(['lease', 'verify', '-'], '')).code).toBe(2);
  });
});
