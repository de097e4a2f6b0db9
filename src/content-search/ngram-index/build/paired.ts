/** Elements of one side or of both, where they stand for the same. */
export type Pair<A, B> = readonly [A, B] | readonly [A, undefined] | readonly [undefined, B];

/** Two sequences in the same order side by side; nothing of either is held. `compare` is zero for what belongs together. */
export function* paired<A, B>(left: Iterable<A>, right: Iterable<B>, compare: (a: A, b: B) => number): Generator<Pair<A, B>> {
  const [as, bs] = [left[Symbol.iterator](), right[Symbol.iterator]()];
  let [a, b] = [as.next(), bs.next()];
  while (a.done !== true || b.done !== true) {
    const order = a.done === true ? 1 : b.done === true ? -1 : compare(a.value, b.value);
    if (order < 0) {
      yield [a.value, undefined];
      a = as.next();
    } else if (order > 0) {
      yield [undefined, b.value];
      b = bs.next();
    } else {
      yield [a.value, b.value];
      [a, b] = [as.next(), bs.next()];
    }
  }
}
