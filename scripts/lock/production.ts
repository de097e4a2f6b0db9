import { readFileSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../../config/package.ts';

/** What package-lock.json says of a package, as far as it is read here. */
export interface LockedPackage {
  readonly name?: string;
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly devOptional?: boolean;
  readonly [key: string]: unknown;
}

export interface Lock {
  readonly name: string;
  readonly version: string;
  /** By path; `''` is the package itself. */
  readonly packages: Readonly<Record<string, LockedPackage>>;
  readonly [key: string]: unknown;
}

export function readLock(root = packageRoot()): Lock {
  return JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as Lock;
}

/** The packages that are installed with Writ, by path: neither itself nor what only its development needs. */
export function productionPackages({ packages }: Lock): readonly (readonly [string, LockedPackage])[] {
  return Object.entries(packages).filter(([at, { dev }]) => at !== '' && dev !== true);
}

/** The name of a package at a path of the lock file. */
export function nameOf(at: string, { name }: LockedPackage): string {
  return name ?? at.slice(at.lastIndexOf('node_modules/') + 'node_modules/'.length);
}
