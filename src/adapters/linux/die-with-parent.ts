import { constants } from 'node:os';
import koffi from 'koffi';

const PR_SET_PDEATHSIG = 1;

/**
 * The kernel kills this process when its parent ends (prctl(2)), however that ends. Elsewhere than on Linux nothing
 * happens: there the closed channel has to be noticed.
 */
export function dieWithParent(): void {
  if (process.platform !== 'linux') return;
  const prctl = koffi.load(null).func('int prctl(int option, unsigned long arg)');
  prctl(PR_SET_PDEATHSIG, constants.signals.SIGKILL);
}
