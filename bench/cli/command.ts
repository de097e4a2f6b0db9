import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';

/** One run of a program, from its start to its end. */
export interface Ran {
  readonly ms: number;
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs a program with this Node. */
export async function runNode(args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = process.env): Promise<Ran> {
  const start = performance.now();
  const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close') as Promise<[number | null]>]);
  return { ms: performance.now() - start, code, out, err };
}

/** proc_pid_stat(5) counts in hundredths of a second. */
const TICK_MS = 10;
const CHILDREN_USER = 15;

/** User time of all children of this process that have ended, milliseconds. */
export function childrenUserMs(): number {
  const fields = readFileSync('/proc/self/stat', 'latin1')
    .replace(/^.*\) /, '- - ')
    .split(' ');
  return Number(fields[CHILDREN_USER]) * TICK_MS;
}
