import type { Machine } from './machine.ts';
import { ROLES, type Role, unitOf } from './roles.ts';

/** A place, and what somebody may do there; how it ends: `ok`, or the name of the error. */
type Probe = readonly [what: 'read' | 'write' | 'list', where: string];

const KEY = (owner: 'kernel' | 'executor'): string => `/var/lib/writ/keys/${owner}.key.json`;
const PROBES = {
  'its data': ['write', '/var/lib/writ/probe'],
  'key of the kernel': ['read', KEY('kernel')],
  'key of the executors': ['read', KEY('executor')],
  'base directory': ['write', '/srv/files/probe'],
  settings: ['write', '/etc/writ/probe'],
  program: ['write', '/opt/writ/probe'],
  system: ['write', '/usr/probe'],
  'homes of people': ['list', '/home'],
  'memory of the machine': ['read', '/dev/mem'],
  'knobs of the system': ['write', '/proc/sys/kernel/hostname'],
} satisfies Record<string, Probe>;

type What = keyof typeof PROBES;

/** What each role must meet. A file that is closed to it is told by its error, never by what is read: an empty file is no refusal. */
const SHUT: Readonly<Record<What, string>> = {
  'its data': 'ok',
  'key of the kernel': 'EACCES',
  'key of the executors': 'EACCES',
  'base directory': 'EROFS',
  settings: 'EROFS',
  program: 'EROFS',
  system: 'EROFS',
  'homes of people': 'EACCES',
  'memory of the machine': 'ENOENT',
  'knobs of the system': 'EACCES',
};
const OPEN: Readonly<Record<Role, Partial<Record<What, string>>>> = {
  kernel: { 'key of the kernel': 'ok' },
  worker: { 'key of the executors': 'ok', 'base directory': 'ok' },
  api: {},
  'index-host': {},
};

/** Run in the mounts of a role, as its account. */
const LOOK = `const fs = require('node:fs');
const acts = { read: (at) => fs.closeSync(fs.openSync(at, 'r')), list: (at) => fs.readdirSync(at),
  write: (at) => { fs.closeSync(fs.openSync(at, 'a')); if (at.endsWith('probe')) fs.rmSync(at); } };
const seen = {};
for (const [what, [act, at]] of Object.entries(JSON.parse(process.argv[1]))) try { acts[act](at); seen[what] = 'ok'; } catch (error) { seen[what] = error.code; }
console.log(JSON.stringify(seen));`;

export interface Hardened {
  /** What differs from what the role may see, by role. */
  readonly differs: Readonly<Record<Role, readonly string[]>>;
  /** Lines of /proc/<pid>/status that are not as they must be. */
  readonly status: Readonly<Record<Role, readonly string[]>>;
}

const STATUS = { CapEff: /^0+$/, CapBnd: /^0+$/, NoNewPrivs: /^1$/, Seccomp: /^2$/ } satisfies Record<string, RegExp>;

/** What each role that runs sees of the machine, and which powers its process has. */
export async function lookHardened(machine: Machine): Promise<Hardened> {
  const differs: [Role, readonly string[]][] = [];
  const status: [Role, readonly string[]][] = [];
  for (const role of ROLES) {
    const { pid } = await unitOf(machine, role);
    const enter = ['--target', String(pid), '--mount', 'setpriv', '--reuid=writ', '--regid=writ', '--clear-groups'];
    const seen = JSON.parse(await machine.must('nsenter', ...enter, 'node', '-e', LOOK, JSON.stringify(PROBES))) as Record<string, string>;
    const must = { ...SHUT, ...OPEN[role] };
    differs.push([role, Object.keys(PROBES).flatMap((what) => (seen[what] === must[what as What] ? [] : [`${what}: ${seen[what]}`]))]);
    const lines = Object.fromEntries((await machine.must('cat', `/proc/${pid}/status`)).split('\n').map((line) => line.split(/:\s+/) as [string, string]));
    status.push([role, Object.entries(STATUS).flatMap(([name, fits]) => (fits.test(lines[name] ?? '') ? [] : [`${name}: ${lines[name]}`]))]);
  }
  return { differs: Object.fromEntries(differs) as Hardened['differs'], status: Object.fromEntries(status) as Hardened['status'] };
}
