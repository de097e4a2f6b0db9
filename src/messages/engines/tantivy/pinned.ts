import { join } from 'node:path';
import { messageOf } from '../../../core/errors.ts';
import type { Tantivy, TantivyQuery, TantivySchema, TantivySearcher } from './binding.ts';
import { currentStamp, currentText, damageOf, type Published, publishedIn, segmentsIn } from './generations.ts';
import { type Numbers, readNumbers } from './numbers.ts';
import { idIn, registerTokenizers, SCHEMA_HASH } from './schema.ts';

/** A generation that is open: whatever is published later, its answers stay the same. */
export interface Pinned {
  readonly published: Published;
  readonly schema: TantivySchema;
  /** The best hits, at most `most`, and how many there are. */
  search(query: TantivyQuery, most: number): { readonly ids: number[]; readonly raws: number[]; readonly count: number };
}

export type Pin = { readonly ok: true; readonly pinned: Pinned } | { readonly ok: false; readonly why: string; readonly missing: boolean };

/** Opens what is published; the same answer until something else is. A generation is checked against its digests before Tantivy sees it, because damage would end the process. */
export function createPins(tantivy: Tantivy, root: string): () => Pin {
  let last: { readonly stamp: string; readonly pin: Pin } | undefined;
  const known = new Set<string>();

  return () => {
    const stamp = currentStamp(root);
    if (stamp === undefined) return { ok: false, why: 'there is no index yet', missing: true };
    if (last?.stamp === stamp) return last.pin;
    let pin = opened(currentText(root) ?? '');
    // A generation may have been removed since its name was read: then another one is current.
    if (!pin.ok && currentStamp(root) !== stamp) pin = opened(currentText(root) ?? '');
    last = { stamp, pin };
    return pin;
  };

  function opened(text: string): Pin {
    try {
      const published = publishedIn(text);
      if (published.schema !== SCHEMA_HASH)
        return { ok: false, why: `the index has schema ${published.schema}, this version needs ${SCHEMA_HASH}`, missing: false };
      const damage = damageOf(root, published, known);
      if (damage !== undefined) return { ok: false, why: `the index is damaged: ${damage}`, missing: false };
      return { ok: true, pinned: pin(tantivy, published, join(root, published.directory)) };
    } catch (error) {
      return { ok: false, why: `the index cannot be opened: ${messageOf(error)}`, missing: false };
    }
  }
}

function pin(tantivy: Tantivy, published: Published, directory: string): Pinned {
  const index = tantivy.Index.open(directory);
  registerTokenizers(tantivy, index);
  const searcher: TantivySearcher = index.searcher();
  const numbers: readonly Numbers[] = segmentsIn(directory).map((segment) => readNumbers(directory, segment));
  return {
    published,
    schema: index.schema,
    search(query, most) {
      const { hits, count = hits.length } = searcher.search(query, Math.max(1, Math.min(most, searcher.numDocs)), true);
      const ids: number[] = [];
      const raws: number[] = [];
      for (const { docAddress, score } of hits) {
        ids.push(idIn(numbers[docAddress.segmentOrd]?.[docAddress.doc] ?? Number.NaN));
        raws.push(score ?? 0);
      }
      return { ids, raws, count };
    },
  };
}
