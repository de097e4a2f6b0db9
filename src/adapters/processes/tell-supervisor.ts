import { isWritError, messageOf } from '../../core/errors.ts';
import { openServiceManager } from '../linux/service-manager.ts';
import type { RoleMessage } from './supervise.ts';

/** Tells `writ up`, where it has started this role; a supervisor that is gone hears nothing, and that is no error of the role. */
function tellSupervisor(message: RoleMessage): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
}

/**
 * Tells whoever has started this role that it is ready: `writ up`, or a service manager.
 *
 * @param variable the value of an environment variable
 * @returns tells it that the role has begun to stop
 */
export function tellReady(variable: (name: string) => string | undefined): () => void {
  // Under `up` the manager's process is that one, and not this.
  const manager = openServiceManager(process.connected ? () => undefined : variable);
  tellSupervisor({ type: 'ready' });
  manager.ready();
  return manager.stopping;
}

/** Tells it why the role refuses to start, and throws on. */
export function tellRefusal(error: unknown): never {
  const field = isWritError(error) && error.field !== undefined ? { field: error.field } : {};
  tellSupervisor({ type: 'refused', code: isWritError(error) ? error.code : 'INTERNAL', message: messageOf(error), ...field });
  throw error;
}
