import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '../../../config/package.ts';
import { asNobody } from '../nobody.ts';

/**
 * The words after `node` that run a script of this checkout: its compiled twin under vitest, itself with the TypeScript
 * loader elsewhere (the long suites start from the sources).
 *
 * @param script address of the source, `new URL('./some-child.ts', import.meta.url)`
 */
export function scriptArgs(script: URL, args: readonly string[] = []): string[] {
  const twin = compiledTwin(script);
  // The loader by address: the script's directory need not be the working directory.
  return twin === undefined ? ['--import', import.meta.resolve('tsx'), fileURLToPath(script), ...args] : [twin, ...args];
}

/** The file in the compiled tree; `undefined` where there is no tree. Throws where the script is not among those that are compiled (`bundle.ts`). */
export function compiledTwin(script: URL): string | undefined {
  const tree = process.env['WRIT_TEST_TREE'];
  if (tree === undefined) return undefined;
  const file = path.join(tree, path.relative(packageRoot(), fileURLToPath(script))).replace(/\.ts$/, '.js');
  if (!existsSync(file) && existsSync(script))
    throw new Error(`${fileURLToPath(script)} is not compiled for the tests: name it in test/support/compiled/bundle.ts`);
  return file;
}

/** A process of such a script, with a channel for messages. */
export function forkScript(script: URL, args: readonly string[], options: SpawnOptions = {}): ChildProcess {
  return spawn(process.execPath, scriptArgs(script, args), { ...WITH_CHANNEL, ...options });
}

/** The same as `nobody`, for which this process must be root's. */
export function forkScriptAsNobody(script: URL, args: readonly string[]): ChildProcess {
  const command = asNobody(scriptArgs(script, args));
  return spawn(command.program, command.args, WITH_CHANNEL);
}

const WITH_CHANNEL: SpawnOptions = { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] };
