import type { JsonObject } from '../../src/core/json.ts';
import { linkPlan } from '../../src/executors/plan/index.ts';

/** A tool that does nothing; `config/tools` of nobody has it. */
export const TOOL = 'bench.noop';
const DEFINITION = { id: TOOL, version: '1.0.0', categories: ['bench'], actions: [{ name: 'run', input: ['n'], output: 'ok' }] };

/** What the steps of a plan do: nothing, or copy `from/<n>` to `to/<n>`. */
export type StepWork = 'noop' | { readonly from: string; readonly to: string };

/** The tool of copies. */
export const COPY_TOOL = 'bench.file';
const COPY_DEFINITION = {
  id: COPY_TOOL,
  version: '1.0.0',
  categories: ['bench'],
  actions: [{ name: 'FILE_COPY', input: ['source_path', 'destination_path'], output: 'ok' }],
};
const DEFINITIONS: Readonly<Record<string, object>> = { [TOOL]: DEFINITION, [COPY_TOOL]: COPY_DEFINITION };

/** A plan of so many steps, each with a parameter of its own and its answer saved. */
export function planOf(id: string, steps: number, work: StepWork = 'noop'): { readonly envelope: JsonObject; readonly planSha256: string } {
  const linked = linkPlan(
    {
      header: { id, version: '1.0', timestamp: '2026-01-01T00:00:00Z', source: 'bench', destination: 'executor', type: 'execution' },
      payload: {
        steps: Array.from({ length: steps }, (_, n) => stepOf(n, work)),
        memory: { session_id: id, state: {} },
        options: { maxSteps: 1000 },
      },
    },
    (category, ref) => (category === 'tools' ? DEFINITIONS[ref] : undefined),
  );
  if (!linked.ok) throw new Error(`${linked.code}: ${linked.message}`);
  return linked;
}

function stepOf(n: number, work: StepWork): object {
  if (work === 'noop') return { type: 'tool', ref: TOOL, operation: 'run', params: { n }, save: { to: { [`s${n}`]: '$.data.n' } } };
  return { type: 'tool', ref: COPY_TOOL, operation: 'FILE_COPY', params: { source_path: `${work.from}/${n}`, destination_path: `${work.to}/${n}` } };
}
