import type { PlanHistory } from '../../src/contracts/index.ts';
import { isWritError, WritError } from '../../src/core/errors.ts';
import type { KernelClient, PlanEntry, PlanPreview, PlanRecord, Plans, ResultReader, ToolEffectClass } from '../../src/core/ports/index.ts';
import { linkPlan } from '../../src/executors/plan/index.ts';
import { undoPlan } from '../../src/surfaces/shared/plans/undo.ts';
import { gatewayFor } from './gateway.ts';
import type { Parts } from './parts.ts';
import { planRecord } from './plan-record.ts';
import { type PlanTicket, UNDO_DEFINITION } from './plan-tickets.ts';
import type { SimProcess } from './scheduler.ts';

const LOOK_MS = 700;
/** An undo that was asked for so often in vain is given up. */
const MAX_ASKS = 60;

/** An operator who takes the plan back when it has ended: asks twice at once, and again while nobody has begun with it. */
export async function takeBack(parts: Parts, ticket: PlanTicket, process: SimProcess, plans: Plans, results: ResultReader): Promise<void> {
  const { world, host } = parts;
  const services = servicesOf(parts, process, plans, results);
  const recordOf = (id: string): PlanRecord | undefined => planRecord(host.stores, id);
  for (let asks = 0; asks < MAX_ASKS; asks += 1) {
    await world.wait(process, LOOK_MS);
    if (recordOf(ticket.planSha256)?.end === undefined) continue;
    const asked = await Promise.allSettled([undoPlan(ticket.planSha256, services), undoPlan(ticket.planSha256, services)]);
    const ids = new Set(asked.flatMap((one) => (one.status === 'fulfilled' ? [one.value.undoId] : [])));
    if (ids.size > 1) parts.checker.violate('at most one effect', `plan-${ticket.index} has two undos`);
    for (const id of ids) parts.undos.set(ticket.planSha256, id);
    const refused = asked.some((one) => one.status === 'rejected' && isWritError(one.reason) && one.reason.code === 'WRONG_STATE');
    if (refused || [...ids].some((id) => recordOf(id) !== undefined)) return;
  }
}

function servicesOf(parts: Parts, process: SimProcess, plans: Plans, results: ResultReader): Parameters<typeof undoPlan>[1] {
  const { world, host, kernel } = parts;
  const ask = <T>(what: string, effect: () => Promise<T>): Promise<T> => world.call(process, { to: 'kernel', what, effect });
  const client: Pick<KernelClient, 'issuePlan' | 'leasedManifest'> = {
    issuePlan: (envelope, { capabilities = [] }) => ask('kernel.issuePlan', () => kernel.kernel.issuePlan({ envelope, capabilities }, { ttl: 3600 })),
    leasedManifest: (taskId) => ask('kernel.leasedManifest', () => kernel.kernel.leasedManifest(taskId)),
  };
  return {
    tasks: gatewayFor(parts, process, results),
    plans: { push: plans.push, view: plans.view, history: async (id) => historyOf(host, id) },
    preview,
    kernel: async () => client as KernelClient,
    signatures: () => Promise.reject(new Error('nobody asks')),
    regrantByDefault: false,
    clock: process.clock,
  };
}

/** The tools of the simulation are named after their effects. */
const preview: PlanPreview = {
  link(envelope) {
    const linked = linkPlan(envelope, (_category, ref) => (ref === 'writ.undo' ? UNDO_DEFINITION['content'] : undefined));
    if (!linked.ok) throw new WritError('INVALID_MANIFEST', linked.message);
    return linked;
  },
  outline({ payload }) {
    const { steps } = payload as unknown as { readonly steps: readonly { readonly operation: ToolEffectClass }[] };
    return steps.map(({ operation: effect }) => ({
      ...{ path: '0', depth: 0, type: 'tool' as const, ref: 'sim.tool', operation: effect, policies: [] },
      effect: { kind: 'request' as const, adapter: 'http', provider: 'sim', queue: 'tool-sim', effect },
    }));
  },
};

function historyOf({ stores }: Parts['host'], id: string): PlanHistory | undefined {
  const record = planRecord(stores, id);
  if (record === undefined) return undefined;
  const state = record.end === undefined ? 'running' : record.end.status === 'SUCCESS' ? 'success' : 'failure';
  const entries = stores.plan.look('entries', id) as readonly PlanEntry[];
  const steps = entries.map(({ path, generation, taskId, executorResult, capabilityId, voided }) => {
    const { status, error } = JSON.parse(executorResult) as { status: string; error: { error_code: string } | null };
    return {
      path,
      task_id: taskId,
      generation,
      ...(capabilityId === undefined ? {} : { capability_id: capabilityId }),
      state: status === 'SUCCESS' ? ('success' as const) : ('failure' as const),
      ...(error === null ? {} : { error_code: error.error_code }),
      voided,
    };
  });
  return { plan_id: id, state, retries: record.generation, updated_at: new Date(0).toISOString(), steps };
}
