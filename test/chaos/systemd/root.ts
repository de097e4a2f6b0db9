import { copyFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { packTarball } from '../package/install.ts';
import { type Ran, ran } from '../package/ran.ts';

const SUITE = 'bookworm';
const MIRROR = 'http://deb.debian.org/debian';
const PACKAGES = ['systemd', 'systemd-sysv', 'dbus', 'redis-server', 'procps'];

export const SETTINGS = `[redis]
url = "redis://127.0.0.1:6379"
[file.base_directories]
main = "/srv/files"
[tools.search]
enabled = true
index_mode = "on"
index_roots = ["/srv/files"]
index_path = "/var/lib/writ/content-index"
[tools.sandbox]
allowed_roots = ["/srv/files"]
`;

/** What a run may be given, so that nothing is fetched or compiled. */
export interface Prepared {
  /** A root file system of debootstrap with these packages; it is copied. */
  readonly root?: string | undefined;
  /** What `npm pack` gave. */
  readonly tarball?: string | undefined;
  /** A node_modules of this lock file; it is linked. */
  readonly modules?: string | undefined;
}

/**
 * A Debian with systemd and a Redis, the packed package in /opt/writ and the units, laid out as docs/services.md says; accounts and
 * owners are made inside, once it runs.
 */
export async function layOutRoot(home: string, { root: prepared, modules, tarball }: Prepared): Promise<string> {
  const root = path.join(home, 'root');
  if (prepared === undefined) orThrow(await ran('debootstrap', ['--variant=minbase', `--include=${PACKAGES.join(',')}`, SUITE, root, MIRROR], home));
  // With owners: Redis has an account of its own.
  else orThrow(await ran('cp', ['-a', prepared, root], home));
  // The program that runs this suite: what was built fits it.
  copyFileSync(process.execPath, path.join(root, 'usr/bin/node'));
  const opt = path.join(root, 'opt/writ');
  mkdirSync(opt, { recursive: true });
  const file = tarball ?? (await packTarball(home)).file;
  orThrow(await ran('tar', ['-xzf', file, '-C', opt, '--strip-components', '1'], home));
  if (modules !== undefined) orThrow(await ran('cp', ['-al', modules, path.join(opt, 'node_modules')], home));
  else orThrow(await ran('npm', ['ci', '--omit=dev', '--prefer-offline', '--no-audit', '--no-fund'], opt));
  const units = path.join(opt, 'deploy/systemd');
  for (const unit of readdirSync(units)) copyFileSync(path.join(units, unit), path.join(root, 'etc/systemd/system', unit));
  for (const made of ['etc/writ', 'srv/files', 'home/somebody']) mkdirSync(path.join(root, made), { recursive: true });
  writeFileSync(path.join(root, 'etc/writ/writ.toml'), SETTINGS, { mode: 0o600 });
  if (!existsSync(path.join(root, 'usr/bin/systemctl'))) throw new Error(`${prepared ?? root} has no systemd`);
  return root;
}

function orThrow(done: Ran): Ran {
  if (done.code !== 0) throw new Error(`ended with ${done.code}: ${done.out.slice(-2000)}${done.err.slice(-2000)}`);
  return done;
}
