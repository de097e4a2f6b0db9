import type { OperatorServices } from '../../shared/tasks/operator.ts';
import type { Call } from '../command.ts';

/** The services of this command line, as the operations of every surface want them. */
export async function operatorServices(call: Call): Promise<OperatorServices> {
  const services = await call.services();
  return {
    tasks: await services.tasks(),
    kernel: () => services.kernel(),
    signatures: () => services.signatures(),
    regrantByDefault: services.regrantByDefault,
    clock: call.clock,
  };
}
