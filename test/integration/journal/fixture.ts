import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { scriptArgs } from '../../support/compiled/script.ts';

/** A fresh directory for one test, and the way to remove it. */
export function temporaryDirectory(): { path: string; remove: () => void } {
  const directory = mkdtempSync(path.join(tmpdir(), 'writ-journal-'));
  return { path: directory, remove: () => rmSync(directory, { recursive: true, force: true }) };
}

export interface Child {
  readonly process: ChildProcessWithoutNullStreams;
  /** Everything that it said, when it has ended; throws what it complained about when it failed by itself. */
  readonly output: Promise<string>;
}

/** Starts a script of this folder, behind `wrapper` when one is given (`unshare -Urm`). */
export function startChild(script: string, args: readonly string[], options: { wrapper?: readonly string[]; onOutput?: (sofar: string) => void } = {}): Child {
  const own = [process.execPath, ...scriptArgs(new URL(script, import.meta.url), args)];
  const [command = '', ...rest] = [...(options.wrapper ?? []), ...own];
  const child = spawn(command, rest);
  let said = '';
  let complaints = '';
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString();
    options.onOutput?.(said);
  });
  child.stderr.on('data', (chunk: Buffer) => {
    complaints += chunk.toString();
  });
  const output = once(child, 'close').then(([code, signal]: unknown[]) => {
    if (code !== 0 && signal === null) throw new Error(`${[command, ...rest].join(' ')} failed with ${String(code)}: ${complaints}`);
    return said;
  });
  return { process: child, output };
}
