/** Elements of both sides that stand for the same, or of one side. */
export type Pair<A, B> = readonly [A, B] | readonly [A, undefined] | readonly [undefined, B];

/** Two sequences in the same order, side by side; neither is held in memory. `compare` is zero for elements that belong together. */
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
