import type { JsonObject } from '../../src/core/json.ts';
import { linkPlan } from '../../src/executors/plan/index.ts';

/** A tool that does nothing; `config/tools` of nobody has it. */
export const TOOL = 'bench.noop';
const DEFINITION = { id: TOOL, version: '1.0.0', categories: ['bench'], actions: [{ name: 'run', input: ['n'], output: 'ok' }] };

/** A plan of so many steps, each with a parameter of its own and its answer saved. */
export function planOf(id: string, steps: number): { readonly envelope: JsonObject; readonly planSha256: string } {
  const linked = linkPlan(
    {
      header: { id, version: '1.0', timestamp: '2026-01-01T00:00:00Z', source: 'bench', destination: 'executor', type: 'execution' },
      payload: {
        steps: Array.from({ length: steps }, (_, n) => ({ type: 'tool', ref: TOOL, operation: 'run', params: { n }, save: { to: { [`s${n}`]: '$.data.n' } } })),
        memory: { session_id: id, state: {} },
        options: { maxSteps: 1000 },
      },
    },
    (category, ref) => (category === 'tools' && ref === TOOL ? DEFINITION : undefined),
  );
  if (!linked.ok) throw new Error(`${linked.code}: ${linked.message}`);
  return linked;
}
