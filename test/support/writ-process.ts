import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { scriptArgs } from './compiled/script.ts';
import { PATIENCE_MS } from './patience.ts';

const WRIT = new URL('../../src/bin/writ.ts', import.meta.url);

/** The words after `node` that run the program. */
export const writArgs = (args: readonly string[]): string[] => scriptArgs(WRIT, args);

/** PATH with a directory before it, made here, in which `writ` is the program. */
export function pathWithWrit(bin: string): string {
  const words = [process.execPath, ...writArgs([])].map((word) => `'${word}'`).join(' ');
  mkdirSync(bin, { recursive: true });
  writeFileSync(path.join(bin, 'writ'), `#!/bin/sh\nexec ${words} "$@"\n`, { mode: 0o755 });
  return `${bin}:${process.env['PATH']}`;
}

/** The program as a process of its own. */
export interface WritProcess {
  readonly child: ChildProcess;
  /** What it wrote so far, standard output and standard error together. */
  said(): string;
  /** Resolves when it has written this; rejects with what it wrote when it ends before, or never does. */
  says(what: string | RegExp): Promise<string>;
  /** Its exit code, or the signal that killed it. */
  readonly ended: Promise<number | NodeJS.Signals>;
}

/** Starts it. The caller ends it. */
export function startWrit(args: readonly string[], options: SpawnOptions = {}): WritProcess {
  return startCommand(process.execPath, writArgs(args), options);
}

/** Starts any program in this way. */
export function startCommand(program: string, words: readonly string[], options: SpawnOptions = {}): WritProcess {
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
  let text = '';
  const hearers = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
      for (const hear of [...hearers]) hear();
    });
  }
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals);
  return {
    child,
    said: () => text,
    ended,
    says: (what) =>
      new Promise((resolve, reject) => {
        const settle = (end: () => void): void => {
          clearTimeout(timer);
          hearers.delete(hear);
          end();
        };
        const hear = (): void => {
          if (typeof what === 'string' ? text.includes(what) : what.test(text)) settle(() => resolve(text));
        };
        const fail = (why: string): void => settle(() => reject(new Error(`${why} without saying ${what}:\n${text}`)));
        const timer = setTimeout(() => fail('it went on'), PATIENCE_MS);
        hearers.add(hear);
        void once(child, 'close').then(() => fail('it ended'));
        hear();
      }),
  };
}
