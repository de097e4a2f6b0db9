import type { JsonObject } from '../../src/core/json.ts';
import type { Bindings } from '../../src/core/ports/index.ts';
import { isTakenBack, retriesOf } from './plan-weather.ts';
import type { SimPlan } from './scenario.ts';
import { DATA, PROVIDER } from './tasks.ts';
import type { KernelTwin } from './twins/kernel.ts';
import type { World } from './world.ts';

const HEADER = { id: 'run', version: '1.0', timestamp: '2026-01-01T00:00:00Z', source: 'simulation', destination: 'executor', type: 'execution' };

function tool(id: string, actions: Readonly<Record<string, readonly string[]>>): JsonObject {
  const content = { id, version: '1.0.0', categories: ['simulation'], actions: Object.entries(actions).map(([name, input]) => ({ name, input: [...input] })) };
  return { category: 'tools', ref: id, content };
}

/** As the host's registries have it. */
export const UNDO_DEFINITION = tool('writ.undo', { FILE_MOVE: ['source_path', 'destination_path', 'constraints', 'undo'] });

export const TOOLS = [
  tool('sim.tool', { none: ['x'], idempotent: ['x'], once: ['x'] }),
  tool('files', { FILE_COPY: ['source_path', 'destination_path'], FILE_MOVE: ['source_path', 'destination_path'] }),
];

/** As the host's registries have it. */
const APPROVAL_DEFINITION = tool('writ.approval', { APPROVAL: ['role', 'question', 'deadline_s'] });

/** A plan as it is pushed. */
export interface PlanTicket {
  readonly index: number;
  readonly plan: SimPlan;
  readonly envelope: JsonObject;
  readonly planSha256: string;
  readonly lease: string;
  /** Files of its copies. */
  readonly files: readonly { readonly source: string; readonly destination: string; readonly content: string }[];
}

export async function planTicketOf(plan: SimPlan, index: number, { kernel }: KernelTwin, { scenario }: Pick<World, 'scenario'>): Promise<PlanTicket> {
  const retry = retriesOf(scenario);
  const files: { source: string; destination: string; content: string }[] = [];
  const asks = plan.steps.includes('approval');
  const steps = plan.steps.map((kind, at): JsonObject => {
    if (kind === 'approval') return questionOf(plan, at, scenario.approval?.deadlineS ?? 1);
    const more: JsonObject = { ...(plan.goesOn ? { on_error: { mode: 'continue' } } : {}), ...(retry === undefined ? {} : { retry }) };
    // The question after it is made of what it says.
    const save: JsonObject = asks && kind === 'none' ? { save: { to: { word: '$.data.said' } } } : {};
    if (kind !== 'copy') return { type: 'tool', ref: 'sim.tool', operation: kind, params: { x: at }, ...save, ...more };
    const file = { source: `${DATA}/in/p${index}-${at}.txt`, destination: `${DATA}/out/p${index}-${at}.txt`, content: `step ${at} of plan ${index}` };
    files.push(file);
    return {
      type: 'tool',
      ref: 'files',
      operation: isTakenBack(scenario) ? 'FILE_MOVE' : 'FILE_COPY',
      params: { source_path: file.source, destination_path: file.destination },
      ...more,
    };
  });
  const envelope: JsonObject = {
    header: { ...HEADER, id: `run-${index}` },
    payload: {
      steps,
      memory: { session_id: 's', state: asks ? { word: 'nothing' } : {} },
      registryFiles: asks ? [...TOOLS, APPROVAL_DEFINITION] : TOOLS,
      ...(asks ? { options: { interpolate: 'all' } } : {}),
    },
  };
  const { planSha256, lease } = await kernel.issuePlan(
    { envelope, capabilities: [...(asks ? ['APPROVAL'] : []), 'TOOL_CALL:sim.tool', 'TOOL_CALL:files', 'FILE_COPY', 'FILE_MOVE'] },
    { ttl: 3600 },
  );
  return { index, plan, envelope, planSha256, lease, files };
}

function questionOf({ goesOn }: SimPlan, at: number, deadlineS: number): JsonObject {
  const params = { role: 'approve', question: `Go on behind step ${at}, after {{memory.state.word}}?`, deadline_s: deadlineS };
  return { type: 'tool', ref: 'writ.approval', operation: 'APPROVAL', params, ...(goesOn ? { on_error: { mode: 'continue' } } : {}) };
}

/** The bindings of the host; the tool of files is bound only from the time on that the scenario says. */
export function bindingsOf(world: World): Bindings {
  return (ref) => {
    if (ref === 'sim.tool') return { adapter: 'http', provider: PROVIDER };
    if (ref === 'writ.undo' || ref === 'writ.approval') return { adapter: 'writ' };
    return ref === 'files' && world.now >= world.scenario.boundAt ? { adapter: 'writ' } : undefined;
  };
}
