import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { scriptArgs } from '../compiled/script.ts';

/** Moments of a program's work, some in the midst of a step, and some of a later one: how much it has told of, and milliseconds after that. */
export const MOMENTS = [
  [1, 5],
  [2, 25],
  [4, 30],
  [8, 60],
] as const;

/**
 * Runs a program of this folder until it has told of so many lines, and then into what comes next.
 *
 * @param afterMs about as long as what it does then takes
 */
export async function killedAfter(program: string, data: object, lines: number, afterMs: number): Promise<void> {
  const child = spawn(process.execPath, scriptArgs(new URL(program, import.meta.url), [JSON.stringify(data)]), { stdio: ['ignore', 'pipe', 'inherit'] });
  let told = 0;
  for await (const _line of createInterface(child.stdout)) {
    told += 1;
    if (told === lines) break;
  }
  await setTimeout(afterMs);
  child.kill('SIGKILL');
  await once(child, 'exit');
}
