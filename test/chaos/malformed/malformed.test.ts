import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Field, startField } from '../field.ts';
import { flood } from './flood.ts';

let field: Field;
beforeAll(async () => {
  field = await startField({ seed: 20_260_104, workers: 1, config: { crypto: { implementation: 'node' }, log: { level: 'error' } } });
});
afterAll(() => field.stop());

it('answers every malformed or forged job with a code, without crash or growth', { tags: ['FE-41', 'FE-51'] }, async () => {
  const report = await flood(field, 3_000);
  expect(report.uncoded).toEqual([]);
  expect(report.untouched).toBe(true);
  expect(report.sameWorker).toBe(true);
  expect(report.alive).toBe(true);
  expect(report.memory.end).toBeLessThan(report.memory.warm + 64);
});
