import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

/**
 * The ground of a siege, with every pair that `attacker-child.ts` exchanges. Inside: `stock` and `drop`, which nobody
 * exchanges, `real/a/deep`, `other/deep`, `flip`. Outside: the same names, for every link to lead there.
 */
export function layOut(root: string) {
  const [base, outside] = [path.join(root, 'base'), path.join(root, 'outside')];
  for (const directory of ['real/a/deep', 'other/deep', 'flip/victim.dir', 'drop', 'stock']) fs.mkdirSync(path.join(base, directory), { recursive: true });
  for (const directory of ['a/deep', 'flip']) fs.mkdirSync(path.join(outside, directory), { recursive: true });
  for (const name of ['a/victim', 'a/deep/victim', 'flip/victim', 'mover']) fs.writeFileSync(path.join(outside, name), 'outside');
  for (const name of ['real/a/deep/victim', 'other/deep/victim', 'flip/victim', 'flip/mover']) fs.writeFileSync(path.join(base, name), 'inside');
  fs.symlinkSync(path.join(outside, 'a'), path.join(base, 'real/a.link'));
  fs.symlinkSync('../../../outside/a/deep', path.join(base, 'real/a/deep.link'));
  fs.symlinkSync('../../outside/flip/victim', path.join(base, 'flip/victim.link'));
  fs.symlinkSync(path.join(outside, 'mover'), path.join(base, 'flip/mover.link'));
  execFileSync('mkfifo', [path.join(base, 'flip/victim.fifo')]);

  const outsideFiles = [outside, ...fs.readdirSync(outside, { recursive: true, encoding: 'utf8' }).map((name) => path.join(outside, name))];
  const picture = (): string => outsideFiles.map((file) => JSON.stringify(fs.lstatSync(file, { bigint: true }), inFull)).join('\n');
  const before = picture();
  return {
    base,
    outsideFiles,
    at: (directory: string, name: string) => path.join(base, directory, name),
    outsideUnchanged: () => picture() === before,
    /** Contents of all regular files below the base, links not followed. */
    contents: () => contentsBelow(base),
  };
}

function inFull(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

function contentsBelow(directory: string): string[] {
  return fs.readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(directory, entry.name);
    if (entry.isDirectory()) return contentsBelow(file);
    return entry.isFile() ? [fs.readFileSync(file, 'utf8')] : [];
  });
}
