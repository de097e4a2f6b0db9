import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { packageRoot } from '../../config/package.ts';

/** The worker bundled into one script with V8's code cache beside it: a kill costs a start, and a start is mostly module loading. */
export interface Bundle {
  /** What `node` runs. A worker that gets the message `cache` writes the code cache for those after it. */
  readonly worker: string;
  remove(): void;
}

/** Packages with native parts stay where they are. */
const EXTERNAL = ['better-sqlite3', 'better-sqlite3-13', 'koffi', 'sodium-native', 'msgpackr-extract'];

const THREADS = ['src/adapters/crypto/crypto-thread.ts', 'src/adapters/sqlite/journal/journal-thread.ts', 'src/adapters/linux/confined-fs/copy-thread.ts'];

/** Folder of the scripts, one level down as the modules of the stores are. */
const SCRIPTS = 'bundle';

/** What the modules read beside or above themselves: from there, to there. */
const ASSETS = [
  ['src/adapters/redis/lua', `${SCRIPTS}/lua`],
  ['src/adapters/redis/row.lua', `${SCRIPTS}/row.lua`],
  ['src/adapters/sqlite/sql', 'sql'],
  ...['registries', 'config/tools', 'config/tool-bindings', 'config/capabilities', 'config/use-cases'].map((folder) => [folder, folder] as const),
] as const;

/** Runs the bundled script like `require` does, with the cache where there is one. */
const LAUNCHER = `
const { existsSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const { wrap } = require('node:module');
const { constants, Script } = require('node:vm');
const filename = __dirname + '/worker-process.js';
const cache = filename + '.cache';
const options = { filename, importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER };
if (existsSync(cache)) options.cachedData = readFileSync(cache);
const script = new Script(wrap(readFileSync(filename, 'utf8')), options);
process.on('message', (message) => {
  if (message !== 'cache' || existsSync(cache)) return;
  const temporary = cache + process.pid;
  writeFileSync(temporary, script.createCachedData());
  renameSync(temporary, cache);
});
script.runInThisContext()(exports, require, module, filename, __dirname);
`;

const WORKER = 'test/chaos/worker-process.ts';
/** Another file of the tests is at it: a second or two. */
const LOOK_MS = 50;

/**
 * Bundles the sources as they are now, into a directory of its own inside node_modules, where the native packages are found.
 *
 * @param worker the script of the worker, a `worker-process.ts`
 */
export function bundleWorker(worker = WORKER): Bundle {
  const root = packageRoot();
  const cache = path.join(root, 'node_modules', '.cache');
  mkdirSync(cache, { recursive: true });
  const directory = mkdtempSync(path.join(cache, 'writ-chaos-'));
  writeBundle(root, directory, worker);
  return { worker: launcherIn(directory), remove: () => rmSync(directory, { recursive: true, force: true }) };
}

/** The same, made once for all files of a run of vitest, and gone with what it has compiled; elsewhere a bundle of one's own. */
export async function sharedBundle(worker = WORKER): Promise<Bundle> {
  const tree = process.env['WRIT_TEST_TREE'];
  if (tree === undefined) return bundleWorker(worker);
  const directory = path.join(tree, 'workers', worker.replaceAll(/\W+/g, '-'));
  const making = `${directory}.making`;
  mkdirSync(path.dirname(directory), { recursive: true });
  while (!existsSync(directory)) {
    if (!isMade(making)) await delay(LOOK_MS);
    else makeShared(making, directory, worker);
  }
  return { worker: launcherIn(directory), remove: () => undefined };
}

function makeShared(making: string, directory: string, worker: string): void {
  try {
    // Another one may have come to its end between our two looks.
    if (existsSync(directory)) return;
    writeBundle(packageRoot(), making, worker);
    renameSync(making, directory);
  } finally {
    // Of one that failed, so that the next one says why.
    rmSync(making, { recursive: true, force: true });
  }
}

/** Whether the directory is ours; false when another one has it. */
function isMade(directory: string): boolean {
  try {
    mkdirSync(directory);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  }
}

const launcherIn = (directory: string): string => path.join(directory, SCRIPTS, 'launch.cjs');

function writeBundle(root: string, directory: string, worker: string): void {
  // A script has no import.meta, and only a script has a code cache; the threads are small modules.
  const scripts = path.join(directory, SCRIPTS);
  const bundleUrl = "const bundleUrl = require('node:url').pathToFileURL(__filename).href;";
  esbuild(root, scripts, [worker], ['--format=cjs', '--define:import.meta.url=bundleUrl', `--banner:js=${bundleUrl}`]);
  esbuild(root, scripts, THREADS, ['--format=esm']);
  for (const [from, to] of ASSETS) cpSync(path.join(root, from), path.join(directory, to), { recursive: true });
  writeFileSync(launcherIn(directory), LAUNCHER);
  // Below node_modules the `type` of the package's own package.json does not count.
  writeFileSync(path.join(directory, 'package.json'), '{"type":"module"}');
}

function esbuild(root: string, directory: string, entries: readonly string[], more: readonly string[]): void {
  const external = EXTERNAL.map((name) => `--external:${name}`);
  const args = [...entries, '--bundle', '--platform=node', '--target=node20', '--entry-names=[name]', '--log-level=warning', `--outdir=${directory}`];
  execFileSync(path.join(root, 'node_modules', '.bin', 'esbuild'), [...args, ...external, ...more], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
}
