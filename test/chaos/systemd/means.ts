import { lackingMeans } from '../containers/means.ts';

/** What the suite runs, and the package of Debian that brings it. */
const PROGRAMS: Readonly<Record<string, string>> = {
  'systemd-nspawn': 'systemd-container',
  debootstrap: 'debootstrap',
  nsenter: 'util-linux',
  setpriv: 'util-linux',
  tar: 'tar',
  npm: 'npm',
};

/** What this machine lacks, in sentences that name the command to get it. */
export function lackingHere(): readonly string[] {
  return lackingMeans(undefined, undefined, { programs: PROGRAMS, why: 'a systemd of its own needs root: sudo npm run test:long -- systemd' });
}
