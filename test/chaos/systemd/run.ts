import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { evidencePath, minutesSince, revision, writeEvidence } from '../../../scripts/evidence.ts';
import { lookHardened } from './hardening.ts';
import { bootMachine, type Machine } from './machine.ts';
import { lackingHere } from './means.ts';
import { reloadEach } from './reloads.ts';
import { isBack, isReady, isServed, ROLES, type Role, unitOf } from './roles.ts';
import { layOutRoot } from './root.ts';

/**
 * `npm run test:long -- systemd [--root <directory of debootstrap>] [--tarball <file>] [--modules <node_modules>]`: the packed package and the units of deploy/systemd under a real
 * systemd in a container, installed by the steps of docs/services.md: each role killed, one that stands still, reloads, what each
 * role may see, and the stop.
 */
const { values } = parseArgs({
  options: {
    root: { type: 'string' },
    modules: { type: 'string' },
    tarball: { type: 'string' },
    evidence: { type: 'string', default: evidencePath('systemd') },
  },
});
const lacking = lackingHere();
if (lacking.length > 0) {
  process.stderr.write(`${lacking.join('\n')}\n`);
  process.exit(2);
}
const startedAt = new Date();
const commit = revision();
const home = mkdtempSync(path.join(tmpdir(), 'writ-systemd-'));
const seconds: Record<string, number> = {};

async function part<T>(name: string, run: () => Promise<T>): Promise<T> {
  const begun = performance.now();
  const found = await run();
  seconds[name] = Math.round((performance.now() - begun) / 1000);
  process.stderr.write(`${name}: ${seconds[name]} s ${JSON.stringify(found) ?? ''}\n`);
  return found;
}

async function install(machine: Machine): Promise<string> {
  await machine.must('useradd', '--system', '--home-dir', '/nonexistent', '--shell', '/usr/sbin/nologin', 'writ');
  await machine.must('chown', '-R', 'writ:', '/etc/writ', '/srv/files');
  await machine.must('systemctl', 'start', 'redis-server');
  await machine.must('systemctl', 'daemon-reload');
  const complaints = await machine.inside('systemd-analyze', 'verify', ...ROLES.map((role) => `/etc/systemd/system/writ-${role}.service`));
  await machine.must('systemctl', 'enable', '--now', ...ROLES.map((role) => `writ-${role}`));
  return complaints.err
    .split('\n')
    .filter((line) => line.includes('writ-'))
    .join('\n');
}

async function killEach(machine: Machine): Promise<Readonly<Record<Role, boolean>>> {
  const back: [Role, boolean][] = [];
  for (const role of ROLES) {
    const before = await unitOf(machine, role);
    await machine.must('systemctl', 'kill', '--signal=KILL', '--kill-who=main', `writ-${role}`);
    back.push([role, await isBack(machine, role, before)]);
  }
  return Object.fromEntries(back) as Record<Role, boolean>;
}

/** A role whose event loop stands still is killed by the watchdog and started again. */
async function standStill(machine: Machine, role: Role): Promise<boolean> {
  const before = await unitOf(machine, role);
  await machine.must('systemctl', 'kill', '--signal=STOP', '--kill-who=main', `writ-${role}`);
  const back = await isBack(machine, role, before);
  return back && (await machine.must('journalctl', '--unit', `writ-${role}`, '--output', 'cat')).includes('Watchdog timeout');
}

async function stopAll(machine: Machine) {
  await machine.must('systemctl', 'stop', ...ROLES.map((role) => `writ-${role}`));
  const ends = await Promise.all(ROLES.map(async (role) => [role, await unitOf(machine, role)] as const));
  return Object.fromEntries(ends.map(([role, { state, result, status }]) => [role, state === 'inactive' && result === 'success' && status === 0]));
}

try {
  const root = await part('root', () => layOutRoot(home, values));
  await using machine = await bootMachine(root, path.basename(home), path.join(home, 'console'));
  const version = (await machine.must('systemctl', '--version')).split('\n')[0] ?? '';
  const complaints = await part('install', () => install(machine));
  // `systemctl enable --now` comes back when they serve: nothing is waited for here.
  const ready = await part('ready', () => isReady(machine));
  const served = await part('served', () => isServed(machine));
  const hardened = await part('hardened', () => lookHardened(machine));
  const reloaded = await part('reloaded', () => reloadEach(machine));
  const killed = await part('killed', () => killEach(machine));
  const stoodStill = await part('stoodStill', () => standStill(machine, 'kernel'));
  const stopped = await part('stopped', () => stopAll(machine));
  const all = (found: Readonly<Record<string, boolean>>): boolean => Object.values(found).every(Boolean);
  const checks = {
    units: complaints === '',
    ready: ready && served,
    hardened: Object.values(hardened).every((found) => Object.values<readonly string[]>(found).every((differences) => differences.length === 0)),
    reloaded: all(reloaded),
    killed: all(killed),
    stoodStill,
    stopped: all(stopped),
  };
  const passed = all(checks);
  const report = {
    suite: 'systemd',
    passed,
    systemd: version,
    packages: values.modules === undefined ? 'npm ci' : 'given',
    checks,
    complaints,
    hardened,
    reloaded,
    killed,
    stopped,
    seconds,
  };
  writeEvidence(values.evidence, { ...report, startedAt: startedAt.toISOString(), minutes: minutesSince(startedAt.getTime()), commit });
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n${values.evidence}\n`);
  process.exitCode = passed ? 0 : 1;
} finally {
  // The last processes of the container may still write.
  rmSync(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 500 });
}
