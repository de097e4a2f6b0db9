import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parse, stringify } from 'smol-toml';
import { packageRoot } from '../../../config/package.ts';
import { blocksOf } from '../../../scripts/docs/blocks.ts';
import { ran } from '../package/ran.ts';
import type { Stay } from './fates.ts';

/** npm's own account of what it installed. */
const INSTALLED = 'node_modules/.package-lock.json';
interface Installed {
  readonly packages: Readonly<Record<string, { readonly dev?: boolean; readonly devOptional?: boolean }>>;
}
/** That of `scripts/build`. */
const STAMP = 'dist/.built';
/** Files that one `cp` is given: thousands, one by one, take ten times as long. */
const BATCH = 1000;

/**
 * A copy of what git has of this checkout, changes included, with its packages as links: nothing in it was started.
 *
 * @param built whether it has what was built here; else nothing in it was built, and `npm start` does
 */
export async function freshCopy(home: string, name: string, built = false): Promise<string> {
  const root = packageRoot();
  const copy = path.join(home, name);
  mkdirSync(copy, { recursive: true });
  const { out } = await ran('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], root);
  const files = out.split('\0').filter((one) => one !== '');
  for (let at = 0; at < files.length; at += BATCH) {
    await cp(root, ['--parents', '--no-dereference', '-t', copy, '--', ...files.slice(at, at + BATCH)]);
  }
  if (built) await takeBuilt(root, copy);
  else {
    await cp(root, ['-al', path.join(root, 'node_modules'), copy]);
    // What is written in place would be written here as well.
    rmSync(path.join(copy, 'node_modules/.cache'), { recursive: true, force: true });
    rmSync(path.join(copy, INSTALLED));
  }
  cpSync(path.join(root, INSTALLED), path.join(copy, INSTALLED));
  return copy;
}

async function cp(root: string, words: readonly string[]): Promise<void> {
  const { code, err } = await ran('cp', words, root);
  if (code !== 0) throw new Error(err);
}

/**
 * What was built, and the packages: those of the program file by file, since its processes may read nothing outside of the copy;
 * each of the others is one link.
 */
async function takeBuilt(root: string, copy: string): Promise<void> {
  await cp(root, ['-al', path.join(root, 'dist'), copy]);
  const { packages } = JSON.parse(readFileSync(path.join(root, INSTALLED), 'utf8')) as Installed;
  const isOthers = (place: string): boolean => packages[place]?.dev === true || packages[place]?.devOptional === true;
  const there = packagesIn(root);
  // The commands lead to their programs by the way from there: `writ` to that of the copy.
  await cp(root, ['-al', '--parents', '-t', copy, '--', 'node_modules/.bin', ...there.filter((place) => !isOthers(place))]);
  for (const place of there.filter(isOthers)) {
    mkdirSync(path.dirname(path.join(copy, place)), { recursive: true });
    symlinkSync(path.join(root, place), path.join(copy, place));
  }
  // Newer than the copies of what it was made from; a file of its own, since the other one is a link to ours.
  rmSync(path.join(copy, STAMP), { force: true });
  writeFileSync(path.join(copy, STAMP), '');
}

/** Those that lie directly in node_modules, also what npm has not installed. */
function packagesIn(root: string): string[] {
  const below = (place: string): string[] => readdirSync(path.join(root, place)).map((name) => `${place}/${name}`);
  const named = below('node_modules').filter((place) => !path.basename(place).startsWith('.'));
  return named.flatMap((place) => (path.basename(place).startsWith('@') ? below(place) : [place]));
}

/** `npm start` with the settings of a stay; comes back when it says that it is up. Where it makes the settings, it has given its tour. */
export async function startCopy(copy: string, { settings = [], env = {} }: Stay): Promise<() => Promise<void>> {
  const own = settings.flatMap((page) => blocksOf(readFileSync(path.join(copy, page), 'utf8'))).find(({ language }) => language === 'toml');
  if (own !== undefined) {
    const workspace = path.join(copy, 'writ-workspace');
    mkdirSync(path.join(copy, '.writ'), { mode: 0o700 });
    mkdirSync(workspace);
    writeFileSync(path.join(copy, '.writ', 'writ.toml'), stringify({ ...parse(own.text), file: { base_directories: { workspace } } }), { mode: 0o600 });
  }
  const child = spawn('npm', ['start'], { cwd: copy, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  let said = '';
  const up = new Promise<void>((resolve, reject) => {
    const hear = (text: Buffer): void => {
      said += text.toString();
      if (said.includes('Ctrl-C stops it')) resolve();
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.once('exit', (code) => reject(new Error(`npm start ended with ${code}: ${said.slice(-4000)}`)));
  });
  await up;
  child.removeAllListeners('exit');
  const stop = async (): Promise<void> => {
    const ended = once(child, 'close');
    process.kill(-(child.pid ?? 0), 'SIGINT');
    await ended;
  };
  // All of its steps, which are more than ten.
  if (own !== undefined || /\b(\d{2,}) of \1 as promised/.test(said)) return stop;
  await stop();
  throw new Error(`npm start gave no tour that was as promised: ${said}`);
}
