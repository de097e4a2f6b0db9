import { spawnSync } from 'node:child_process';
import { openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DIALECTS } from '../../../src/content-search/backends/dialects.ts';
import { findBackends } from '../../../src/content-search/io/backend/find-backends.ts';

/** A process that starts a backend of each kind on a FIFO whose other end the backend holds itself, says their ids, and does nothing more: what becomes of them when it is killed? */
const [directory = ''] = process.argv.slice(2);
const fifo = join(directory, 'held');
spawnSync('mkfifo', [fifo]);
const { found } = await findBackends({ names: ['ugrep'], searchPath: '/usr/bin:/bin', dialects: DIALECTS });
const query = { pattern: 'needle', fixedStrings: false, wordRegexp: false, ignoreCase: false, context: 0, fuzzy: 0, maxCount: 1 };
for (const { backend } of found) backend.start({ query, cwd: directory, files: [], descriptor: { fd: openSync(fifo, 'r+') } });

/** Waits until each has become the backend: only then is it bound to us. */
const started = (): boolean => {
  const pids = readdirSync('/proc/self/task').flatMap((task) => readFileSync(`/proc/self/task/${task}/children`, 'utf8').trim().split(' '));
  const names = pids.map((pid) => (pid === '' ? '' : readFileSync(`/proc/${pid}/comm`, 'utf8').trim()));
  const backends = pids.filter((_, index) => names[index] === 'ugrep' || names[index] === 'rg');
  if (backends.length < 2) return false;
  process.stdout.write(`${backends.join(' ')}\n`);
  return true;
};
const watch = setInterval(() => {
  if (started()) clearInterval(watch);
}, 5);
// A test that fails leaves nothing behind: its end closes our input.
process.stdin.on('end', () => process.exit()).resume();
