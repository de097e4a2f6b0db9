import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { SUITES } from '../../../../bench/suites.ts';
import { type Kept, keepReport, keptReports } from '../../../../scripts/benchmarks/kept.ts';
import { busyShare, thisMachine } from '../../../../scripts/benchmarks/machine.ts';
import { benchmarkFiles } from '../../../../scripts/benchmarks/page.ts';
import { isMet, WANTED } from '../../../../scripts/benchmarks/wanted.ts';

const spread = (median: number) => ({ median, min: median / 2, max: median * 2 });
const report = (ratios: Kept['ratios'], busy = { before: 0.01, after: 0.02 }): Kept => ({
  what: 'one thing against another',
  commit: '0123456789abcdef',
  startedAt: '2026-01-02T03:04:05.000Z',
  minutes: 3.2,
  busy,
  machine: { processor: 'a processor', cores: 2, memoryGiB: 24, kernel: '6.1', versions: { node: '20.20.0' } },
  metrics: {},
  ratios,
});
const contents = (kept: Readonly<Record<string, Kept>>) => benchmarkFiles(kept).map(({ content }) => content);

describe('the page of benchmarks', () => {
  it('tells each ratio with its range, what is wanted, and whether that is met', () => {
    const [page = ''] = contents({
      throughput: report({ 'noop.speed_vs_bullmq': spread(0.31234), 'latency100.speed_vs_bullmq': spread(0.7), 'other.speed_vs_bullmq': spread(2) }),
    });
    expect(page).toContain('| `noop.speed_vs_bullmq` | 0.312 | 0.156 to 0.625 | 0.5 | **missed** |');
    expect(page).toContain('| `latency100.speed_vs_bullmq` | 0.7 | 0.35 to 1.4 | 0.4 | met |');
    expect(page).toContain('| `other.speed_vs_bullmq` | 2 | 1 to 4 |  |  |');
    expect(page).toContain('2026-01-02, 4 min, commit 01234567. Nothing else was running.');
  });

  it('tells a machine once where all ran on it, else with each run', () => {
    const words = '2 cores of a processor, 24 GiB, Linux 6.1; node 20.20.0.';
    const [once = ''] = contents({ file: report({}), throughput: report({}) });
    expect(once.split(words)).toHaveLength(2);
    const other = { ...report({}), machine: { ...report({}).machine, cores: 64 } };
    const [each = ''] = contents({ file: report({}), throughput: report({}), api: other });
    expect(each.split(words)).toHaveLength(3);
    expect(each).toContain('On 64 cores of a processor');
  });

  it('says of a run beside other work that it is not quiet', () => {
    const [page = ''] = contents({ file: report({}, { before: 0.57, after: 0.02 }) });
    expect(page).toContain('**Not quiet**: others used 57 % of the processors before it and 2 % after it.');
  });

  it('draws a point for each ratio, also for one beyond the scale', () => {
    const [, chart = ''] = contents({ index: report({ 'absent.speed_vs_csearch': spread(0.9), 'absent.speed_vs_rg_threads': spread(5000) }) });
    expect(chart.match(/<circle /g)).toHaveLength(2);
    expect(chart).toContain('index: absent : csearch');
    expect(chart).not.toContain('NaN');
  });

  it('wants more of a speed and less of a size', () => {
    expect([
      isMet('a.speed_vs_cp', 1, 0.9),
      isMet('a.speed_vs_cp', 0.8, 0.9),
      isMet('a.size_vs_csearch', 1, 1.1),
      isMet('a.size_vs_csearch', 1.2, 1.1),
    ]).toEqual([true, false, true, false]);
    expect(Object.keys(WANTED).filter((suite) => !(suite in SUITES))).toEqual([]);
  });

  it('keeps the newest report of each suite', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'writ-benchmarks-'));
    const file = path.join(folder, 'benchmarks.json');
    expect(keptReports(file)).toEqual({});
    const [old, file64, noop] = [report({ 'noop.speed_vs_bullmq': spread(0.1) }), report({}), report({ 'noop.speed_vs_bullmq': spread(0.3) })];
    keepReport('throughput', old, file);
    keepReport('file', file64, file);
    keepReport('throughput', noop, file);
    expect(Object.entries(keptReports(file))).toEqual([
      ['file', file64],
      ['throughput', noop],
    ]);
    rmSync(folder, { recursive: true });
  });

  it('knows this machine, and how busy it is', async () => {
    expect(thisMachine()).toMatchObject({
      cores: expect.any(Number),
      versions: { node: process.versions.node, bullmq: expect.stringMatching(/^\d/), redis: expect.stringMatching(/^\d/) },
    });
    const share = await busyShare(50);
    expect(share >= 0 && share <= 1).toBe(true);
  });
});
