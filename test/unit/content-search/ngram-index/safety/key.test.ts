import { describe, expect, it } from 'vitest';
import { keyHash, mismatches, sameTree } from '../../../../../src/content-search/ngram-index/safety/key.ts';
import type { IndexKey } from '../../../../../src/core/ports/index.ts';
import { metaFor } from '../../../../conformance/content-index-samples.ts';

const key = metaFor('a').key;
/** Each component, changed. */
const CHANGED: IndexKey = {
  rootPath: '/srv/b',
  hidden: true,
  follow: false,
  noIgnore: true,
  backendId: 'rg@15.0.0',
  backendCapabilities: 'ARGV_CHUNKED',
  tokenizerId: 'ngram4-v1',
  casefoldStrategy: 'UNICODE_SIMPLE',
  unicodeNormalization: 'NONE',
  schemaVersion: 2,
  implementationVersion: '0.2.0',
};
const COMPONENTS = Object.keys(CHANGED) as (keyof IndexKey)[];
const withChanged = (component: keyof IndexKey): IndexKey => ({ ...key, [component]: CHANGED[component] });

describe('the key of an index', () => {
  it('has another hash when any component differs', {
    tags: ['FR-LSI-IDX-KEY-01.1', 'FR-LSI-IDX-KEY-01.2', 'FR-LSI-IDX-KEY-01.3', 'FR-LSI-IDX-KEY-01.4', 'FR-LSI-IDX-KEY-01.5'],
  }, () => {
    const hashes = COMPONENTS.map((component) => keyHash(withChanged(component)));
    expect(new Set([keyHash(key), ...hashes]).size).toBe(COMPONENTS.length + 1);
    expect(COMPONENTS.sort()).toEqual(Object.keys(key).sort());
  });

  it('has the same hash whatever the order of its fields, and no field for filters of a request', { tags: ['FR-LSI-IDX-KEY-01a.1'] }, () => {
    const turned = Object.fromEntries(Object.entries(key).reverse());
    expect(keyHash({ ...key, ...turned })).toBe(keyHash(key));
    expect(keyHash({ ...key, ...{ glob: ['*.rs'], case: 'sensitive', fixed_strings: true, word_regexp: true } })).toBe(keyHash(key));
    expect(keyHash(key)).toBe('b79b694cad727749eea73e1338fbc75c90fcd600d0c5a5707ad40d8e0586e856');
  });

  it('is of the same tree when root and traversal are the same', () => {
    const tree = COMPONENTS.filter((component) => !sameTree(key, withChanged(component)));
    expect(tree.sort()).toEqual(['follow', 'hidden', 'noIgnore', 'rootPath']);
    expect(sameTree(key, { ...key })).toBe(true);
  });
});

describe('a stored index', () => {
  const stored = metaFor('a', { keyHash: keyHash(key) });
  const wanted = { key, bloom: stored.bloom, maxTokenizedBytes: stored.maxTokenizedBytes };

  it('serves when nothing differs', () => {
    expect(mismatches(stored, wanted)).toEqual([]);
    expect(mismatches(stored, { ...wanted, bloom: { ...stored.bloom, targetFpRate: 0.5, basisNgrams: 1 } })).toEqual([]);
  });

  it('is told apart by each component and by each parameter of the filter', { tags: ['FR-LSI-IDX-KEY-02.2', 'FR-LSI-CAND-LIT-04.2'] }, () => {
    for (const component of COMPONENTS) expect(mismatches(stored, { ...wanted, key: withChanged(component) })).toEqual([component]);
    const other = { ngram: 4, mBits: 64, hashes: 1, seed: 0n };
    for (const [name, value] of Object.entries(other)) expect(mismatches(stored, { ...wanted, bloom: { ...stored.bloom, [name]: value } })).toEqual([name]);
    expect(mismatches(stored, { ...wanted, maxTokenizedBytes: 1 })).toEqual(['maxTokenizedBytes']);
  });

  it('is told when its name is not the hash of its components', () => {
    expect(mismatches({ ...stored, keyHash: 'ff' }, wanted)).toEqual(['keyHash']);
  });
});
