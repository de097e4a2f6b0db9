import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { patient } from '../support/patience.ts';
import { fight } from './campaign.ts';
import { type Field, startField } from './field.ts';
import { NOTHING_WRONG } from './verdict.ts';

let field: Field;
beforeAll(async () => {
  field = await startField({ seed: 20_260_103, workers: 2, withoutRenameat2: true });
});
afterAll(() => field?.stop());

describe('workers on a kernel that refuses renameat2', () => {
  it('link and unlink instead, and still do every effect at most once', { tags: ['FE-24', 'FE-39'], timeout: patient(240_000) }, async () => {
    await fight(field, { rounds: 5, lanes: 6, kinds: ['kill-at-point', 'kill-at-random', 'taken-back', 'zombie'], linked: true });
    expect(field.counts.notes).toEqual([]);
    expect(field.counts.violations).toEqual(NOTHING_WRONG);
    expect(Object.keys(field.counts.rounds).some((kind) => / at L[12]$/.test(kind))).toBe(true);
  });
});
