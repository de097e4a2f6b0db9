import { askProgram } from './program.ts';

const PATIENCE_MS = 3_000;

/** The version that a program of the PATH says, `undefined` when there is none. */
export async function versionOf(program: string): Promise<string | undefined> {
  const { failed, stdout } = await askProgram(program, ['--version'], { timeout: PATIENCE_MS });
  return failed ? undefined : (/\d+\.\d+(\.\d+)?/.exec(stdout)?.[0] ?? 'of unknown version');
}
