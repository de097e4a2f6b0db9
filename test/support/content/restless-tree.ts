import { mkdirSync, openSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';

/**
 * A process that changes a tree without a rest until its parent ends it: files are replaced, truncated and renamed, directories
 * become links to a place outside and directories again. Every line that a file ever has begins with `v` and the file's own
 * name, so that an event tells of which file it is a version. Before it begins a version it notes its number, so that whoever
 * looks before and after a search knows which versions lived meanwhile. argv: tree, place outside, file of the number,
 * and `calm` for files alone, as editors and builds change them: so an index has a chance.
 */
const [, , root = '', outside = '', progress = '', mood = ''] = process.argv;
const isCalm = mood === 'calm';
const note = openSync(progress, 'w');
const NAMES = ['a.txt', 'b.txt', 'c.txt'];

function contentOf(name: string, version: number): string {
  return Array.from({ length: 1 + (version % 40) }, (_, line) => `v${version} ${name} needle ${line}\n`).join('');
}

/** Version n of the files of directory n mod 4, which live until version n + 4 is written. */
function turn(version: number): void {
  writeSync(note, String(version).padStart(12, '0'), 0);
  const directory = path.join(root, `d${version % 4}`);
  const aside = path.join(root, `.aside-${version % 4}`);
  for (const name of NAMES) {
    writeFileSync(path.join(root, '.new'), contentOf(name, version));
    renameSync(path.join(root, '.new'), path.join(directory, name));
  }
  truncateSync(path.join(directory, NAMES[version % NAMES.length] ?? 'a.txt'), version % 17);
  if (isCalm || version % 2 === 0) return;
  renameSync(directory, aside);
  symlinkSync(outside, directory);
  rmSync(directory);
  renameSync(aside, directory);
  // The same with a file: for a moment its name is a link to the secret.
  const file = path.join(directory, 'c.txt');
  rmSync(file);
  symlinkSync(path.join(outside, 'c.txt'), file);
  rmSync(file);
}

for (let index = 0; index < 4; index += 1) mkdirSync(path.join(root, `d${index}`), { recursive: true });
let version = 3;
while (version < 7) {
  version += 1;
  turn(version);
}
process.send?.('ready');
const timer = setInterval(
  () => {
    for (let count = 0; count < (isCalm ? 1 : 20); count += 1) {
      version += 1;
      turn(version);
    }
  },
  isCalm ? 10 : 0,
);
process.on('disconnect', () => {
  clearInterval(timer);
});
