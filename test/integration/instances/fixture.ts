import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setImmediate as turn } from 'node:timers/promises';
import type { ProcessIdentity } from '../../../src/core/ports/journal.ts';
import { scriptArgs } from '../../support/compiled/script.ts';
import { asNobody } from '../../support/nobody.ts';

export interface Holder {
  readonly identity: ProcessIdentity;
  readonly child: ChildProcessWithoutNullStreams;
  /** Resolves with the signal that ended it, null for a normal exit. */
  readonly ended: Promise<NodeJS.Signals | null>;
}

interface Started {
  readonly child: ChildProcessWithoutNullStreams;
  readonly line: string;
}

/** Starts a process of this folder and reads the first line that it says. */
function run(name: string, args: readonly string[]): Promise<Started> {
  return firstLine(name, spawn(process.execPath, wordsOf(name, args)));
}

/** The same as `nobody`, for which this process must be root's. */
export function runAsNobody(name: string, args: readonly string[]): Promise<Started> {
  const command = asNobody(wordsOf(name, args));
  return firstLine(name, spawn(command.program, command.args));
}

const wordsOf = (name: string, args: readonly string[]): string[] => scriptArgs(new URL(name, import.meta.url), args);

async function firstLine(name: string, child: ChildProcessWithoutNullStreams): Promise<Started> {
  let complaints = '';
  child.stderr.on('data', (chunk: Buffer) => {
    complaints += chunk.toString();
  });
  for await (const line of createInterface({ input: child.stdout })) return { child, line };
  throw new Error(`${name} said nothing: ${complaints}`);
}

/** Starts a process that holds its instance lock in `directory`. */
export async function startHolder(directory: string): Promise<Holder> {
  const { child, line } = await run('./holder.ts', [directory]);
  const identity = JSON.parse(line) as ProcessIdentity;
  const ended = once(child, 'exit').then(([, signal]: unknown[]) => (signal === null ? null : (signal as NodeJS.Signals)));
  return { identity, child, ended };
}

/** Waits until the kernel shows the process in a state (`T` stopped, `Z` zombie). */
export async function untilState(pid: number, state: string): Promise<void> {
  while (!new RegExp(`\\) ${state} `).test(readFileSync(`/proc/${pid}/stat`, 'latin1'))) await turn();
}
