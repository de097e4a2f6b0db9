import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CachedIndex, estimateBytes, mayBuildAgain, planEviction, trim } from '../../../../../src/content-search/ngram-index/safety/limits.ts';

const held = (keyHash: string, sizeBytes: number, accessedAtMs: number, changes: Partial<CachedIndex> = {}): CachedIndex => ({
  keyHash,
  rootPath: `/srv/${keyHash}`,
  sizeBytes,
  accessedAtMs,
  building: false,
  ...changes,
});
const wants = (bytes: number, keyHash = 'new') => ({ keyHash, bytes });
const order = (indexes: readonly CachedIndex[]): string[] => trim(indexes, { maxBytes: 0, maxIndexes: 0 }, []).map(({ keyHash }) => keyHash);

describe('the order of eviction', () => {
  it('is longest unused, then largest, then by key hash', { tags: ['FR-LSI-IDX-RM-02'] }, () => {
    const indexes = [held('late', 9, 30), held('b', 5, 10), held('a', 5, 10), held('large', 6, 10), held('old', 1, 5)];
    expect(order(indexes)).toEqual(['old', 'large', 'a', 'b', 'late']);
    fc.assert(
      fc.property(fc.shuffledSubarray(indexes, { minLength: 5 }), (shuffled) => {
        expect(order(shuffled)).toEqual(['old', 'large', 'a', 'b', 'late']);
      }),
      { numRuns: 30 },
    );
  });
});

describe('room for a build', () => {
  it('is there while the bytes suffice, to the last one', { tags: ['FR-LSI-IDX-RM-01.1'] }, () => {
    expect(planEviction([held('a', 60, 1)], { maxBytes: 100, maxIndexes: 9 }, wants(40), [])).toEqual({ fits: true, evict: [] });
    expect(planEviction([held('a', 60, 1), held('b', 20, 2)], { maxBytes: 100, maxIndexes: 9 }, wants(41), [])).toEqual({ fits: true, evict: ['a'] });
    expect(planEviction([], { maxBytes: 100, maxIndexes: 9 }, wants(101), [])).toEqual({ fits: false, missingBytes: 1, missingPlaces: 0 });
  });

  it('is made for the eleventh index by the one that was not used for the longest time', { tags: ['FR-LSI-IDX-RM-01.2'] }, () => {
    const ten = Array.from({ length: 10 }, (_, i) => held(`k${i}`, 1, 100 - i));
    const limits = { maxBytes: 1_000, maxIndexes: 10 };
    expect(planEviction(ten, limits, wants(1), [])).toEqual({ fits: true, evict: ['k9'] });
    expect(planEviction(ten, limits, wants(1, 'k3'), [])).toEqual({ fits: true, evict: [] });
    expect(planEviction(ten.slice(1), limits, wants(1), [])).toEqual({ fits: true, evict: [] });
    expect(planEviction(ten, { ...limits, maxIndexes: 0 }, wants(1), ['/srv/k0'])).toEqual({ fits: false, missingBytes: 0, missingPlaces: 2 });
  });

  it('takes nothing away when that would not be enough', () => {
    expect(planEviction([held('a', 60, 1)], { maxBytes: 100, maxIndexes: 9 }, wants(120), [])).toEqual({ fits: false, missingBytes: 20, missingPlaces: 0 });
  });

  it('never costs an index that is being built, nor the only one of a configured root', () => {
    const limits = { maxBytes: 100, maxIndexes: 9 };
    const indexes = [held('building', 30, 1, { building: true }), held('only', 30, 2), held('spare', 30, 3)];
    expect(planEviction(indexes, limits, wants(20), ['/srv/only'])).toEqual({ fits: true, evict: ['spare'] });
    expect(planEviction(indexes, limits, wants(60), ['/srv/only'])).toEqual({ fits: false, missingBytes: 20, missingPlaces: 0 });
  });

  it('may cost one of two indexes of a configured root, and then not the other', () => {
    const twins = [held('x', 30, 1, { rootPath: '/srv/t' }), held('y', 30, 2, { rootPath: '/srv/t' })];
    expect(planEviction(twins, { maxBytes: 60, maxIndexes: 9 }, wants(20), ['/srv/t'])).toEqual({ fits: true, evict: ['x'] });
    expect(planEviction(twins, { maxBytes: 60, maxIndexes: 9 }, wants(40), ['/srv/t'])).toMatchObject({ fits: false });
  });

  it('counts the older generation of the same index, and does not take it away', () => {
    expect(planEviction([held('a', 60, 1)], { maxBytes: 100, maxIndexes: 9 }, wants(50, 'a'), ['/srv/a'])).toEqual({
      fits: false,
      missingBytes: 10,
      missingPlaces: 0,
    });
    expect(planEviction([held('a', 60, 1)], { maxBytes: 110, maxIndexes: 1 }, wants(50, 'a'), [])).toEqual({ fits: true, evict: [] });
  });

  it('never lets configured roots evict each other in turn', () => {
    const root = fc.constantFrom('a', 'b', 'c', 'd');
    fc.assert(
      fc.property(fc.array(fc.tuple(root, fc.integer({ min: 1, max: 70 })), { maxLength: 20 }), (builds) => {
        const roots = ['a', 'b', 'c', 'd'].map((name) => `/srv/${name}`);
        let indexes: CachedIndex[] = [];
        let now = 0;
        for (const [name, bytes] of builds) {
          now += 1;
          const room = planEviction(indexes, { maxBytes: 100, maxIndexes: 3 }, wants(bytes, name), roots);
          if (!room.fits) continue;
          expect(room.evict).toEqual([]);
          indexes = [...indexes.filter(({ keyHash }) => keyHash !== name), held(name, bytes, now)];
        }
        expect(trim(indexes, { maxBytes: 100, maxIndexes: 3 }, roots)).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});

describe('indexes that have outgrown the limits', () => {
  it('go until the rest fits, those of no configured root first', () => {
    const indexes = [held('only', 50, 1), held('spare', 30, 9), held('other', 50, 5)];
    expect(trim(indexes, { maxBytes: 130, maxIndexes: 9 }, ['/srv/only', '/srv/other'])).toEqual([]);
    expect(trim(indexes, { maxBytes: 100, maxIndexes: 9 }, ['/srv/only', '/srv/other'])).toEqual([{ keyHash: 'spare', last: false }]);
    expect(trim(indexes, { maxBytes: 90, maxIndexes: 9 }, ['/srv/only', '/srv/other'])).toEqual([
      { keyHash: 'spare', last: false },
      { keyHash: 'only', last: true },
    ]);
    expect(trim(indexes, { maxBytes: 999, maxIndexes: 2 }, [])).toEqual([{ keyHash: 'only', last: false }]);
  });

  it('keep what is being built, and one of several of a configured root goes as a spare', () => {
    const indexes = [held('x', 50, 1, { rootPath: '/srv/t' }), held('y', 50, 2, { rootPath: '/srv/t' }), held('z', 50, 0, { building: true })];
    expect(trim(indexes, { maxBytes: 40, maxIndexes: 9 }, ['/srv/t'])).toEqual([
      { keyHash: 'x', last: false },
      { keyHash: 'y', last: true },
    ]);
  });
});

describe('a build that came to a limit', () => {
  const stop = { why: 'DISK' as const, settings: 's1', eligibleFiles: 1_000, eligibleBytes: 1_000 };
  const now = { settings: 's1', eligibleFiles: 1_000, eligibleBytes: 1_000 };

  it('is not tried again while settings and tree are the same', () => {
    expect(mayBuildAgain(stop, now)).toBe(false);
    expect(mayBuildAgain(stop, { ...now, eligibleFiles: 901, eligibleBytes: 2_000 })).toBe(false);
    expect(mayBuildAgain(stop, { ...now, eligibleFiles: 900 })).toBe(true);
    expect(mayBuildAgain(stop, { ...now, eligibleBytes: 900 })).toBe(true);
    expect(mayBuildAgain(stop, { ...now, settings: 's2' })).toBe(true);
    expect(mayBuildAgain(null, now)).toBe(true);
  });

  it('goes on when the limit was time', () => {
    expect(mayBuildAgain({ ...stop, why: 'TIME' }, now)).toBe(true);
  });

  it('is foreseen from the eligible bytes', () => {
    expect(estimateBytes(1_000)).toBe(160);
    expect(estimateBytes(1_001, 0.5)).toBe(501);
  });
});
