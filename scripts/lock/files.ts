import { readFileSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../../config/package.ts';
import type { GeneratedFile } from '../generated.ts';
import { completed, type LockPackages, missingEntries } from './platforms.ts';

/** package-lock.json with entries for the platforms that the registry at hand does not have; as it is when none lacks. */
export function lockFiles(root = packageRoot()): GeneratedFile[] {
  const text = readFileSync(path.join(root, 'package-lock.json'), 'utf8');
  const lock = JSON.parse(text) as { packages: LockPackages };
  const complete = missingEntries(lock.packages).size === 0;
  return [{ path: 'package-lock.json', content: complete ? text : `${JSON.stringify({ ...lock, packages: completed(lock.packages) }, null, 2)}\n` }];
}
