import { execFile } from 'node:child_process';

const PATIENCE_MS = 3_000;

/** The version that a program of the PATH says, `undefined` when there is none. */
export function versionOf(program: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(program, ['--version'], { timeout: PATIENCE_MS, encoding: 'utf8' }, (error, stdout) => {
      resolve(error ? undefined : (/\d+\.\d+(\.\d+)?/.exec(stdout)?.[0] ?? 'of unknown version'));
    });
  });
}
