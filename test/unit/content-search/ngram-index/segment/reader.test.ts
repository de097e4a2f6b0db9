import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CorruptSegment, DOCUMENT_FLAG, type SegmentDocument, SPECIAL_LIST } from '../../../../../src/content-search/ngram-index/segment/format.ts';
import { openSegment } from '../../../../../src/content-search/ngram-index/segment/reader.ts';
import { EXPECTED, hasher, KEY_HASH, readAll, type SegmentModel, sourceOf, written } from '../../../../support/content/segments.ts';

const u64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const i64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const document: fc.Arbitrary<SegmentDocument> = fc.record({
  path: fc.uint8Array({ minLength: 1, maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
  size: fc.nat({ max: Number.MAX_SAFE_INTEGER }),
  mtimeNs: i64,
  ctimeNs: i64,
  ino: u64,
  dev: u64,
  flags: fc.nat({ max: 255 }),
});

const model: fc.Arbitrary<SegmentModel> = fc
  .uniqueArray(document, { selector: ({ path }) => path.toString('hex'), minLength: 1, maxLength: 150, size: 'max' })
  .map((documents) => documents.sort((a, b) => Buffer.compare(a.path, b.path)))
  .chain((documents) =>
    fc
      .uniqueArray(
        fc.tuple(
          fc
            .uint8Array({ minLength: 1, maxLength: 12 })
            .filter(([first = 0]) => first < 0xfe)
            .map((bytes) => Buffer.from(bytes).toString('hex')),
          fc
            .uniqueArray(fc.nat({ max: documents.length - 1 }), { minLength: 1, maxLength: documents.length, size: 'max' })
            .map((list) => list.sort((a, b) => a - b)),
        ),
        { selector: ([trigram]) => trigram, maxLength: 100, size: 'max' },
      )
      .map((postings) => ({ documents, postings: new Map(postings) })),
  );

describe('a segment', () => {
  it('gives back every document and every list that was put in', () => {
    fc.assert(
      fc.property(model, (put) => {
        const reader = openSegment(sourceOf(written(put)), EXPECTED, hasher);
        expect(readAll(reader).documents).toEqual(put.documents);
        expect(new Map([...readAll(reader).postings].sort())).toEqual(new Map([...put.postings].sort()));
        for (const [key, flag] of [
          [SPECIAL_LIST.always, DOCUMENT_FLAG.always],
          [SPECIAL_LIST.gone, DOCUMENT_FLAG.gone],
        ] as const) {
          expect([...(reader.lookUp(key)?.documents() ?? [])]).toEqual(
            [...put.documents.keys()].filter((id) => ((put.documents[id]?.flags ?? 0) & flag) !== 0),
          );
        }
        for (const [id, each] of put.documents.entries()) {
          expect(reader.document(id)).toEqual(each);
          expect(reader.firstNotBefore(each.path)).toBe(id);
        }
      }),
      { numRuns: 15 },
    );
  });

  it('gives the paths of any of its documents, and the numbers of any paths', () => {
    fc.assert(
      fc.property(model, fc.infiniteStream(fc.boolean()), fc.array(fc.uint8Array({ maxLength: 41 }), { maxLength: 20 }), (put, chosen, others) => {
        const reader = openSegment(sourceOf(written(put)), EXPECTED, hasher);
        const paths = put.documents.map(({ path }) => path.toString('latin1'));
        expect([...reader.everyPath()]).toEqual(paths);
        const ids = [...paths.keys()].filter(() => chosen.next().value);
        expect(reader.paths(Uint32Array.from(ids))).toEqual(ids.map((id) => paths[id]));
        const asked = [...ids.map((id) => paths[id] ?? ''), ...others.map((bytes) => Buffer.from(bytes).toString('latin1'))];
        expect([...reader.find(asked)]).toEqual(asked.map((path) => paths.indexOf(path)));
      }),
      { numRuns: 30 },
    );
  });

  it('refuses to be written with special lists that its flags do not tell', () => {
    expect(() => written({ documents: [], postings: new Map([['fe', []]]) })).toThrow(RangeError);
  });

  it('knows of trigrams that are in no document, between, before and behind those that are', () => {
    fc.assert(
      fc.property(model, fc.array(fc.uint8Array({ minLength: 1, maxLength: 13 }), { minLength: 30, maxLength: 30 }), (put, asked) => {
        const reader = openSegment(sourceOf(written(put)), EXPECTED, hasher);
        const keys = [
          ...asked.map((bytes) => Buffer.from(bytes)).filter(([first = 0]) => first < 0xfe),
          ...[...put.postings.keys()].map((hex) => Buffer.from(hex, 'hex')),
        ];
        for (const key of keys) {
          const found = reader.lookUp(key);
          expect(found && [...found.documents()]).toEqual(put.postings.get(key.toString('hex')));
          expect(found?.count).toBe(put.postings.get(key.toString('hex'))?.length);
        }
      }),
      { numRuns: 15 },
    );
  });

  it('tells which of some documents a list has, whatever its form', () => {
    fc.assert(
      fc.property(model, fc.infiniteStream(fc.boolean()), (put, chosen) => {
        const reader = openSegment(sourceOf(written(put)), EXPECTED, hasher);
        const ids = [...put.documents.keys()].filter(() => chosen.next().value);
        for (const [hex, list] of put.postings) {
          expect([...(reader.lookUp(Buffer.from(hex, 'hex'))?.among(Uint32Array.from(ids)) ?? [])]).toEqual(ids.filter((id) => list.includes(id)));
        }
      }),
      { numRuns: 15 },
    );
  });

  it('finds the first document that does not come before a path', () => {
    fc.assert(
      fc.property(model, fc.uint8Array({ maxLength: 41 }), (put, bytes) => {
        const path = Buffer.from(bytes);
        const expected = put.documents.findIndex((each) => Buffer.compare(each.path, path) >= 0);
        const reader = openSegment(sourceOf(written(put)), EXPECTED, hasher);
        expect(reader.firstNotBefore(path)).toBe(expected < 0 ? put.documents.length : expected);
        const from = reader.firstNotBefore(path);
        expect([...reader.documents(from)]).toEqual(put.documents.slice(from));
      }),
      { numRuns: 30 },
    );
  });

  it('may be empty', () => {
    const empty = { documents: [], postings: new Map() };
    expect(readAll(openSegment(sourceOf(written(empty)), EXPECTED, hasher))).toEqual(empty);
  });

  it('is never taken for whole when any one bit of it is another', () => {
    fc.assert(
      fc.property(model, fc.infiniteStream(fc.nat()), (put, places) => {
        const whole = written(put);
        for (const place of [...places.take(60)]) {
          const bit = place % (whole.length * 8);
          const broken = Buffer.from(whole);
          broken[bit >> 3] = (broken[bit >> 3] ?? 0) ^ (1 << (bit & 7));
          expect(() => readAll(openSegment(sourceOf(broken), EXPECTED, hasher))).toThrow(CorruptSegment);
        }
      }),
      { numRuns: 20 },
    );
  });

  it('is never taken for whole when it is shorter, longer, or two parts of it are exchanged', () => {
    fc.assert(
      fc.property(model, fc.nat(), fc.nat(), fc.integer({ min: 1, max: 64 }), (put, a, b, length) => {
        const whole = written(put);
        const cut = whole.subarray(0, a % whole.length);
        const exchanged = Buffer.from(whole);
        const [from, to] = [a % (whole.length - length), b % (whole.length - length)];
        whole.copy(exchanged, to, from, from + length);
        whole.copy(exchanged, from, to, to + length);
        for (const broken of [cut, Buffer.concat([whole, Buffer.alloc(1)]), ...(exchanged.equals(whole) ? [] : [exchanged])])
          expect(() => readAll(openSegment(sourceOf(broken), EXPECTED, hasher))).toThrow(CorruptSegment);
      }),
      { numRuns: 40 },
    );
  });

  it('of another index or another generation is refused', () => {
    const whole = sourceOf(written({ documents: [], postings: new Map() }));
    expect(() => openSegment(whole, { ...EXPECTED, generation: 4 }, hasher)).toThrow(CorruptSegment);
    expect(() => openSegment(whole, { ...EXPECTED, keyHash: Buffer.alloc(32, 8) }, hasher)).toThrow(CorruptSegment);
    expect(KEY_HASH).toHaveLength(32);
  });

  it('keeps lists that are dense as bitmaps, and single documents in the dictionary', () => {
    const documents = Array.from({ length: 4000 }, (_, i) => ({
      path: Buffer.from(`f${String(i).padStart(5, '0')}`),
      size: 1,
      mtimeNs: 0n,
      ctimeNs: 0n,
      ino: 1n,
      dev: 1n,
      flags: 0,
    }));
    const bytes = (postings: SegmentModel['postings']): number => written({ documents, postings }).length;
    const none = bytes(new Map());
    const dense = bytes(new Map([['61', documents.map((_, i) => i).filter((i) => i % 2 === 0)]]));
    expect(dense - none).toBeLessThan(4000 / 8 + 40);
    expect(bytes(new Map([['61', [1500]]])) - none).toBeLessThan(40);
  });
});
