import { isWritError, messageOf } from '../../core/errors.ts';
import type { RoleMessage } from './supervise.ts';

/** Tells `writ up`, where it has started this role; a supervisor that is gone hears nothing, and that is no error of the role. */
export function tellSupervisor(message: RoleMessage): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
}

/** Tells it why the role refuses to start, and throws on. */
export function tellRefusal(error: unknown): never {
  const field = isWritError(error) && error.field !== undefined ? { field: error.field } : {};
  tellSupervisor({ type: 'refused', code: isWritError(error) ? error.code : 'INTERNAL', message: messageOf(error), ...field });
  throw error;
}
