import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { candidatesOf } from '../../../../../src/content-search/ngram-index/query/candidates.ts';
import { isInCatalog } from '../../../../../src/content-search/ngram-index/query/scope.ts';
import type { Snapshot } from '../../../../../src/content-search/ngram-index/query/snapshot.ts';
import { askedPath, GRAMS, inKeyOrder, liveOf, openedOf, planted, type SnapshotModel, snapshotModel } from '../../../../support/content/snapshots.ts';
import { createRandom } from '../../../../support/random.ts';

const groups = fc.array(fc.uniqueArray(fc.constantFrom(...GRAMS, 'qqq'), { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 4 });
const place = fc.record({ path: askedPath, kind: fc.constantFrom('file' as const, 'directory' as const) });
type Place = { readonly path: string; readonly kind: 'file' | 'directory' };

const isAt = (path: string, at: Place): boolean => (at.kind === 'file' ? path === at.path : at.path === '' || path.startsWith(`${at.path}/`));

/** By definition, without stopping at short lists. */
function expected(model: SnapshotModel, asked: readonly (readonly string[])[], at: Place): string[] {
  const can = [...liveOf(model).values()].filter(({ kind, grams }) => kind === 'always' || asked.every((group) => group.some((gram) => grams.includes(gram))));
  return inKeyOrder(can.map(({ path }) => path).filter((path) => isAt(path, at)));
}

function found(snapshot: Snapshot, asked: readonly (readonly string[])[], at: Place, most = Number.POSITIVE_INFINITY): readonly string[] {
  const answer = candidatesOf(snapshot, { groups: asked, most }, at);
  if (!answer.ok) throw new Error(answer.message);
  return answer.paths;
}

describe('candidates', () => {
  it('of one group are exactly those that a naive look finds, whatever later segments hide [FR-LSI-CAND-01]', () => {
    fc.assert(
      fc.property(snapshotModel, groups, place, (model, [group = []], at) => {
        const { files, id } = planted(model);
        expect(found(openedOf(files, id), [group], at)).toEqual(expected(model, [group], at));
      }),
      { numRuns: 60 },
    );
  });

  it('of several groups are never too few, in key order, each once, and none that does not count', () => {
    fc.assert(
      fc.property(snapshotModel, groups, place, fc.integer({ min: 1, max: 4 }), (model, asked, at, most) => {
        const { files, id } = planted(model);
        const snapshot = openedOf(files, id);
        const paths = found(snapshot, asked, at, most);
        expect(paths).toEqual(inKeyOrder(new Set(paths)));
        expect(paths).toEqual(expect.arrayContaining(expected(model, asked, at)));
        const live = liveOf(model);
        expect(paths.filter((path) => !live.has(path) || !isAt(path, at))).toEqual([]);
        expect(snapshot.live).toBe(live.size);
        expect(snapshot.live + snapshot.dead).toBe(model.flat().length);
      }),
      { numRuns: 60 },
    );
  });

  it('are narrowed by further groups for as long as they are many', () => {
    for (let seed = 1; seed <= 6; seed += 1) {
      const random = createRandom(seed);
      const kind = 'plain' as const;
      const model = [Array.from({ length: 2_000 }, (_, i) => ({ path: `f${i}`, grams: GRAMS.filter((_gram, at) => random.chance(0.3 + at / 10)), kind }))];
      const { files, id } = planted(model);
      const asked = Array.from({ length: 3 }, () => [random.pick(GRAMS), random.pick(GRAMS)]);
      const paths = found(openedOf(files, id), asked, { path: '', kind: 'directory' }, 6);
      const right = expected(model, asked, { path: '', kind: 'directory' });
      if (right.length >= 64) expect(paths).toEqual(right);
      else expect(paths).toEqual(expect.arrayContaining(right));
    }
  });

  it('know whether the catalogue has a file, or anything beneath a directory', () => {
    fc.assert(
      fc.property(snapshotModel, place, (model, at) => {
        const { files, id } = planted(model);
        const any = [...liveOf(model).keys()].some((path) => isAt(path, at));
        expect(isInCatalog(openedOf(files, id), at)).toEqual({ ok: true, value: any });
      }),
      { numRuns: 60 },
    );
  });
});
