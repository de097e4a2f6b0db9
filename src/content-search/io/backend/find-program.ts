import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';

const ENDINGS = process.platform === 'win32' ? ['', '.exe'] : [''];

/** The file of a program: a name with a separator is its path, any other is looked up in `searchPath` (the form of PATH). Relative directories in it do not count. */
export function findProgram(name: string, searchPath: string): string | undefined {
  if (name.includes('/') || name.includes(path.sep)) return path.isAbsolute(name) && isProgram(name) ? name : undefined;
  return searchPath
    .split(path.delimiter)
    .filter((directory) => path.isAbsolute(directory))
    .flatMap((directory) => ENDINGS.map((ending) => path.join(directory, name + ending)))
    .find(isProgram);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
