import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The directory of the package that this module belongs to: the checkout, or its place under node_modules. */
export function packageRoot(): string {
  let directory = path.dirname(fileURLToPath(import.meta.url));
  while (!existsSync(path.join(directory, 'package.json')) && directory !== path.dirname(directory)) directory = path.dirname(directory);
  return directory;
}

/** Where the command `writ` lies: beside those of the packages of a checkout, or of whoever has installed this one. */
export function commandDirectory(root = packageRoot()): string | undefined {
  return [path.join(root, 'node_modules', '.bin'), path.join(path.dirname(root), '.bin')].find((directory) => existsSync(path.join(directory, 'writ')));
}

/** The version of this package, from its package.json. */
export function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(path.join(packageRoot(), 'package.json'), 'utf8')) as { version: string };
  return version;
}
