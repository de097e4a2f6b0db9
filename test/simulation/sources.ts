import { buildSync } from 'esbuild';
import { packageRoot } from '../../config/package.ts';

/** Beside the modules: what they read (SQL, scripts of Redis, settings and registries) and the packages that they stand on. */
const READ = [':(glob)src/adapters/sqlite/**/*.sql', ':(glob)**/*.lua', ':(glob)config/**/*.json', 'registries', 'package-lock.json'];

/**
 * What histories and mutants are made of: the modules that a process of the long run loads, and what these read. Evidence of one
 * state of these is none of another; whatever else changes in the tree, they stay what they were.
 *
 * @returns paths below the package root, and git's patterns of such
 */
export function simulatedSources(): readonly string[] {
  const { metafile } = buildSync({
    absWorkingDir: packageRoot(),
    entryPoints: ['test/simulation/long-child.ts'],
    bundle: true,
    write: false,
    metafile: true,
    // Names of packages stay names.
    packages: 'external',
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  });
  return [...Object.keys(metafile.inputs).sort(), ...READ];
}
