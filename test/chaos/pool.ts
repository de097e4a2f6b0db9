import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../support/random.ts';
import type { Counts } from './counts.ts';
import { signal } from './processes.ts';

/** Worker processes that are started again whenever one ends. */
export interface Pool {
  start(): Promise<void>;
  /** A living, ready worker. */
  any(): Promise<number>;
  /** All that run now, ready or not. */
  pids(): readonly number[];
  /** Resolves with the exit code, or the signal, when the process has ended. */
  ended(pid: number): Promise<number | NodeJS.Signals | null>;
  /** No new ones; the living are killed. */
  stop(): Promise<void>;
}

export interface PoolOptions {
  readonly worker: string;
  readonly setupFile: string;
  readonly logFile: string;
  readonly size: number;
  readonly counts: Counts;
  readonly random: Random;
}

interface Member {
  readonly child: ChildProcess;
  readonly ready: Promise<void>;
  readonly ended: Promise<number | NodeJS.Signals | null>;
  isReady: boolean;
}

/** A worker that refuses to start (Redis is away) is tried again after this time. */
const AGAIN_MS = 100;

export function createPool({ worker, setupFile, logFile, size, counts, random }: PoolOptions): Pool {
  const log = openSync(logFile, 'a');
  const members = new Map<number, Member>();
  const gone = new Map<number, number | NodeJS.Signals | null>();
  let stopping = false;

  function launch(): Member {
    const child = spawn(process.execPath, [worker, setupFile], { stdio: ['ignore', log, log, 'ipc'] });
    const pid = child.pid ?? 0;
    const ready = new Promise<void>((settle) => {
      child.on('message', (message: { type?: string }) => {
        if (message.type === 'ready') {
          member.isReady = true;
          settle();
        }
      });
    });
    const ended = new Promise<number | NodeJS.Signals | null>((settle) => {
      child.once('exit', (code, by) => {
        members.delete(pid);
        gone.set(pid, by ?? code);
        settle(by ?? code);
        if (!stopping) {
          counts.event('restarts');
          if (member.isReady) launch();
          else setTimeout(() => stopping || launch(), AGAIN_MS);
        }
      });
    });
    // A killed child's channel may still report an error.
    child.on('error', () => undefined);
    const member: Member = { child, ready, ended, isReady: false };
    members.set(pid, member);
    return member;
  }

  return {
    async start() {
      const first = launch();
      await first.ready;
      // The first one writes the code cache for all that follow.
      first.child.send('cache');
      const rest = Array.from({ length: size - 1 }, launch);
      await Promise.all(rest.map(({ ready }) => ready));
    },
    async any() {
      for (;;) {
        const ready = [...members].filter(([, { isReady }]) => isReady);
        if (ready.length > 0) return random.pick(ready)[0];
        await Promise.race([delay(AGAIN_MS), ...[...members.values()].map(({ ready: soon }) => soon)]);
      }
    },
    pids: () => [...members.keys()],
    async ended(pid) {
      return members.get(pid)?.ended ?? gone.get(pid) ?? null;
    },
    async stop() {
      stopping = true;
      const last = [...members.entries()];
      for (const [pid] of last) signal(pid, 'SIGKILL');
      await Promise.all(last.map(([, { ended }]) => ended));
      closeSync(log);
    },
  };
}
