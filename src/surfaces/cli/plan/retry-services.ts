import type { Plans } from '../../../core/ports/index.ts';
import type { PlanRetryServices } from '../../shared/plans/retry.ts';
import type { CommandContext } from '../command.ts';

/** What a retry of plans works with. Kernel and public keys are opened when a lease has to do with it. */
export async function planRetryServices(context: CommandContext): Promise<PlanRetryServices & { readonly plans: Plans }> {
  const services = await context.services();
  return {
    plans: await services.plans(),
    planSignatures: () => services.planSignatures(),
    kernel: () => services.kernel(),
    regrantByDefault: services.regrantByDefault,
    clock: context.clock,
  };
}
