import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '../../../config/package.ts';

/** A child with a channel, which says when it is ready. */
export interface Running {
  readonly child: ChildProcess;
  readonly pid: number;
  /** SIGTERM; SIGKILL when that is not heard. */
  stop(): Promise<void>;
}

const PATIENCE_MS = 20_000;

/** A role of the built `writ`, as the image runs it; resolves when it is ready. */
export function startRole(args: readonly string[], limits: { readonly descriptors?: number } = {}): Promise<Running> {
  return startReady([`${packageRoot()}/dist/src/bin/writ.js`, ...args], limits);
}

/** A TypeScript module of the tests, started with the setup as JSON; it sends `ready` first. */
export function startModule(module: URL, setup: object, limits: { readonly descriptors?: number } = {}): Promise<Running> {
  return startReady(['--import', import.meta.resolve('tsx'), fileURLToPath(module), JSON.stringify(setup)], limits);
}

/** `descriptors`: file descriptors that the process may open. A limit that is high enough is left alone. */
async function startReady(args: readonly string[], { descriptors = 0 }: { readonly descriptors?: number }): Promise<Running> {
  const raise = descriptors <= hardLimit() ? [] : ['prlimit', `--nofile=${descriptors}:${descriptors}`];
  const [file = '', ...words] = [...raise, process.execPath, ...args];
  const child = spawn(file, words, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const exit = once(child, 'exit');
  const first = await Promise.race([once(child, 'message'), exit.then(([code, by]: unknown[]) => [`ended with ${String(code ?? by)}`])]);
  const ready = first[0] === 'ready' || (typeof first[0] === 'object' && first[0].type === 'ready');
  if (!ready) {
    const hint = raise.length === 0 ? '' : `; ${descriptors} file descriptors are needed, run: sudo prlimit --nofile=${descriptors}:${descriptors} --pid $$`;
    throw new Error(`${words.join(' ')}: ${JSON.stringify(first[0])}${hint}`);
  }
  return {
    child,
    pid: child.pid ?? 0,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      const hard = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
      await exit;
      clearTimeout(hard);
    },
  };
}

/** File descriptors that a child may open without more rights; Node raises its own soft limit to this. */
function hardLimit(): number {
  const [, hard = '0'] = /^Max open files\s+\S+\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  return hard === 'unlimited' ? Number.POSITIVE_INFINITY : Number(hard);
}

/** Resident size, MiB with one decimal; 0 for a process that has gone. */
export function residentMib(pid: number): number {
  try {
    const [, kib = '0'] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Math.round(Number(kib) / 102.4) / 10;
  } catch {
    return 0;
  }
}

/** Seconds that the main thread of a process ran, and seconds that it could have run but other processes had the processors. */
export function schedulingOf(pid: number): { readonly ranS: number; readonly waitedS: number } {
  const [ran = 0, waited = 0] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ').map(Number);
  return { ranS: Math.round(ran / 1e8) / 10, waitedS: Math.round(waited / 1e8) / 10 };
}
