import { readFileSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../../config/package.ts';

const FILE = 'docs/dependencies.md';

/** A row of docs/dependencies.md that says which version of a package we use. */
export interface PackageRow {
  readonly name: string;
  readonly ours: string;
}

/** Rows of docs/dependencies.md whose version is not that of package.json, one sentence each. */
export function dependencyProblems(root = packageRoot()): string[] {
  const read = (name: string) => readFileSync(path.join(root, name), 'utf8');
  return wrongVersions(parsePackageRows(read(FILE)), versionsOf(JSON.parse(read('package.json')) as Manifest));
}

/** Reads the rows of every table whose columns begin with `package` and `ours`. */
export function parsePackageRows(markdown: string): PackageRow[] {
  const rows: PackageRow[] = [];
  let within = false;
  for (const line of markdown.split('\n')) {
    const [, names = '', ours = ''] = line.startsWith('|') ? line.split('|').map((cell) => cell.trim()) : [];
    if (names === 'package') within = ours === 'ours';
    else if (names === '') within = false;
    else if (within) for (const [, name = ''] of names.matchAll(/`([^`]+)`/g)) rows.push({ name, ours });
  }
  return rows;
}

/** Rows whose package we do not use, or in another version. */
export function wrongVersions(rows: readonly PackageRow[], versions: ReadonlyMap<string, string>): string[] {
  return rows.flatMap(({ name, ours }) => {
    const used = versions.get(name);
    return used === ours ? [] : [`${FILE}: ${name} is ${ours} there, ${used ?? 'not used'} in package.json`];
  });
}

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
  readonly overrides: Readonly<Record<string, string>>;
}

function versionsOf({ dependencies, devDependencies, optionalDependencies, overrides }: Manifest): Map<string, string> {
  return new Map(Object.entries({ ...overrides, ...optionalDependencies, ...devDependencies, ...dependencies }));
}
