import { TaskManifest } from '../../contracts/index.ts';
import { type ErrorCode, isWritError } from '../../core/errors.ts';
import type { Firing, FiringLane, FiringStanding, GrantOptions, KernelOperations, Receipt, ScheduleStore } from '../../core/ports/index.ts';
import { peekLease } from '../../lease/index.ts';
import { envelopeOf, planIdOf } from './firing.ts';

/** What became of the push of a firing; `refused`: the kernel signs it no more. */
export type FiringPush = Pick<Receipt, 'kind'> | { readonly kind: 'refused'; readonly code: ErrorCode };

/** How firings come to the workers, and how it is seen what became of them. */
export interface FiringWays {
  /** Signs and pushes. Whatever was signed or pushed before for this firing, it is the same task, or the same plan. */
  push(firing: Firing): Promise<FiringPush>;
  standing(firing: Firing): Promise<FiringStanding>;
}

export interface FiringWaysOptions {
  readonly store: Pick<ScheduleStore, 'envelope'>;
  readonly kernel: Pick<KernelOperations, 'issue' | 'issuePlan'>;
  readonly lane: FiringLane;
}

const MINUTE = 60_000;

/** What the kernel will say again, however often it is asked. */
const FINAL: ReadonlySet<ErrorCode> = new Set(['LEASE_REFUSED', 'INVALID_MANIFEST', 'TASK_ID_CONFLICT']);

export function firingWays({ store, kernel, lane }: FiringWaysOptions): FiringWays {
  async function pushTask(firing: Firing): Promise<FiringPush> {
    const manifest = TaskManifest.parse(JSON.parse(firing.manifest));
    const { attempts, priority } = firing.terms;
    const [granted] = await kernel.issue([{ manifest }], leaseOf(firing));
    if (!granted?.ok) return { kind: 'refused', code: granted?.code ?? 'INTERNAL' };
    // A worker of another queue than the lease names refuses it.
    const queue = peekLease(granted.lease)?.aud;
    const options = { ...(queue && { queue }), ...(attempts === undefined ? {} : { attempts }), ...(priority === undefined ? {} : { priority }) };
    return lane.push({ v: 1, manifest, lease: granted.lease }, options);
  }

  async function pushPlan(firing: Firing, envelope: NonNullable<ReturnType<typeof envelopeOf>>): Promise<FiringPush> {
    const { priority } = firing.terms;
    const lease = await planLease(firing, envelope);
    if (typeof lease !== 'string') return lease;
    // Each push is the same ask: a plan that has failed is not run on by it (docs/plan-protocol.md 11).
    return lane.pushPlan({ envelope, lease }, { askedAt: firing.planned * MINUTE, ...(priority === undefined ? {} : { priority }) });
  }

  async function planLease(firing: Firing, envelope: object): Promise<string | Extract<FiringPush, { kind: 'refused' }>> {
    try {
      return (await kernel.issuePlan({ envelope }, leaseOf(firing))).lease;
    } catch (error) {
      if (isWritError(error) && FINAL.has(error.code)) return { kind: 'refused', code: error.code };
      throw error;
    }
  }

  return {
    push(firing) {
      const envelope = envelopeOf(firing, store);
      return envelope === undefined ? pushTask(firing) : pushPlan(firing, envelope);
    },
    async standing(firing) {
      const planId = planIdOf(firing);
      if (planId !== undefined) return lane.planStanding(planId);
      const standing = await lane.standing(firing.taskId);
      return isAnothersEnd(standing) ? { kind: 'unproven' } : standing;
    },
  };
}

function leaseOf({ schedule, planned, terms: { ttl } }: Firing): GrantOptions {
  return { by: `schedule ${schedule}`, notBefore: planned * 60, ...(ttl === undefined ? {} : { ttl }) };
}

/** Our own lease is good: an executor that has refused one was shown another's. A plan is refused without an end. */
function isAnothersEnd(standing: FiringStanding): boolean {
  return standing.kind === 'ended' && standing.code === 'INVALID_LEASE';
}
