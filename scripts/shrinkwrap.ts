import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../config/places.ts';
import { readLock, shrinkwrapOf } from './lock/shrinkwrap.ts';

/**
 * `tsx scripts/shrinkwrap.ts write|remove`, before and after `npm pack`: what is installed from the tarball are the packages
 * that were tested. Without it npm would choose anew, and neither the lock file nor `overrides` count in a dependency.
 */
const file = path.join(packageRoot(), 'npm-shrinkwrap.json');
const ACTS: Readonly<Record<string, () => void>> = {
  write: () => writeFileSync(file, `${JSON.stringify(shrinkwrapOf(readLock()), null, 2)}\n`),
  remove: () => rmSync(file, { force: true }),
};

const act = ACTS[process.argv[2] ?? ''];
if (act === undefined) {
  process.stderr.write(`say what to do: ${Object.keys(ACTS).join(', ')}\n`);
  process.exitCode = 2;
} else act();
