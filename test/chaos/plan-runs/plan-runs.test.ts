import { describe, expect, it } from 'vitest';
import { patient } from '../../support/patience.ts';
import { campaign } from './campaign.ts';

describe('plans of thirty steps whose workers are killed', () => {
  it('have one effect per step, at most one request per once action, and the answers of a run in peace', { timeout: patient(240_000) }, async () => {
    const report = await campaign({ seed: 20_261_121, rounds: 4, lanes: 10, pauseMs: 2000, deadly: 0.001, originals: 2 });
    expect(report.violations).toEqual([]);
    expect(report).toMatchObject({ rounds: 4, emptied: 1 });
    // However fast the plans are, or slow the workers: the campaign goes on until both have happened.
    expect(report.kills).toBeGreaterThanOrEqual(3);
  });
});
