import { closeSync, constants, openSync } from 'node:fs';

/**
 * Whether this process has a controlling terminal. A service has none; a program that was started by hand loses its own when
 * the window is closed, before it hears of it by SIGHUP.
 */
export function terminalIsThere(): boolean {
  try {
    closeSync(openSync('/dev/tty', constants.O_RDONLY | constants.O_NOCTTY));
    return true;
  } catch {
    return false;
  }
}
