import { LRUCache } from 'lru-cache';
import { canonicalJson } from '../../src/core/canonical-json.ts';
import { sha256Hex } from '../../src/core/hash.ts';

/** The canonical text of an envelope, and its hash. */
export interface KnownEnvelope {
  readonly text: string;
  readonly planSha256: string;
}

/** Texts that are kept, in UTF-16 units: a job comes back after each of its steps, with the same envelope. */
const MAX_KEPT = 32 * 1024 * 1024;

/**
 * Hashes envelopes, and knows those that it has seen lately: making the canonical form of a thousand steps takes
 * milliseconds, comparing two texts none.
 *
 * @throws WritError INVALID_MANIFEST for an envelope that has no canonical form
 */
export function createEnvelopes(): (envelope: unknown) => KnownEnvelope {
  /** By their text as it came. */
  const known = new LRUCache<string, KnownEnvelope>({ maxSize: MAX_KEPT, sizeCalculation: ({ text }, came) => came.length + text.length });
  return (envelope) => {
    const came = JSON.stringify(envelope);
    const before = known.get(came);
    if (before !== undefined) return before;
    const text = canonicalJson(envelope);
    const one = { text, planSha256: sha256Hex(text) };
    known.set(came, one);
    return one;
  };
}
