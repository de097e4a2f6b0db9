import { describe, expect, it } from 'vitest';
import { patient } from '../../support/patience.ts';
import { EACH_POINT_ONCE, killAtEachPoint, SMALL_GROUND } from './points.ts';

describe('a worker that is killed at a point of the plan protocol or of the tool protocol', () => {
  it('leaves what is written: one effect, one request at most, and the answers of a run in peace', { timeout: patient(240_000) }, async () => {
    const report = await killAtEachPoint(EACH_POINT_ONCE, () => undefined, SMALL_GROUND);
    expect(report.violations).toEqual([]);
    expect(report).toMatchObject({ cases: 10, kills: 10 });
  });
});
