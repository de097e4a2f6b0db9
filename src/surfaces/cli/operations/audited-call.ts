import type { OperatorAction } from '../../../core/ports/index.ts';
import { audited } from '../../shared/tasks/audited.ts';
import type { Call } from '../command.ts';

/** Does what a person asked for on the command line between two records of the audit log. Throws as `audited` does. */
export async function auditedCall<T>(
  call: Call,
  action: Pick<OperatorAction, 'action' | 'subject' | 'detail'>,
  work: () => Promise<T>,
  found?: (value: T) => NonNullable<OperatorAction['detail']>,
): Promise<T> {
  const services = await call.services();
  return audited(await services.audit(), { surface: 'cli', who: services.who, ...action }, work, found);
}
