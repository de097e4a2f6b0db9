/** A loop of this many rounds takes the machine on which the times of the tests were chosen this long, with a core to itself. */
const ROUNDS = 60_000_000;
const USUAL_MS = 60;
/** Three samples tell a short hiccup from a slow machine: the middle one counts. */
const SAMPLES = 3;
/** A machine that is slower still would need a day for the tests. */
const MAX = 60;

/** How many times longer than usual this machine takes now, at least 1; WRIT_TEST_SLOWNESS says it instead where work comes later. */
export function measuredSlowness(): number {
  const said = Number(process.env['WRIT_TEST_SLOWNESS']);
  if (said >= 1) return said;
  const [, middle = USUAL_MS] = Array.from({ length: SAMPLES }, loopMs).sort((a, b) => a - b);
  return Math.min(MAX, Math.max(1, Math.round((10 * middle) / USUAL_MS) / 10));
}

function loopMs(): number {
  const began = performance.now();
  let sum = 1;
  for (let round = 0; round < ROUNDS; round += 1) sum = (Math.imul(sum, 1_664_525) + 1_013_904_223) | 0;
  // The condition keeps the loop from being left out.
  return sum === 0 ? 0 : performance.now() - began;
}
