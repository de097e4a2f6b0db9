import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, lstatSync, mkdirSync, readFileSync, readlinkSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../../../config/package.ts';
import { type Compose, type Image, imageOf, type Service } from './compose-file.ts';

/** A container of a service without Docker: a root directory of its own, its user, no capabilities. The network is shared. */
export interface Container {
  /** A long-lived process; `command` in place of the service's own. */
  start(command?: readonly string[]): ChildProcess;
  /** Inside, beside the entry point, as a health check is. */
  exec(command: readonly string[]): ChildProcess;
}

export interface Ground {
  readonly compose: Compose;
  /** Where docker-compose.yml lies and its relative paths begin. */
  readonly project: string;
  /** Roots and volumes. */
  readonly home: string;
}

const PATH = '/node:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
/** Whether processes can be the users that the services name. Without root there is one user, who owns everything. */
export const AS_ROOT = process.getuid?.() === 0 && hostIds();

/** Mounts what the service mounts. Must run in mount and network namespaces of its own. */
export function createContainer(name: string, ground: Ground, serial: number): Container {
  const { compose, home } = ground;
  const service = compose.services[name];
  const image = service && imageOf(service);
  if (!service || !image) throw new Error(`${name} cannot run here`);
  const root = path.join(home, 'roots', `${name}-${serial}`);
  layOut(root, service, image, ground);
  const env = { PATH, ...image.env, ...service.environment };

  const inside = (words: readonly string[]): ChildProcess => {
    // Mounts of its own, as each container has them: an index host and its searches do not share theirs.
    const namespaces = ['--mount', ...(service.network_mode === 'none' ? ['--net'] : [])];
    const [uid, gid] = service.user.split(':');
    const identity = AS_ROOT ? [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'] : [];
    const rights = ['--no-new-privs', '--bounding-set=-all', '--inh-caps=-all', '--pdeathsig=KILL', '--'];
    const args = [...namespaces, `--root=${root}`, `--wd=${image.workdir}`, 'setpriv', ...identity, ...rights, ...words];
    return spawn('unshare', args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  };
  return {
    start: (command = service.command ?? []) => inside([...image.entrypoint, ...command]),
    exec: inside,
  };
}

/** Programs of this host read-only, then the files of the image, volumes and secrets; last the root read-only. */
function layOut(root: string, service: Service, image: Image, { compose, project, home }: Ground): void {
  mkdirSync(root, { recursive: true });
  bind(root, root);
  for (const name of ['usr', 'bin', 'sbin', 'lib', 'lib64']) host(root, name);
  for (const name of ['proc', 'dev']) bind(`/${name}`, path.join(root, name), '--rbind');
  for (const name of ['etc', 'tmp', 'run/secrets', image.workdir]) mkdirSync(path.join(root, name), { recursive: true });
  bind(path.dirname(process.execPath), path.join(root, 'node'));
  if (existsSync('/etc/ld.so.cache')) bind('/etc/ld.so.cache', path.join(root, 'etc/ld.so.cache'));
  writeFileSync(path.join(root, 'etc/hosts'), `127.0.0.1 localhost ${Object.keys(compose.services).join(' ')}\n`);
  writeFileSync(path.join(root, 'etc/nsswitch.conf'), 'hosts: files\n');

  for (const [from, to] of Object.entries(image.files)) bind(path.join(packageRoot(), from), path.join(root, to), '--bind', 'ro');
  for (const secret of service.secrets ?? []) bind(path.join(project, compose.secrets[secret]?.file ?? ''), path.join(root, 'run/secrets', secret));
  for (const volume of service.volumes ?? []) {
    const [source = '', target = '', mode] = volume.split(':');
    bind(/^[./]/.test(source) ? path.resolve(project, source) : namedVolume(home, source, service), path.join(root, target), '--bind', mode);
  }
  // Some lie inside a volume.
  for (const target of service.tmpfs ?? []) tmpfs(path.join(root, target));
  if (service.read_only === true) execFileSync('mount', ['-o', 'remount,bind,ro', root]);
}

/** Where there is no such directory yet, it is made on whatever lies there, as an engine does. */
function tmpfs(target: string): void {
  mkdirSync(target, { recursive: true });
  execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', target]);
}

/** A new volume takes its owner from the image. */
function namedVolume(home: string, name: string, { user }: Service): string {
  const directory = path.join(home, 'volumes', name);
  if (!existsSync(directory)) {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const [uid, gid] = user.split(':').map(Number);
    if (AS_ROOT) chownSync(directory, uid ?? 0, gid ?? 0);
  }
  return directory;
}

function host(root: string, name: string): void {
  const source = `/${name}`;
  if (!existsSync(source)) return;
  if (lstatSync(source).isSymbolicLink()) symlinkSync(readlinkSync(source), path.join(root, name));
  else bind(source, path.join(root, name), '--bind', 'ro');
}

function bind(source: string, target: string, how = '--bind', mode = ''): void {
  if (!existsSync(target)) {
    if (statSync(source).isDirectory()) mkdirSync(target, { recursive: true });
    else {
      mkdirSync(path.dirname(target), { recursive: true });
      writeFileSync(target, '');
    }
  }
  execFileSync('mount', [how, source, target]);
  if (mode === 'ro') execFileSync('mount', ['-o', 'remount,bind,ro', target]);
}

/** Whether ids of the host can be taken: not in a user namespace that knows only one. */
function hostIds(): boolean {
  return readFileSync('/proc/self/uid_map', 'utf8').trim().split(/\s+/)[2] !== '1';
}
