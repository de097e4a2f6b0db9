import { existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ran } from '../package/ran.ts';

/** Another Node.js on this machine. */
export interface OtherNode {
  readonly version: string;
  /** What a process must be told so that it, npm and compilers use this one. */
  readonly env: Readonly<Record<string, string>>;
}

/** Installs the newest Node.js of a major version into `home`: npm's package `node` brings the program and its headers. */
export async function nodeOf(major: string, home: string): Promise<OtherNode> {
  const directory = path.join(home, `node-${major}`);
  mkdirSync(directory);
  writeFileSync(path.join(directory, 'package.json'), '{"name":"runtime","version":"1.0.0","private":true}');
  const installed = await ran('npm', ['install', '--no-audit', '--no-fund', `node@${major}`], directory);
  if (installed.code !== 0) throw new Error(`node@${major} cannot be installed: ${installed.err}`);
  const bin = path.join(directory, 'node_modules', 'node', 'bin');
  const { out } = await ran(path.join(bin, 'node'), ['--version'], directory);
  return { version: out.trim(), env: { PATH: `${bin}:${process.env['PATH'] ?? ''}`, npm_config_nodedir: headersBeside(bin) } };
}

/** The package with the program is a dependency of `node`; npm puts it beside or below that. */
function headersBeside(bin: string): string {
  const name = `node-${process.platform}-${process.arch}`;
  const places = [path.join(bin, '..', 'node_modules', name), path.join(bin, '..', '..', name)];
  const found = places.find((place) => existsSync(path.join(place, 'include')));
  if (found === undefined) throw new Error(`${name} has no headers in ${places.join(' or ')}`);
  return realpathSync(found);
}
