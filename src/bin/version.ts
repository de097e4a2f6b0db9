import { readFileSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../../config/places.ts';

/** The version of this package, from its package.json. */
export function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(path.join(packageRoot(), 'package.json'), 'utf8')) as { version: string };
  return version;
}
