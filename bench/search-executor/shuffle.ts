/** Larger than any of our sizes and prime, so `index * STEP % count` meets each number below `count` once, in no order. */
const STEP = 15_485_863;

/** The place of `index` in a fixed shuffle of 0 to `count - 1`; `count` at most 10 million. */
export function shuffled(index: number, count: number): number {
  return (index * STEP) % count;
}
