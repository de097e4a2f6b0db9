import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { patient } from '../../support/patience.ts';
import { type Ran, ran } from '../package/ran.ts';

/** A container whose first process is systemd. Its network is its own: nothing but itself. */
export interface Machine extends AsyncDisposable {
  /** Runs a program inside, in all of its namespaces. */
  inside(command: string, ...args: readonly string[]): Promise<Ran>;
  /** The same; throws where it does not end with 0. @returns what it prints */
  must(command: string, ...args: readonly string[]): Promise<string>;
}

const BOOT_MS = patient(60_000);
const LOOK_MS = 250;

/** Boots a root file system with systemd-nspawn; its console goes into a file. */
export async function bootMachine(root: string, name: string, console: string): Promise<Machine> {
  const fd = openSync(console, 'a');
  const words = ['--quiet', '--boot', '--register=no', '--keep-unit', '--private-network', '--link-journal=no', `--machine=${name}`, `--directory=${root}`];
  const nspawn = spawn('setpriv', ['--pdeathsig', 'KILL', 'systemd-nspawn', ...words], { stdio: ['ignore', fd, fd] });
  closeSync(fd);
  const gone = new Promise<void>((settle) => nspawn.once('exit', () => settle()));
  const end = performance.now() + BOOT_MS;
  for (;;) {
    const init = childOf(nspawn);
    const machine = init === undefined ? undefined : machineOf(init, nspawn, gone);
    const state = machine && (await machine.inside('systemctl', 'is-system-running')).out.trim();
    if (machine && (state === 'running' || state === 'degraded')) return machine;
    if (performance.now() > end || nspawn.exitCode !== null) {
      nspawn.kill('SIGKILL');
      throw new Error(`the container does not boot (${state ?? 'no first process'}); ${console} may tell why`);
    }
    await delay(LOOK_MS);
  }
}

function machineOf(init: number, nspawn: ChildProcess, gone: Promise<void>): Machine {
  // Without the variables of this machine: `PATH` is Debian's.
  const env = ['env', '-i', 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', 'HOME=/root', 'LANG=C.UTF-8'];
  const inside: Machine['inside'] = (command, ...args) =>
    ran('nsenter', ['--target', String(init), '--mount', '--uts', '--ipc', '--net', '--pid', '--root', '--wd', ...env, command, ...args], '/');
  return {
    inside,
    async must(command, ...args) {
      const { code, out, err } = await inside(command, ...args);
      if (code !== 0) throw new Error(`${command} ${args.join(' ')} ends with ${code}: ${out.slice(-2000)}${err.slice(-2000)}`);
      return out.trim();
    },
    async [Symbol.asyncDispose]() {
      nspawn.kill('SIGKILL');
      await gone;
    },
  };
}

/** The container's first process, seen from here. */
function childOf({ pid }: ChildProcess): number | undefined {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
    const [init] = children.map(Number).filter((child) => readFileSync(`/proc/${child}/comm`, 'utf8').trim() === 'systemd');
    return init;
  } catch {
    return undefined;
  }
}
