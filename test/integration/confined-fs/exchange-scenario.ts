/**
 * Runs with mounts of its own (see `inMountNamespace`) and prints, as JSON, what a held base says of its path after each
 * change. Arguments: an empty directory, and `old` for a kernel without statx.
 */
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import path from 'node:path';
import { openBase } from '../../../src/adapters/linux/confined-fs/base.ts';
import { LOCAL_FILESYSTEMS } from '../../../src/adapters/linux/confined-fs/index.ts';
import type { Toolbox } from '../../../src/adapters/linux/confined-fs/toolbox.ts';
import { libc } from '../../../src/adapters/linux/libc.ts';

const [root = '', kernel] = process.argv.slice(2);
const answers: Record<string, string | boolean> = {};
const mount = (...args: string[]): void => void execFileSync('mount', args);
const umount = (...args: string[]): void => void execFileSync('umount', args);

const ENOSYS = -38;
const calls = kernel === 'old' ? { ...libc(), statxSync: () => ENOSYS } : libc();
// Only the binding is used by what is asked here.
const tools = { libc: calls } as Toolbox;
const open = (name: string) => openBase('b', path.join(root, name), new Set(LOCAL_FILESYSTEMS), tools);

for (const name of ['above/base', 'other']) fs.mkdirSync(path.join(root, name), { recursive: true });
const [above, directory, other] = [path.join(root, 'above'), path.join(root, 'above/base'), path.join(root, 'other')];
const base = await open('above/base');
const note = (what: string): void => {
  const standing = base.standing();
  answers[what] = standing.same ? 'same' : standing.why;
};

note('untouched');
answers['untouched is the top of a mount'] = base.mount.isTop;
mount('-t', 'tmpfs', 'tmpfs', directory);
note('tmpfs over it');
const over = await open('above/base');
answers['tmpfs is the top of a mount'] = over.mount.isTop;
answers['tmpfs is another mount'] = over.mount.id !== base.mount.id;
await over.close();
umount(directory);
note('tmpfs gone again');
mount('--bind', directory, directory);
note('bound over itself');
umount(directory);
mount('--bind', other, above);
note('mount over the directory above');
umount(above);
note('all mounts gone again');

const disk = path.join(root, 'disk');
fs.mkdirSync(disk);
mount('-t', 'tmpfs', 'tmpfs', disk);
const mounted = await open('disk');
umount('-l', disk);
const lost = mounted.standing();
answers['unmounted'] = lost.same ? 'same' : lost.why;
mount('-t', 'tmpfs', 'tmpfs', disk);
const again = mounted.standing();
answers['mounted again'] = again.same ? 'same' : again.why;
answers['two looks at two mounts differ'] = !lost.same && !again.same && lost.found !== again.found;

process.stdout.write(JSON.stringify(answers));
