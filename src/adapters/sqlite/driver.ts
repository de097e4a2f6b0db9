import { createRequire } from 'node:module';
import type BetterSqlite3 from 'better-sqlite3';
import { WritError } from '../../core/errors.ts';

type Driver = typeof BetterSqlite3;

/** The last one for Node 20, and the one from Node 22 on, an optional package. */
const PACKAGE = { 12: 'better-sqlite3', 13: 'better-sqlite3-13' } as const;

/** What Node says of a package that is not there, and of a native module that was built for another Node. */
const FAULTS: Readonly<Record<string, string>> = {
  MODULE_NOT_FOUND: 'its native modules were installed with another one, which leaves out what this one needs: where Writ is installed, install it again',
  ERR_DLOPEN_FAILED: 'its native modules were built for another one: where Writ is installed, run `npm rebuild`, or install it again',
};

/**
 * The SQLite driver of this Node.js: better-sqlite3 13 from Node 22 on, 12 before, which is the last one that runs there.
 * They answer alike. Under Node 24.19 and newer 12 must not be loaded: a statement that is collected while no JavaScript
 * runs ends the whole process (SIGABRT in node::RemoveEnvironmentCleanupHook).
 */
export const Sqlite: Driver = loadDriver(Number.parseInt(process.versions.node, 10), createRequire(import.meta.url));

/** @throws WritError PACKAGE_MISSING with what to do, when the packages were installed under another Node.js */
export function loadDriver(major: number, load: (name: string) => unknown): Driver {
  try {
    return driverFor(major, load);
  } catch (error) {
    const todo = FAULTS[codeOf(error)];
    if (todo === undefined) throw error;
    throw new WritError('PACKAGE_MISSING', `this installation of Writ does not fit this Node.js (${process.version}): ${todo}`, { cause: error });
  }
}

function driverFor(major: number, load: (name: string) => unknown): Driver {
  if (major < 22) return driver(12, load);
  try {
    return driver(13, load);
  } catch (error) {
    // It may be left out of an installation; Node 22 and 23 can do without.
    if (major < 24 && codeOf(error) === 'MODULE_NOT_FOUND') return driver(12, load);
    throw error;
  }
}

/** The native part is loaded with the first database: a small one now, so that what does not fit is said in one place. */
function driver(version: keyof typeof PACKAGE, load: (name: string) => unknown): Driver {
  const Loaded = load(PACKAGE[version]) as Driver;
  new Loaded(':memory:').close();
  return Loaded;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
