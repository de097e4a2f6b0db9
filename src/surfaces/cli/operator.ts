import type { Plans } from '../../core/ports/index.ts';
import type { PlanRetryServices } from '../shared/plans/retry.ts';
import type { OperatorServices } from '../shared/tasks/operator.ts';
import type { CommandContext } from './command.ts';
import type { CliServices } from './services.ts';

/** The services of this command line, as the operations of every surface want them. */
export async function operatorServices(context: CommandContext): Promise<OperatorServices> {
  const services = await context.services();
  return { tasks: await services.tasks(), signatures: () => services.signatures(), ...kernelOf(services, context) };
}

/** The same for a retry of plans. Kernel and public keys are opened when a lease has to do with it. */
export async function planOperatorServices(context: CommandContext): Promise<PlanRetryServices & { readonly plans: Plans }> {
  const services = await context.services();
  return { plans: await services.plans(), planSignatures: () => services.planSignatures(), ...kernelOf(services, context) };
}

function kernelOf(services: CliServices, { clock }: CommandContext): Pick<OperatorServices, 'kernel' | 'regrantByDefault' | 'clock'> {
  return { kernel: () => services.kernel(), regrantByDefault: services.regrantByDefault, clock };
}
