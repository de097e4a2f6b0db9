import { type ChildProcess, fork } from 'node:child_process';
import { WritError } from '../../core/errors.ts';
import { processEntry } from '../../core/process-entry.ts';
import type { ContentProcessFacts, FromProcess, ToProcess } from './messages.ts';

export interface StartOptions {
  /** Module of the process, `.js` from dist or `.ts` from the sources (tests). */
  readonly entry: URL;
  readonly args: readonly string[];
}

/** A process of content searches that is ready. */
export interface RunningProcess {
  readonly pid: number;
  readonly facts: ContentProcessFacts;
  /** Resolves when the process has ended, whatever the reason. */
  readonly ended: Promise<void>;
  send(message: ToProcess): void;
  onOutcome(listener: (message: Extract<FromProcess, { type: 'outcome' }>) => void): void;
  kill(): void;
}

const START_MS = 30_000;

/**
 * Starts the process and waits until it is ready. It gets no environment of ours: a token in it is none of its business.
 *
 * @throws WritError INTERNAL when it ends or says nothing in time
 */
export async function startProcess({ entry, args }: StartOptions): Promise<RunningProcess> {
  const { file, execArgv } = processEntry(entry);
  const child = fork(file, [...args], { execArgv: [...execArgv], env: {}, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  try {
    const facts = await readiness(child, ended);
    return {
      pid: child.pid ?? 0,
      facts,
      ended,
      // An error here means that the process is ending, which `ended` tells.
      send: (message) => void child.send(message, () => undefined),
      onOutcome: (listener) => void child.on('message', (message: FromProcess) => (message.type === 'outcome' ? listener(message) : undefined)),
      kill: () => void child.kill('SIGKILL'),
    };
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
}

function readiness(child: ChildProcess, ended: Promise<void>): Promise<ContentProcessFacts> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new WritError('INTERNAL', `the process of content searches was not ready after ${START_MS} ms`)), START_MS);
    child.once('message', (message: FromProcess) => {
      clearTimeout(late);
      if (message.type === 'ready') resolve(message.facts);
      else reject(new WritError('INTERNAL', 'the process of content searches spoke before it was ready'));
    });
    void ended.then(() => {
      clearTimeout(late);
      reject(new WritError('INTERNAL', 'the process of content searches ended while it started'));
    });
  });
}
