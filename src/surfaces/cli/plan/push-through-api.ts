import type { JsonObject } from '../../../core/json.ts';
import type { PlanPushOptions, PlanReceipt } from '../../../core/ports/index.ts';
import { type KeyFlags, openApi } from '../api/api-door.ts';
import type { CommandContext } from '../command.ts';

const KINDS = { accepted: 'accepted', in_flight: 'in-flight', retried: 'retried' } as const;

/**
 * Pushes a linked plan with its lease through the API of this data directory, which keeps who is to be told of its end.
 *
 * @throws WritError what the API refuses: NOT_FOUND, FORBIDDEN for the endpoint; API_UNAVAILABLE
 */
export async function pushThroughApi(
  context: CommandContext,
  { webhook, ...flags }: KeyFlags & { readonly webhook?: string },
  { envelope, lease }: { readonly envelope: JsonObject; readonly lease: string },
  { notBefore, priority }: Pick<PlanPushOptions, 'notBefore' | 'priority'>,
): Promise<PlanReceipt> {
  const api = await openApi(context, flags);
  const when = { ...(notBefore === undefined ? {} : { notBefore: new Date(notBefore) }), ...(priority === undefined ? {} : { priority }) };
  const pushed = await api.ask((client) => client.plans.submit(envelope, { lease, ...(webhook === undefined ? {} : { webhook }), ...when }));
  // Nobody waits: a plan that has its end had it before.
  if (pushed.ended) return { kind: 'finished', id: pushed.plan.plan_id, result: '' };
  const { plan_id: id, receipt, queue } = pushed.receipt;
  return { kind: KINDS[receipt], id, queue, jobId: `p_${id}` };
}
