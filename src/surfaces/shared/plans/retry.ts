import { WritError } from '../../../core/errors.ts';
import type { KeptPlan, KernelClient, PlanGateway, PlanSignatures, Plans, PlanView } from '../../../core/ports/index.ts';
import type { OperatorServices } from '../tasks/operator.ts';
import type { Retried, RetryEnd, RetryTerms } from '../tasks/retry.ts';
import { unknownPlan } from './plan-id.ts';

export interface PlanRetryTerms extends RetryTerms {
  /** Replaces the plan's own, and has been judged; not together with `regrant`. */
  readonly lease?: string;
}

/** What a retry of a plan works with. */
export interface PlanRetryServices extends Pick<OperatorServices, 'regrantByDefault' | 'clock'> {
  /** Throws WritError KERNEL_UNAVAILABLE, here or when it is asked. */
  kernel(): Promise<Pick<KernelClient, 'issuePlan'>>;
  readonly plans: Pick<Plans, 'kept' | 'push' | 'retry' | 'view'>;
  planSignatures(): Promise<Pick<PlanSignatures, 'expiryOf'>>;
}

/** Plans as a surface has them, and its services of an operator, as a retry wants both. */
export function planRetryServices(
  { plans, signatures }: Pick<PlanGateway, 'plans' | 'signatures'>,
  { kernel, regrantByDefault, clock }: Pick<PlanRetryServices, 'kernel' | 'regrantByDefault' | 'clock'>,
): PlanRetryServices {
  return { plans, planSignatures: async () => signatures, kernel, regrantByDefault, clock };
}

/** Retries that are under way together: each may hold an envelope of a megabyte. */
const TOGETHER = 20;

/**
 * Runs a failed plan on from where it stopped, under a new lease where the old one has expired (docs/plan-protocol.md 4). Where its job is
 * gone it is pushed as the plan journal of this host has it.
 *
 * @throws WritError NOT_FOUND, WRONG_STATE, LEASE_EXPIRED, INVALID_RESULT, and the kernel's refusals
 */
export async function retryPlan(id: string, terms: PlanRetryTerms, services: PlanRetryServices): Promise<Retried> {
  if (terms.lease !== undefined && terms.regrant === true)
    throw new WritError('INVALID_ARGUMENT', 'a new lease is brought, or asked for: not both', { field: 'regrant' });
  const kept = await services.plans.kept(id);
  if (terms.lease === undefined && (terms.regrant === true || (await hasExpired(kept, services)))) return renewed(id, terms, kept, services);
  await runOn(id, terms.lease, kept, services.plans);
  return { regranted: false };
}

/**
 * `retryPlan` for many, each by itself. Never rejects.
 *
 * @returns an end for each plan, in order
 */
export async function retryPlans(ids: readonly string[], terms: PlanRetryTerms, services: PlanRetryServices): Promise<readonly RetryEnd[]> {
  const ends: RetryEnd[] = [];
  for (let at = 0; at < ids.length; at += TOGETHER) {
    const some = ids.slice(at, at + TOGETHER).map(async (id): Promise<RetryEnd> => {
      try {
        return { kind: 'retried', ...(await retryPlan(id, terms, services)) };
      } catch (error) {
        return { kind: 'refused', error };
      }
    });
    ends.push(...(await Promise.all(some)));
  }
  return ends;
}

async function hasExpired(kept: KeptPlan | undefined, { planSignatures, clock }: PlanRetryServices): Promise<boolean> {
  const exp = kept && (await planSignatures()).expiryOf(kept.lease);
  return exp !== undefined && exp * 1000 <= clock.now();
}

async function runOn(id: string, lease: string | undefined, kept: KeptPlan | undefined, plans: PlanRetryServices['plans']): Promise<void> {
  const answer = await plans.retry(id, lease === undefined ? {} : { lease });
  if (answer === 'retried') return;
  await failedStanding(id, plans);
  if (answer === 'wrong-state') throw moved(id);
  const { envelope, lease: own } = known(id, kept);
  await push(id, { envelope, lease: lease ?? own }, plans);
}

async function renewed(id: string, { regrant }: PlanRetryTerms, kept: KeptPlan | undefined, services: PlanRetryServices): Promise<Retried> {
  const { plans, kernel, regrantByDefault } = services;
  await failedStanding(id, plans);
  if (!(regrant ?? regrantByDefault))
    throw new WritError('LEASE_EXPIRED', `the lease of plan ${id} has expired; ask for a regrant (--regrant) to have the kernel issue a new one`);
  const { envelope, lease: renews } = known(id, kept);
  const { lease } = await (await kernel()).issuePlan(envelope, { renews });
  await push(id, { envelope, lease }, plans);
  return { regranted: true };
}

/** @throws WritError NOT_FOUND, WRONG_STATE, INVALID_RESULT for an end that nobody has signed */
async function failedStanding(id: string, plans: Pick<Plans, 'view'>): Promise<PlanView> {
  const view = await plans.view(id);
  if (view === undefined) throw unknownPlan(id);
  if (view.state !== 'failure') throw new WritError('WRONG_STATE', `plan ${id} has not failed: it is ${view.state === 'success' ? 'done' : view.state}`);
  return view;
}

function known(id: string, kept: KeptPlan | undefined): KeptPlan {
  if (kept !== undefined) return kept;
  throw new WritError('NOT_FOUND', `plan ${id} is known, but neither its job (7 days) nor its journal is kept here: push the same envelope again`);
}

/** A push of a failed plan runs it on; envelope and lease of its job are replaced, whoever wrote them. */
async function push(id: string, plan: KeptPlan, plans: Pick<Plans, 'push'>): Promise<void> {
  const { kind } = await plans.push(plan);
  if (kind === 'in-flight' || kind === 'finished') throw moved(id);
}

function moved(id: string): WritError {
  return new WritError('WRONG_STATE', `plan ${id} has not failed (any more): it is on its way, or done`);
}
