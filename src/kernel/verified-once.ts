import { LRUCache } from 'lru-cache';
import { sha256Hex } from '../core/hash.ts';
import type { Ed25519 } from '../core/ports/index.ts';

/**
 * Verifies as `ed25519` does, and remembers signatures that were good: a plan's lease comes with each of its steps. A signature under a key
 * is good for ever; whether the key still counts is the keyring's word, which is asked each time.
 *
 * @param max signatures that are remembered
 */
export function verifiedOnce(ed25519: Ed25519, max: number): Ed25519 {
  const good = new LRUCache<string, true>({ maxSize: max, sizeCalculation: () => 1 });
  return {
    sign: (message, key) => ed25519.sign(message, key),
    async verify(message, signature, key) {
      const name = `${sha256Hex(message)} ${signature.length} ${Buffer.concat([signature, key]).toString('latin1')}`;
      if (good.get(name) === true) return true;
      const isGood = await ed25519.verify(message, signature, key);
      if (isGood) good.set(name, true);
      return isGood;
    },
  };
}
