import { accessSync, constants } from 'node:fs';
import path from 'node:path';

/** What the suite runs, and the package of Debian that brings it. */
const PROGRAMS: Readonly<Record<string, string>> = {
  dockerd: 'docker.io',
  docker: 'docker.io',
  // For `init: true` and for published ports.
  'docker-init': 'docker.io',
  'docker-proxy': 'docker.io',
  'docker-compose': 'docker-compose',
  debootstrap: 'debootstrap',
  tar: 'tar',
  npm: 'npm',
  git: 'git',
  setpriv: 'util-linux',
  umount: 'util-linux',
  bash: 'bash',
  curl: 'curl',
  openssl: 'openssl',
};

/** The programs of a suite with their packages of Debian, and why it needs root. */
export interface Means {
  readonly programs: Readonly<Record<string, string>>;
  readonly why: string;
}

/** What this machine lacks, in sentences that name the command to get it; empty: the suite can run. */
export function lackingMeans(
  has: (program: string) => boolean = isInstalled,
  uid = process.getuid?.(),
  { programs, why }: Means = { programs: PROGRAMS, why: 'a container engine of its own needs root: sudo npm run test:long -- containers' },
): readonly string[] {
  const missing = Object.keys(programs).filter((program) => !has(program));
  const packages = [...new Set(missing.map((program) => programs[program]))];
  return [
    ...(uid === 0 ? [] : [why]),
    ...(missing.length === 0 ? [] : [`missing: ${missing.join(', ')}; apt-get install -y --no-install-recommends ${packages.join(' ')}`]),
  ];
}

/** The directories of PATH, and those of the system's own programs, which PATH often lacks. */
function isInstalled(program: string): boolean {
  return [...(process.env['PATH'] ?? '').split(path.delimiter), '/usr/sbin', '/sbin'].some((directory) => {
    try {
      accessSync(path.join(directory, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
