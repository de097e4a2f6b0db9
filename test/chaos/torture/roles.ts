import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { packageRoot } from '../../../config/package.ts';
import type { OtherClock } from '../../support/other-clock.ts';
import { patient } from '../../support/patience.ts';
import { signal } from '../processes.ts';

/** Who plays: each a process of its own, with the words of its command. */
export const CAST = {
  kernel: ['kernel'],
  api: ['api'],
  'worker-1': ['worker'],
  'worker-2': ['worker'],
  'index-host': ['index-host'],
  tools: ['worker', '--queues', 'tool-torture-http'],
} as const satisfies Record<string, readonly string[]>;

export type RoleName = keyof typeof CAST;
export const ROLE_NAMES = Object.keys(CAST) as readonly RoleName[];

/** The roles of an installation, started again whenever one ends, as `writ up` does. */
export interface Roles {
  /** Resolves when all are ready. */
  start(): Promise<void>;
  /** kill -9 of one that is ready; resolves when another is ready in its place. */
  kill(name: RoleName, meanwhile?: () => void): Promise<void>;
  /** kill -9 at once of those that run, whatever they are doing. */
  strike(names: readonly RoleName[]): void;
  /** SIGSTOP, what is done meanwhile, and SIGCONT after so many milliseconds. */
  freeze(name: RoleName, ms: number, meanwhile?: () => void): Promise<void>;
  readonly kills: Readonly<Record<RoleName, number>>;
  /** Ends by themselves, such as a start without Redis. */
  readonly ownEnds: number;
  /** SIGTERM to all; those that did not end with 0. */
  stop(): Promise<readonly string[]>;
  /** SIGKILL to what is left. */
  destroy(): Promise<void>;
}

interface Member {
  readonly child: ChildProcess;
  readonly ended: Promise<number | NodeJS.Signals | null>;
  isReady: boolean;
}

const AGAIN_MS = 250;
const LOOK_MS = 20;
const READY_MS = patient(60_000);
const PROGRAM = path.join(packageRoot(), 'dist/src/bin/writ.js');

/** @param logs directory for what the roles say, a file each; @param clock the kernel's */
export function createRoles(settings: readonly string[], logs: string, clock: OtherClock): Roles {
  const members = new Map<RoleName, Member>();
  const kills = Object.fromEntries(ROLE_NAMES.map((name) => [name, 0])) as Record<RoleName, number>;
  let stopping = false;
  let ownEnds = 0;

  function launch(name: RoleName): void {
    const log = openSync(path.join(logs, `${name}.log`), 'a');
    // Whoever kills the run takes them along: without the channel nobody would end them.
    const words = ['--pdeathsig', 'KILL', ...(name === 'kernel' ? clock.launcher : []), process.execPath, PROGRAM, ...settings, ...CAST[name]];
    const child = spawn('setpriv', words, { stdio: ['ignore', log, log, 'ipc'] });
    closeSync(log);
    const ended = new Promise<number | NodeJS.Signals | null>((settle) => child.once('exit', (code, by) => settle(by ?? code)));
    const member: Member = { child, ended, isReady: false };
    members.set(name, member);
    child.on('error', () => undefined);
    child.on('message', ({ type }: { type?: string }) => {
      if (type === 'ready') member.isReady = true;
    });
    void ended.then((how) => {
      clock.forget(child.pid ?? 0);
      if (members.get(name) !== member || stopping) return;
      members.delete(name);
      if (how !== 'SIGKILL') ownEnds += 1;
      setTimeout(() => stopping || launch(name), how === 'SIGKILL' ? 0 : AGAIN_MS);
    });
  }

  async function ready(name: RoleName): Promise<Member> {
    const end = performance.now() + READY_MS;
    for (;;) {
      const member = members.get(name);
      if (member?.isReady) return member;
      if (performance.now() > end) throw new Error(`the role ${name} does not become ready; ${path.join(logs, `${name}.log`)} may tell why`);
      await delay(LOOK_MS);
    }
  }

  return {
    async start() {
      for (const name of ROLE_NAMES) launch(name);
      await Promise.all(ROLE_NAMES.map(ready));
    },
    async kill(name, meanwhile) {
      const { child, ended } = await ready(name);
      if (signal(child.pid ?? 0, 'SIGKILL')) kills[name] += 1;
      await ended;
      meanwhile?.();
      await ready(name);
    },
    strike(names) {
      for (const name of names) {
        const pid = members.get(name)?.child.pid;
        if (pid !== undefined && signal(pid, 'SIGKILL')) kills[name] += 1;
      }
    },
    async freeze(name, ms, meanwhile) {
      const { child } = await ready(name);
      signal(child.pid ?? 0, 'SIGSTOP');
      meanwhile?.();
      await delay(ms);
      signal(child.pid ?? 0, 'SIGCONT');
    },
    kills,
    get ownEnds() {
      return ownEnds;
    },
    async stop() {
      await Promise.all(ROLE_NAMES.map(ready));
      stopping = true;
      const undrained: string[] = [];
      // The kernel last, as `writ up` has it: the others need it to drain.
      for (const name of [...ROLE_NAMES].reverse()) {
        const member = members.get(name);
        if (member === undefined) continue;
        signal(member.child.pid ?? 0, 'SIGTERM');
        const how = await Promise.race([member.ended, delay(READY_MS, 'nothing', { ref: false })]);
        if (how !== 0) undrained.push(`${name} ended with ${how}`);
      }
      return undrained;
    },
    async destroy() {
      stopping = true;
      const all = [...members.values()].filter(({ child }) => child.exitCode === null && child.signalCode === null);
      for (const { child } of all) signal(child.pid ?? 0, 'SIGKILL');
      await Promise.all(all.map(({ ended }) => ended));
    },
  };
}
