import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { patient } from '../support/patience.ts';
import { fight } from './campaign.ts';
import { type Field, startField } from './field.ts';
import { NOTHING_WRONG } from './verdict.ts';

let field: Field;
beforeAll(async () => {
  field = await startField({ seed: 20_260_102, workers: 2, tiny: true });
});
afterAll(() => field?.stop());

describe('Redis that is killed, cut short, emptied and rolled back under live workers', () => {
  it('costs no task and doubles none, also with no space left', { tags: ['FE-37', 'FE-39'], timeout: patient(240_000) }, async () => {
    await fight(field, { rounds: 6, lanes: 6, kinds: ['redis-killed', 'redis-cut', 'redis-flushed', 'redis-rolled-back', 'no-space', 'kill-at-random'] });
    expect(field.counts.notes).toEqual([]);
    expect(field.counts.violations).toEqual(NOTHING_WRONG);
    expect(field.counts.events.dataLosses).toBeGreaterThan(0);
  });
});
