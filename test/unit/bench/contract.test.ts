import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Case, checkReport, PEERS, ratioName, spread } from '../../../bench/contract.ts';
import { runCase } from '../../../bench/rounds.ts';
import { runSuite } from '../../../bench/run-suite.ts';

const work = { files: 3 };

/** A case whose sides answer prepared times and write down who ran. */
function scripted(kind: Case['kind'], ours: number[], theirs: number[]): { one: Case; log: string[] } {
  const log: string[] = [];
  const side = (who: string, values: number[]) => async () => {
    log.push(who);
    return { value: values.shift() ?? Number.NaN, work };
  };
  return { one: { name: 'move.small', kind, peer: 'cp', ours: side('ours', ours), theirs: side('theirs', theirs) }, log };
}

describe('rounds', () => {
  it('alternate, change who goes first, and leave the warm-up out of the numbers', async () => {
    const { one, log } = scripted('speed', [999, 10, 10, 10, 10, 10], [1, 20, 5, 10, 40, 10]);
    const result = await runCase(one);
    expect(result).toMatchObject({ name: 'move.small.speed_vs_cp', ratio: { median: 1, min: 0.5, max: 4 }, ours: { median: 10 } });
    expect(log.join(' ')).toBe('ours theirs ours theirs theirs ours ours theirs theirs ours ours theirs');
  });

  it('count a size as ours over theirs', async () => {
    const { one } = scripted('size', [1, 20, 20, 20, 20, 20], [1, 10, 10, 10, 10, 10]);
    expect((await runCase(one)).ratio).toEqual({ median: 2, min: 2, max: 2 });
  });

  it('refuse sides that did different work, and a side that measured nothing', async () => {
    const { one } = scripted('speed', [1], [1]);
    await expect(runCase({ ...one, theirs: async () => ({ value: 1, work: { files: 2 } }) })).rejects.toThrow('same work');
    await expect(runCase({ ...scripted('speed', [1], [0]).one })).rejects.toThrow('nothing was measured');
  });
});

describe('a suite', () => {
  it('reports ratios and metrics, and is closed', async () => {
    let closed = 0;
    const { one } = scripted('speed', [1, 1, 1, 1, 1, 1], [2, 2, 2, 2, 2, 2]);
    const open = async () => ({ cases: [one], metrics: async () => ({ 'move.small.tasks_per_s': 7 }), close: async () => void closed++ });
    expect(await runSuite('demo', { what: 'demo', open }, () => {})).toEqual({
      suite: 'demo',
      metrics: { 'move.small.tasks_per_s': 7 },
      ratios: { 'move.small.speed_vs_cp': { median: 2, min: 2, max: 2 } },
    });
    expect(closed).toBe(1);
  });

  it('is closed when a case fails', async () => {
    let closed = 0;
    const broken: Case = { ...scripted('speed', [], []).one, ours: () => Promise.reject(new Error('disk full')) };
    const open = async () => ({ cases: [broken], close: async () => void closed++ });
    await expect(runSuite('demo', { what: 'demo', open }, () => {})).rejects.toThrow('disk full');
    expect(closed).toBe(1);
  });
});

describe('names', () => {
  it('a ratio is <case>.speed_vs_<peer> or <case>.size_vs_<peer> for every known peer', () => {
    for (const peer of PEERS) {
      const name = ratioName({ name: 'a_b.c1', kind: 'speed', peer });
      expect(name).toBe(`a_b.c1.speed_vs_${peer}`);
      expect(() => checkReport({ suite: 's', metrics: {}, ratios: { [name]: { median: 1, min: 1, max: 1 } } })).not.toThrow();
    }
  });

  it.each(['', 'Move', 'a b', 'x_vs_y', '.a', 'a.', 'a__b'])('%j is no case name', (name) => {
    expect(() => ratioName({ name, kind: 'speed', peer: 'cp' })).toThrow(RangeError);
  });

  it('a report refuses metrics named like ratios, ratios of unknown peers and numbers that are none', () => {
    const one = { median: 1, min: 1, max: 1 };
    expect(() => checkReport({ suite: 's', metrics: { 'a.speed_vs_cp': 1 }, ratios: {} })).toThrow('a.speed_vs_cp');
    expect(() => checkReport({ suite: 's', metrics: {}, ratios: { 'a.speed_vs_rm': one } })).toThrow('a.speed_vs_rm');
    expect(() => checkReport({ suite: 's', metrics: {}, ratios: { 'a.speed_vs_cp': { ...one, max: Number.NaN } } })).toThrow('finite');
  });
});

describe('spread', () => {
  it('is least, middle and greatest for any order', () => {
    expect(spread([3, 1, 2])).toEqual({ median: 2, min: 1, max: 3 });
    expect(spread([4, 1, 2, 3])).toEqual({ median: 2.5, min: 1, max: 4 });
    expect(() => spread([])).toThrow(RangeError);
  });

  it('half of the values lie on each side of the median', () => {
    fc.assert(
      fc.property(fc.array(fc.integer(), { minLength: 1, maxLength: 20 }), (values) => {
        const { median, min, max } = spread(values);
        expect(values.filter((v) => v <= median).length * 2 >= values.length && values.filter((v) => v >= median).length * 2 >= values.length).toBe(true);
        expect([min, max]).toEqual([Math.min(...values), Math.max(...values)]);
      }),
    );
  });
});
