import { canonicalJson } from '../../../core/canonical-json.ts';
import { sha256Hex } from '../../../core/hash.ts';
import type { BloomParameters, IndexKey, IndexMeta } from '../../../core/ports/index.ts';

/** Every component of the key (FR-LSI-IDX-KEY-01), and whether it says which tree is walked, or how its files are read. */
export const KEY_COMPONENTS = {
  rootPath: 'tree',
  hidden: 'tree',
  follow: 'tree',
  noIgnore: 'tree',
  backendId: 'reading',
  backendCapabilities: 'reading',
  tokenizerId: 'reading',
  casefoldStrategy: 'reading',
  unicodeNormalization: 'reading',
  schemaVersion: 'reading',
  implementationVersion: 'reading',
} satisfies Record<keyof IndexKey, 'tree' | 'reading'>;

const COMPONENTS = Object.keys(KEY_COMPONENTS) as readonly (keyof IndexKey)[];

/** SHA-256 of the key's components, lower-case hexadecimal: the name of the index in the cache. */
export function keyHash(key: IndexKey): string {
  return sha256Hex(canonicalJson(Object.fromEntries(COMPONENTS.map((component) => [component, key[component]]))));
}

/** Whether both are indexes of the same files: one of them replaces the other. */
export function sameTree(a: IndexKey, b: IndexKey): boolean {
  return COMPONENTS.every((component) => KEY_COMPONENTS[component] !== 'tree' || a[component] === b[component]);
}

/** Parameters of the filter that must not differ within a key (FR-LSI-CAND-LIT-04). */
const PARAMETERS = ['ngram', 'mBits', 'hashes', 'seed'] satisfies readonly (keyof BloomParameters)[];

/** What an index must be so that it can serve. */
export type IndexSpec = Pick<IndexMeta, 'key' | 'bloom' | 'maxTokenizedBytes'>;

/**
 * Which components of a stored index are not the wanted ones (FR-LSI-IDX-KEY-02); also `keyHash` when the stored hash is not
 * that of its components. Anything listed: trigger MISMATCH, the old index goes, the new key is built.
 */
export function mismatches(stored: IndexMeta, spec: IndexSpec): readonly string[] {
  return [
    ...(stored.keyHash === keyHash(stored.key) ? [] : ['keyHash']),
    ...COMPONENTS.filter((component) => stored.key[component] !== spec.key[component]),
    ...PARAMETERS.filter((parameter) => stored.bloom[parameter] !== spec.bloom[parameter]),
    ...(stored.maxTokenizedBytes === spec.maxTokenizedBytes ? [] : ['maxTokenizedBytes']),
  ];
}
