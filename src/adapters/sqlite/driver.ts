import { createRequire } from 'node:module';
import type BetterSqlite3 from 'better-sqlite3';

/** The last one for Node 20, and the one from Node 22 on, an optional package. */
const PACKAGE = { 12: 'better-sqlite3', 13: 'better-sqlite3-13' } as const;

/**
 * The SQLite driver of this Node.js: better-sqlite3 13 from Node 22 on, 12 before, which is the last one that runs there.
 * They answer alike. Under Node 24.19 and newer 12 must not be loaded: a statement that is collected while no JavaScript
 * runs ends the whole process (SIGABRT in node::RemoveEnvironmentCleanupHook).
 */
export const Sqlite: typeof BetterSqlite3 = load(Number.parseInt(process.versions.node, 10));

function load(major: number): typeof BetterSqlite3 {
  const require = createRequire(import.meta.url);
  const driver = (version: keyof typeof PACKAGE): typeof BetterSqlite3 => require(PACKAGE[version]) as typeof BetterSqlite3;
  if (major < 22) return driver(12);
  try {
    return driver(13);
  } catch (error) {
    // It may be left out of an installation; Node 22 and 23 can do without.
    if (major < 24) return driver(12);
    throw error;
  }
}
