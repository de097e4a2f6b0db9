import type { ScheduleRequest, TaskManifest } from '../../../src/contracts/index.ts';
import { canonicalJson } from '../../../src/core/canonical-json.ts';
import { manifestSha256, sha256Hex } from '../../../src/core/hash.ts';
import type { JsonObject } from '../../../src/core/json.ts';
import { firingEnvelope, firingId } from '../../../src/core/schedule-id.ts';
import { TOOLS } from '../plan-tickets.ts';
import type { SimSchedule } from '../scenario.ts';

export const SCHEDULE = 'nightly';

const MANIFEST: TaskManifest = {
  task_id: SCHEDULE,
  capability_id: 'TOOL_CALL',
  inputs: { tool: 'sim.tool', operation: 'once', params: {} },
  constraints: {},
};
const HEADER = { id: SCHEDULE, version: '1.0', timestamp: '2026-01-01T00:00:00Z', source: 'simulation', destination: 'executor', type: 'execution' };

/** What the schedule of a history makes. */
export function whatOf({ plan }: SimSchedule): Pick<ScheduleRequest, 'manifest' | 'envelope' | 'id'> {
  return plan === undefined ? { manifest: MANIFEST } : { envelope: envelopeOf(plan), id: SCHEDULE };
}

/** The id of the firing at a time, a minute since 1970, as the kernel's store has it. */
export function firingAt({ plan }: SimSchedule, minute: number): string {
  if (plan === undefined) return firingId(SCHEDULE, manifestSha256(MANIFEST), minute);
  const linked = envelopeOf(plan);
  return `p-${sha256Hex(canonicalJson(firingEnvelope(SCHEDULE, linked, sha256Hex(canonicalJson(linked)), minute)))}`;
}

/** The tasks that a firing asks the server for; of a plan that nobody has retried. */
export function requestsOf({ plan }: SimSchedule, id: string): readonly { readonly taskId: string; readonly isOnce: boolean }[] {
  if (plan === undefined) return [{ taskId: id, isOnce: true }];
  return plan.map((kind, at) => ({ taskId: `s-${sha256Hex(canonicalJson([id.slice(2), String(at), 0]))}`, isOnce: kind === 'once' }));
}

function envelopeOf(plan: NonNullable<SimSchedule['plan']>): JsonObject {
  const steps = plan.map((operation, x): JsonObject => ({ type: 'tool', ref: 'sim.tool', operation, params: { x } }));
  return { header: HEADER, payload: { steps, memory: { session_id: 's', state: {} }, registryFiles: TOOLS } };
}
