import type { RoleMessage } from '../../adapters/processes/supervise.ts';
import { isWritError, messageOf } from '../../core/errors.ts';
import type { Lifecycle } from '../../core/lifecycle.ts';
import type { RoleContext } from './context.ts';

/** Beyond the drain time a stop gets this long, then the process ends hard: a stuck part must not keep a host from restarting. */
const HARD_EXIT_AFTER_DRAIN_MS = 5_000;

/**
 * Runs a role until SIGTERM or SIGINT: starts it, tells the supervisor (when there is one) that it is ready or why it
 * refuses, drains it on the signal, and exits hard past the deadline. Resolves with the exit code.
 */
export async function serve({ log }: RoleContext, create: () => Promise<Lifecycle>, { drainMs }: { readonly drainMs: number }): Promise<number> {
  const stopAsked = stopRequest();
  const role = await create().catch(tellRefusal);
  await role.start().catch(tellRefusal);
  tell({ type: 'ready' });
  log.info('ready');

  log.info({ reason: await stopAsked }, 'stopping');
  const deadline = setTimeout(() => {
    log.error('the drain deadline has passed; ending hard, open work is recovered by the next worker');
    process.exit(3);
  }, drainMs + HARD_EXIT_AFTER_DRAIN_MS);
  await role.stop();
  clearTimeout(deadline);
  log.info('stopped');
  return 0;
}

function tellRefusal(error: unknown): never {
  tell({ type: 'refused', code: isWritError(error) ? error.code : 'INTERNAL', message: messageOf(error) });
  throw error;
}

function tell(message: RoleMessage): void {
  process.send?.(message);
}

/** Resolves with the reason, on a signal or when the supervisor is gone. */
function stopRequest(): Promise<string> {
  return new Promise((resolve) => {
    const supervised = process.send !== undefined;
    process.on('SIGTERM', () => resolve('SIGTERM'));
    // Ctrl-C reaches the whole process group; a supervised role waits for its supervisor, which stops things in order.
    process.on('SIGINT', () => supervised || resolve('SIGINT'));
    // A role of `writ up` does not outlive it, also when that was killed.
    if (supervised) process.once('disconnect', () => resolve('the supervisor is gone'));
  });
}
