import { expect, it } from 'vitest';
import { siege } from './siege.ts';

it.each(['openat2', 'walk'] as const)(
  'a stream of tasks through exchanged directories and files never leaves the base at level %s',
  { tags: ['FE-09', 'FE-12', 'FE-22'] },
  async (level) => {
    const report = await siege(level, 1, 11);
    expect(report.escapes).toEqual([]);
    expect(report.vanished).toEqual([]);
    expect(report.swaps).toBeGreaterThan(1000);
    expect(report.succeeded).toBeGreaterThan(10);
    expect(report.refused).toBeGreaterThan(10);
  },
);
