import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { packageRoot } from '../../../config/package.ts';
import { inMountNamespace } from '../mounts.ts';
import { KEPT, type Made } from './ground.ts';

/** A program of a commit, built in a directory of its own. */
export interface EarlierProgram extends Disposable {
  readonly commit: string;
  readonly writ: string;
}

/** Needs the history of the repository, and packages that the commit can work with: those of this checkout. */
export function buildEarlier(commit: string): EarlierProgram {
  const root = packageRoot();
  const home = mkdtempSync(path.join(tmpdir(), 'writ-earlier-'));
  const run = (command: string, args: readonly string[], cwd: string): string => execFileSync(command, args, { cwd, encoding: 'utf8', maxBuffer: 1 << 30 });
  const sha = run('git', ['rev-parse', '--short=8', `${commit}^{commit}`], root).trim();
  run('git', ['archive', '--output', path.join(home, 'tree.tar'), sha], root);
  run('tar', ['-xf', 'tree.tar'], home);
  run('cp', ['-a', path.join(root, 'node_modules'), path.join(home, 'node_modules')], home);
  // Its own command lies there when it is built; that of this checkout must not be written through a link.
  rmSync(path.join(home, 'node_modules', '.bin', 'writ'), { force: true });
  run('scripts/build', [], home);
  const writ = path.join(home, 'dist/src/bin/writ.js');
  if (!existsSync(writ)) throw new Error(`${sha} did not build`);
  return { commit: sha, writ, [Symbol.dispose]: () => rmSync(home, { recursive: true, force: true }) };
}

/** Has it make an installation in a directory; resolves with what it made. */
export async function makeInstallation({ commit, writ }: EarlierProgram, directory: string): Promise<Made> {
  mkdirSync(directory, { recursive: true });
  return (await inMountNamespace(new URL('./make-child.ts', import.meta.url), [writ, directory, commit])) as Made;
}

export function pack(directory: string, file: string): void {
  execFileSync('tar', [
    '--use-compress-program=gzip -9n',
    '--exclude=*.sock',
    '--exclude=data/logs',
    '--exclude=data/metrics',
    '--sort=name',
    '-cf',
    file,
    '-C',
    directory,
    ...KEPT,
  ]);
}

export function unpack(file: string, directory: string): void {
  mkdirSync(directory, { recursive: true });
  execFileSync('tar', ['-xpzf', file, '-C', directory]);
}
