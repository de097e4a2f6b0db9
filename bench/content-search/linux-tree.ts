import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const PACKAGE = 'linux-source-6.1';
/** Where the Debian package puts its archive, below the root of the system or of an unpacked package. */
const ARCHIVE = path.join('usr', 'src', `${PACKAGE}.tar.xz`);

/**
 * The source tree of Linux 6.1 as Debian has it, without the two lines that Debian adds to the root `.gitignore` (they
 * ignore the whole tree). It is unpacked once into a cache folder below `home` and kept there: 1.3 GB.
 *
 * @param home directory of the cache; the one for temporary files if none is said
 */
export function linuxTree(home: string = tmpdir()): string {
  const cache = path.join(home, 'writ-bench-linux');
  const tree = path.join(cache, PACKAGE);
  if (existsSync(tree)) return tree;
  mkdirSync(cache, { recursive: true });
  const work = mkdtempSync(path.join(cache, 'unpacking-'));
  process.stderr.write(`unpacking ${PACKAGE} into ${cache}: once, it stays there for the next run\n`);
  execFileSync('tar', ['-xf', archive(work), '-C', work]);
  withoutDebianLines(path.join(work, PACKAGE, '.gitignore'));
  renameSync(path.join(work, PACKAGE), tree);
  rmSync(work, { recursive: true });
  return tree;
}

/** The archive of the installed package, or of one that is downloaded now. */
function archive(work: string): string {
  const installed = path.join(path.parse(work).root, ARCHIVE);
  if (existsSync(installed)) return installed;
  execFileSync('apt-get', ['download', PACKAGE], { cwd: work, stdio: ['ignore', 'ignore', 'inherit'] });
  const file = readdirSync(work).find((name) => name.endsWith('.deb'));
  if (file === undefined) throw new Error(`apt-get download ${PACKAGE} left no package: install it, or unpack the tree by hand`);
  execFileSync('dpkg-deb', ['-x', file, '.'], { cwd: work });
  return path.join(work, ARCHIVE);
}

function withoutDebianLines(file: string): void {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  const kept = lines.filter((line) => line !== '/*' && line !== '!/debian/');
  if (lines.length - kept.length !== 2) throw new Error(`${file} does not have the two lines that Debian adds`);
  writeFileSync(file, `${kept.join('\n')}\n`);
}
