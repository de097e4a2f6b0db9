/** Ascending numbers that are in both lists. */
export function intersection(a: Uint32Array, b: Uint32Array): Uint32Array {
  const both = new Uint32Array(Math.min(a.length, b.length));
  let [i, j, count] = [0, 0, 0];
  while (i < a.length && j < b.length) {
    const [left, right] = [a[i] ?? 0, b[j] ?? 0];
    if (left === right) {
      both[count] = left;
      count += 1;
    }
    if (left <= right) i += 1;
    if (right <= left) j += 1;
  }
  return both.subarray(0, count);
}

/** Ascending numbers that are in any of the lists, each once. */
export function union(lists: readonly Uint32Array[]): Uint32Array {
  let left = lists;
  // Neighbours are merged pairwise, so each list is copied log2(lists) times at most.
  while (left.length > 1) left = left.flatMap((list, at) => (at % 2 === 0 ? [both(list, left[at + 1])] : []));
  return left[0] ?? new Uint32Array(0);
}

function both(a: Uint32Array, b: Uint32Array | undefined): Uint32Array {
  if (b === undefined || b.length === 0) return a;
  if (a.length === 0) return b;
  const all = new Uint32Array(a.length + b.length);
  let [i, j, count] = [0, 0, 0];
  while (i < a.length || j < b.length) {
    const [left, right] = [a[i] ?? Number.POSITIVE_INFINITY, b[j] ?? Number.POSITIVE_INFINITY];
    all[count] = Math.min(left, right);
    count += 1;
    if (left <= right) i += 1;
    if (right <= left) j += 1;
  }
  return all.subarray(0, count);
}

/** The numbers from `first` up to, not including, `end`; a view. */
export function between(list: Uint32Array, first: number, end: number): Uint32Array {
  return list.subarray(placeOf(list, first), placeOf(list, end));
}

function placeOf(list: Uint32Array, id: number): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((list[middle] ?? 0) < id) low = middle + 1;
    else high = middle;
  }
  return low;
}
