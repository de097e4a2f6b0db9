import { embeddedText } from '../../src/core/ports/embedder.ts';
import { halvesOf, numberOf } from '../../src/messages/engines/vectors/half.ts';
import { createHashing } from '../../src/messages/search/embed/hash.ts';
import type { RankOracle } from './mailbox-oracle.ts';

/** Cosine of a stored vector and a query in steps of 2^-20, by plain loops in floats of 32 bits, in the order that kernel.wat describes. */
export function stepsByHand(halves: Uint16Array, query: Float32Array): number {
  const lanes = new Float32Array(8);
  for (let at = 0; at < halves.length; at += 1) {
    const product = Math.fround(numberOf(halves[at] ?? 0) * (query[at] ?? 0));
    lanes[at % 8] = (lanes[at % 8] ?? 0) + product;
  }
  const [a = 0, b = 0, c = 0, d = 0] = Float32Array.from({ length: 4 }, (_, lane) => (lanes[lane] ?? 0) + (lanes[lane + 4] ?? 0));
  const steps = Math.fround(Math.fround(a + b) + Math.fround(c + d)) * 2 ** 20;
  const floor = Math.floor(steps);
  const even = steps - floor === 0.5 ? floor + (floor % 2) : Math.round(steps);
  return Math.min(2 ** 20, Math.max(0, even));
}

const hashed = createHashing();

/** Cosines of the mails that have anything in common with a text, as the hash embedder sees it. */
export const hashRank: RankOracle = (mails, text) => {
  const query = hashed(text.trim().replace(/\s+/g, ' '));
  const steps = mails.map(({ id, subject, body }) => [id, stepsByHand(halvesOf(hashed(embeddedText(subject, body))), query)] as const);
  return new Map(steps.flatMap(([id, found]) => (found > 0 ? [[id, found / 2 ** 20]] : [])));
};
