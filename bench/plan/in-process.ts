import { startPlan } from '../../src/executors/plan/index.ts';
import { planOf } from './envelopes.ts';

const STEPS = 1000;
const RUNS = 10;

/** The core alone: a plan of 1,000 steps from its start to its end, answers ready at hand. Microseconds a step, the best half of ten runs. */
export function coreMicrosPerStep(): number {
  const { envelope } = planOf('core', STEPS);
  const times = Array.from({ length: RUNS }, () => {
    const start = performance.now();
    const run = startPlan(envelope);
    for (let n = 0; run.current.kind === 'call'; n += 1) run.feed({ ok: true, data: { n }, error: null });
    if (run.current.error !== null || run.stepsDone !== STEPS) throw new Error('the plan did not run to its end');
    return performance.now() - start;
  }).sort((a, b) => a - b);
  const best = times.slice(0, RUNS / 2);
  return (best.reduce((sum, ms) => sum + ms, 0) / best.length / STEPS) * 1000;
}
