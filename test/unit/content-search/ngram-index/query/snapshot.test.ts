import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { liveDocuments } from '../../../../../src/content-search/ngram-index/query/live.ts';
import { openSnapshot } from '../../../../../src/content-search/ngram-index/query/snapshot.ts';
import type { IndexFiles } from '../../../../../src/core/ports/index.ts';
import { hasher, KEY_HASH } from '../../../../support/content/segments.ts';
import { inKeyOrder, liveOf, openedOf, planted, snapshotModel, writeModel } from '../../../../support/content/snapshots.ts';
import { cases } from '../../../../support/oracle-runs.ts';

/** How many of the opened files are not closed again. */
function counting(files: IndexFiles): { readonly files: IndexFiles; readonly open: () => number; readonly reads: () => number } {
  let [open, reads] = [0, 0];
  return {
    open: () => open,
    reads: () => reads,
    files: {
      ...files,
      open(name) {
        const file = files.open(name);
        if ('refused' in file) return file;
        open += 1;
        let mine = true;
        return {
          ...file,
          read(offset, length) {
            reads += 1;
            return file.read(offset, length);
          },
          close() {
            if (mine) open -= 1;
            mine = false;
          },
        };
      },
    },
  };
}

const one = { path: 'a', grams: ['aaa'], kind: 'plain' as const };

describe('a snapshot', () => {
  it('has the documents that count, each once, in key order, from the newest segment that has them', () => {
    fc.assert(
      fc.property(snapshotModel, (model) => {
        const { files, id } = planted(model);
        const live = [...liveDocuments(openedOf(files, id))];
        const expected = liveOf(model);
        expect(live.map(({ document }) => document.path.toString('latin1'))).toEqual(inKeyOrder(expected.keys()));
        for (const { document, segment } of live) {
          const path = document.path.toString('latin1');
          expect(segment).toBe(model.findLastIndex((documents) => documents.some((each) => each.path === path)));
          expect(document.size).toBe(expected.get(path)?.grams.length);
        }
      }),
      { numRuns: cases(10) },
    );
  });

  it('that follows another is the same as one that was opened alone', () => {
    fc.assert(
      fc.property(snapshotModel, fc.nat(), fc.array(fc.integer({ min: 1, max: 3 })), (model, cut, others) => {
        const { files, id } = planted(model);
        const before = {
          generation: 1,
          deltas: others.length % 2 === 0 ? id.deltas.slice(0, cut % (id.deltas.length + 1)) : others.filter((delta) => delta < model.length),
        };
        const previous = openedOf(files, before);
        const next = openedOf(files, id, previous);
        previous.close();
        const alone = openedOf(files, id);
        const told = (snapshot: typeof next): unknown => snapshot.segments.map(({ name, hidden, dead }) => ({ name, hidden, dead }));
        expect(told(next)).toEqual(told(alone));
        expect([...liveDocuments(next)]).toEqual([...liveDocuments(alone)]);
      }),
      { numRuns: cases(10) },
    );
  });

  it('keeps its files open, shares those of the one before, and closes each when nobody uses it any more', () => {
    const planting = planted([[one], [one], [one]]);
    const { files, open, reads } = counting(planting.files);
    const first = openedOf(files, { generation: 1, deltas: [1] });
    expect(open()).toBe(2);
    planting.files.sweep(null);
    expect(openSnapshot(files, first.id, { keyHash: KEY_HASH }, hasher, first)).toMatchObject({ ok: false, why: 'MISSING' });
    expect(open()).toBe(2);
    expect([...liveDocuments(first)]).toHaveLength(1);
    first.close();
    first.close();
    expect(open()).toBe(0);

    const again = planted([[one], [one], [one]]);
    const counted = counting(again.files);
    const old = openedOf(counted.files, { generation: 1, deltas: [1] });
    const before = counted.reads();
    const same = openedOf(counted.files, { generation: 1, deltas: [1] }, old);
    expect(counted.reads() - before).toBeLessThanOrEqual(2);
    const longer = openedOf(counted.files, again.id, same);
    expect(counted.open()).toBe(3);
    old.close();
    same.close();
    expect(counted.open()).toBe(3);
    expect([...liveDocuments(longer)]).toHaveLength(1);
    longer.close();
    expect(counted.open()).toBe(0);
    expect(reads()).toBeGreaterThan(0);
  });

  it('does not take a new file for one of the same name that was there before', () => {
    const { files, id } = planted([[one]]);
    const first = openedOf(files, id);
    files.sweep(null);
    writeModel(files, { generation: 1, delta: 0 }, [{ ...one, path: 'b' }]);
    const second = openedOf(files, id, first);
    expect([...liveDocuments(second)].map(({ document }) => document.path.toString())).toEqual(['b']);
    expect([...liveDocuments(first)].map(({ document }) => document.path.toString())).toEqual(['a']);
  });

  it('is refused when a segment is missing, of another index, or under the name of another', () => {
    const { files, id } = planted([[one], [one]]);
    const counted = counting(files);
    const open = (what: typeof id, keyHash = KEY_HASH): unknown => openSnapshot(counted.files, what, { keyHash }, hasher);
    expect(open({ generation: 1, deltas: [1, 2] })).toMatchObject({ ok: false, why: 'MISSING' });
    expect(open({ generation: 2, deltas: [] })).toMatchObject({ ok: false, why: 'MISSING' });
    expect(open(id, Buffer.alloc(32, 1))).toMatchObject({ ok: false, why: 'CORRUPT' });
    const exchanged: IndexFiles = { ...files, open: ({ generation, delta }) => files.open({ generation, delta: 1 - delta }) };
    expect(openSnapshot(exchanged, id, { keyHash: KEY_HASH }, hasher)).toMatchObject({ ok: false, why: 'CORRUPT' });
    expect(counted.open()).toBe(0);
  });

  it('is refused, and not called damaged, when the operating system will not read it', () => {
    const { files, id } = planted([[one]]);
    const failing: IndexFiles = {
      ...files,
      open(name) {
        const file = files.open(name);
        if ('refused' in file) return file;
        return {
          ...file,
          read() {
            throw Object.assign(new Error('i/o'), { code: 'EIO' });
          },
        };
      },
    };
    expect(openSnapshot(failing, id, { keyHash: KEY_HASH }, hasher)).toEqual({ ok: false, why: 'REFUSED', message: 'EIO' });
    const full: IndexFiles = { ...files, open: () => ({ refused: 'EMFILE' }) };
    expect(openSnapshot(full, id, { keyHash: KEY_HASH }, hasher)).toMatchObject({ ok: false, why: 'REFUSED' });
  });
});
