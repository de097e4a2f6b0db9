import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../../../config/package.ts';
import { bundleStarted } from './bundle.ts';

const SOURCES = ['src', 'queues', 'processors', 'config', 'registries', 'test'];
/** Read by the modules beside them, or from the package root. */
const ASSET = /\.(sql|lua|toml)$|^(config|registries)\/.+\.json$/;

/** What a package has beside its modules; the tour plays with them. */
const PACKAGE = ['package.json', 'README.md', 'LICENSE', 'CHANGELOG.md'];

/** Files of `dist/src/bin` that are one program: its bundles, and what V8 has compiled of them. */
const SHIPPED = /^(writ\.js|build-id|\w+\.cjs(\..*\.cache)?)$/;

/**
 * What tests start as processes and threads, the sources' and their own, as bundles of plain JavaScript: one that starts from
 * them costs a third of one that starts through the TypeScript loader. It lies below node_modules, where the packages are
 * found, and readable to all, because some scripts give up their user.
 *
 * @returns the directory, which mirrors the checkout as far as it goes
 */
export async function compileTree(): Promise<string> {
  const root = packageRoot();
  const cache = path.join(root, 'node_modules', '.cache');
  mkdirSync(cache, { recursive: true });
  const directory = mkdtempSync(path.join(cache, 'writ-tests-'));
  chmodSync(directory, 0o755);
  const files = SOURCES.flatMap((source) => readdirSync(path.join(root, source), { recursive: true, encoding: 'utf8' }).map((name) => path.join(source, name)));
  const modules = files.filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));
  for (const file of [...files.filter((name) => ASSET.test(name)), ...PACKAGE]) {
    mkdirSync(path.dirname(path.join(directory, file)), { recursive: true });
    copyFileSync(path.join(root, file), path.join(directory, file));
  }
  await bundleStarted(root, directory, modules);
  shipProgram(root, directory);
  return directory;
}

/** The program as it is shipped (`scripts/bundle.js`), where it is built from the sources as they are now: `npm test` always has it. */
function shipProgram(root: string, directory: string): void {
  if (spawnSync(path.join(root, 'scripts', 'build'), ['--fresh']).status !== 0) return;
  const program = path.join('src', 'bin');
  const shipped = readdirSync(path.join(root, 'dist', program)).filter((name) => SHIPPED.test(name));
  for (const name of shipped) copyFileSync(path.join(root, 'dist', program, name), path.join(directory, program, name));
}

export function removeTree(directory: string): void {
  rmSync(directory, { recursive: true, force: true });
}
