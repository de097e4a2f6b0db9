import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../../../config/package.ts';
import { type Lock, type LockedPackage, productionPackages } from '../../../scripts/lock/production.ts';
import { ran } from './ran.ts';

export interface Tarball {
  readonly file: string;
  readonly bytes: number;
  readonly unpackedBytes: number;
  readonly files: number;
}

/** `npm pack`, with its own steps before and after. */
export async function packTarball(home: string): Promise<Tarball> {
  const { out } = await mustRun('npm', ['pack', '--json', '--pack-destination', home], packageRoot());
  // What the steps before it say comes first.
  const answer = JSON.parse(out.slice(out.search(/^[[{]$/m))) as Packed[] | Record<string, Packed>;
  const [packed] = Object.values(answer);
  if (packed === undefined) throw new Error('npm pack packed nothing');
  return { file: path.join(home, packed.filename), bytes: packed.size, unpackedBytes: packed.unpackedSize, files: packed.entryCount };
}

interface Packed {
  readonly filename: string;
  readonly size: number;
  readonly unpackedSize: number;
  readonly entryCount: number;
}

export interface Installed {
  readonly directory: string;
  readonly code: number;
  readonly seconds: number;
  readonly packages: number;
  readonly mebibytes: number;
}

/** `npm install <tarball>` in a project that has nothing else. */
export async function installTarball(home: string, tarball: string): Promise<Installed> {
  const directory = path.join(home, 'consumer');
  mkdirSync(directory);
  writeFileSync(path.join(directory, 'package.json'), '{"name":"consumer","version":"1.0.0","private":true,"type":"module"}');
  const { code, seconds, err } = await ran('npm', ['install', '--prefer-offline', '--omit=dev', '--no-audit', '--no-fund', tarball], directory);
  if (code !== 0) throw new Error(err);
  return { directory, code, seconds, packages: Object.keys(lockIn(directory)).length, mebibytes: await mebibytesOf(directory) };
}

export interface Locked {
  readonly code: number;
  readonly seconds: number;
  readonly packages: number;
  /** Packages that are not what the lock file of the checkout says. */
  readonly differ: readonly string[];
}

/** The tarball unpacked and `npm ci` in it: the packages that the tests ran with. Nothing is compiled once more. */
export async function ciFromLock(home: string, tarball: string): Promise<Locked> {
  await mustRun('tar', ['-xzf', tarball], home);
  const directory = path.join(home, 'package');
  const { code, seconds, err } = await ran('npm', ['ci', '--prefer-offline', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund'], directory);
  if (code !== 0) throw new Error(err);
  const present = lockIn(directory);
  const lock = JSON.parse(readFileSync(path.join(packageRoot(), 'package-lock.json'), 'utf8')) as Lock;
  const wanted = productionPackages(lock).filter(([at, { optional }]) => optional !== true || present[at] !== undefined);
  const differ = wanted.filter(([at, { version, integrity }]) => present[at]?.version !== version || present[at]?.integrity !== integrity).map(([at]) => at);
  return { code, seconds, packages: Object.keys(present).length, differ };
}

function lockIn(directory: string): Readonly<Record<string, LockedPackage>> {
  return (JSON.parse(readFileSync(path.join(directory, 'node_modules/.package-lock.json'), 'utf8')) as Lock).packages;
}

async function mebibytesOf(directory: string): Promise<number> {
  return Number((await mustRun('du', ['-sm', 'node_modules'], directory)).out.split('\t')[0]);
}

async function mustRun(command: string, args: readonly string[], cwd: string): Promise<{ readonly out: string }> {
  const { code, out, err } = await ran(command, args, cwd);
  if (code !== 0) throw new Error(`${command} ended with ${code}: ${err}`);
  return { out };
}
