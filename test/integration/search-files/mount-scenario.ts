/** Runs with mounts of its own (see `inMountNamespace`): mounts below a root, and prints what each level finds there, as JSON. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { LEVELS, searchFiles } from '../../support/search-files.ts';

const [base] = process.argv.slice(2) as [string];
const [root, outside] = [path.join(base, 'root'), path.join(base, 'outside')];
for (const name of ['bound', 'same', 'tmpfs', 'real/deep']) mkdirSync(path.join(root, name), { recursive: true });
mkdirSync(outside);
for (const file of [`${outside}/secret e`, `${root}/e`, `${root}/real/e`, `${root}/real/deep/e`, `${root}/bound/hidden e`]) writeFileSync(file, '');
execFileSync('mount', ['--bind', outside, path.join(root, 'bound')]);
execFileSync('mount', ['--bind', path.join(root, 'real'), path.join(root, 'same')]);
execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', path.join(root, 'tmpfs')]);
writeFileSync(path.join(root, 'tmpfs/e'), '');

const answers = await Promise.all(LEVELS.map(async (level) => [level, (await searchFiles(level, root, 'e')).hits.map(({ id }) => id)]));
process.stdout.write(JSON.stringify(Object.fromEntries(answers)));
