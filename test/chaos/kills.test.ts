import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { patient } from '../support/patience.ts';
import { fight } from './campaign.ts';
import { type Field, startField } from './field.ts';
import { NOTHING_WRONG } from './verdict.ts';

let field: Field;
beforeAll(async () => {
  field = await startField({ seed: 20_260_101, workers: 3 });
});
afterAll(() => field?.stop());

describe('workers that are killed and stopped under a stream of tasks', () => {
  it('do every effect at most once, and lose, clobber and tear nothing', {
    tags: ['FE-24', 'FE-37', 'FE-39', 'FE-53'],
    timeout: patient(240_000),
  }, async () => {
    await fight(field, {
      rounds: 8,
      lanes: 8,
      kinds: ['kill-at-point', 'kill-at-random', 'taken-back', 'withdrawn', 'lease-expires', 'lease-revoked', 'zombie', 'drain'],
    });
    expect(field.counts.notes).toEqual([]);
    expect(field.counts.violations).toEqual(NOTHING_WRONG);
    expect(field.counts.total).toBeGreaterThanOrEqual(8);
  });
});
