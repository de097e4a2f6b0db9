/** Cosines are whole multiples of 2^-20 (kernel.wat). */
export const SCORE_STEPS = 2 ** 20;
const SHIFT = 8;

/** Places of the best steps above 0, at most `most`: the best first, the least id first among equals. */
export function top(steps: Int32Array, idAt: (place: number) => number, most: number): number[] {
  const floor = floorOf(steps, most);
  const places: number[] = [];
  for (let place = 0; place < steps.length; place += 1) if ((steps[place] ?? 0) >= floor) places.push(place);
  return places.sort((a, b) => (steps[b] ?? 0) - (steps[a] ?? 0) || idAt(a) - idAt(b)).slice(0, most);
}

/** A number of steps that at least `most` reach (all above 0, where there are fewer), and few more. */
function floorOf(steps: Int32Array, most: number): number {
  const counts = new Uint32Array((SCORE_STEPS >> SHIFT) + 1);
  for (const value of steps) if (value > 0) counts[value >> SHIFT] = (counts[value >> SHIFT] ?? 0) + 1;
  let reached = 0;
  for (let bucket = counts.length - 1; bucket >= 0; bucket -= 1) {
    reached += counts[bucket] ?? 0;
    if (reached >= most) return Math.max(1, bucket << SHIFT);
  }
  return 1;
}
