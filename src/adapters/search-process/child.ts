import { type ChildProcess, fork } from 'node:child_process';
import { WritError } from '../../core/errors.ts';
import type { ScanAnswer, ScanRequest } from '../../core/ports/index.ts';
import { processEntry } from '../../core/process-entry.ts';
import type { FromChild } from './messages.ts';
import { residentBytes } from './resident.ts';

/** A search process that is loaded and waits. */
export interface ScanChild {
  readonly pid: number;
  /** Resident size when it was ready, bytes. */
  readonly idleBytes: number;
  /** Resolves when the process has ended, whatever the reason. */
  readonly ended: Promise<ChildEnd>;
  /** One at a time; never settles when the process ends before it answers. */
  run(request: ScanRequest): Promise<ScanAnswer>;
  kill(): void;
}

export interface ChildEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface ChildOptions {
  /** Module of the process, `.js` from dist or `.ts` from the sources (tests). */
  readonly entry: URL;
  readonly args: readonly string[];
  /** Variables of the process beside those that fix its time zone and language. */
  readonly env: Readonly<Record<string, string>>;
  readonly startMs: number;
}

/**
 * Starts a search process and waits until it is ready. It gets no environment but `env`: nothing in ours is its business.
 *
 * @throws WritError INTERNAL when it ends or says nothing within `startMs`
 */
export async function startChild({ entry, args, env, startMs }: ChildOptions): Promise<ScanChild> {
  const { file, execArgv } = processEntry(entry);
  const process = fork(file, [...args], {
    execArgv: [...execArgv],
    env: { ...env, TZ: 'UTC', LC_ALL: 'C' },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ended = new Promise<ChildEnd>((resolve) => {
    process.once('exit', (code, signal) => resolve({ code, signal }));
    process.once('error', () => resolve({ code: null, signal: null }));
  });
  try {
    await ready(process, ended, startMs);
  } catch (error) {
    process.kill('SIGKILL');
    throw error;
  }
  const pid = process.pid ?? 0;
  return {
    pid,
    idleBytes: residentBytes(pid) ?? 0,
    ended,
    run: (request) =>
      new Promise((resolve) => {
        process.once('message', (message: FromChild) => {
          if (message.type === 'answer') resolve(message.answer);
        });
        // An error here means that the process is ending, which `ended` tells.
        process.send(request, () => undefined);
      }),
    kill: () => void process.kill('SIGKILL'),
  };
}

function ready(process: ChildProcess, ended: Promise<ChildEnd>, startMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new WritError('INTERNAL', `a search process was not ready after ${startMs} ms`)), startMs);
    const settle = (act: () => void) => (): void => {
      clearTimeout(late);
      act();
    };
    process.once('message', settle(resolve));
    void ended.then(settle(() => reject(new WritError('INTERNAL', 'a search process ended while it started'))));
  });
}
