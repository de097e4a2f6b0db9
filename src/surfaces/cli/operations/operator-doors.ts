import type { OperatorDoors } from '../../shared/tasks/operator.ts';
import type { Call } from '../act.ts';

/** The services of this command line, as the operations of every surface want them. */
export async function operatorDoors(call: Call): Promise<OperatorDoors> {
  const services = await call.services();
  return {
    tasks: await services.tasks(),
    kernel: () => services.kernel(),
    signatures: () => services.signatures(),
    regrantByDefault: services.regrantByDefault,
    clock: call.clock,
  };
}
