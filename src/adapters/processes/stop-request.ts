import { terminalIsThere } from '../linux/terminal.ts';

/** Why a role ends. */
export type StopReason = 'SIGTERM' | 'SIGINT' | 'the terminal was closed' | 'the supervisor is gone';

/**
 * Listens from now on for what ends a role, and resolves with the first of it.
 *
 * SIGHUP says two things. A role at a terminal that was closed ends, since nobody sees it any more; any other goes on, and
 * what can be read again is (`docs/operations.md`).
 *
 * @param reload called for a SIGHUP that ends nothing
 */
export function stopRequest(reload: () => void): Promise<StopReason> {
  const supervised = process.send !== undefined;
  const atTerminal = terminalIsThere();
  return new Promise((resolve) => {
    process.on('SIGTERM', () => resolve('SIGTERM'));
    // Ctrl-C and a closed terminal reach the whole process group; a supervised role waits for its supervisor, which stops things in order.
    process.on('SIGINT', () => supervised || resolve('SIGINT'));
    process.on('SIGHUP', () => {
      if (atTerminal && !terminalIsThere()) return supervised || resolve('the terminal was closed');
      reload();
    });
    // A role of `writ up` does not outlive it, also when that was killed.
    if (supervised) process.once('disconnect', () => resolve('the supervisor is gone'));
  });
}
