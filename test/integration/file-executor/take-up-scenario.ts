/** Runs with mounts of its own (see `inMountNamespace`) and prints, as JSON, how tasks ended. Argument: an empty directory. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { systemClock } from '../../../src/core/clock.ts';
import { createFileRig, deliver, ending, moveTask, put } from '../../support/file-executor.ts';

const SETTLE_MS = 10_000;
const [root = ''] = process.argv.slice(2);
const answers: Record<string, string> = {};
const mount = (...args: string[]): void => void execFileSync('mount', args);
const umount = (...args: string[]): void => void execFileSync('umount', args);

// A second mount of what `store` holds stands for a disk: it can be mounted again, with everything on it.
const [disk, store] = [path.join(root, 'disk'), path.join(root, 'store')];
for (const directory of [disk, store]) mkdirSync(directory);
mount('-t', 'tmpfs', 'tmpfs', store);
const mountDisk = (): void => mount('--bind', store, disk);
mountDisk();

const rig = await createFileRig({ near: root, far: root });
let ms = 1000;
let onPoint: (point: string) => void = () => undefined;
const executor = await rig.executor({
  bases: [{ id: 'disk', path: disk }],
  clock: { now: systemClock.now, monotonic: () => ms },
  settleMs: SETTLE_MS,
  onPoint: (point) => onPoint(point),
});
async function settle(): Promise<void> {
  await executor.bases.look();
  ms += SETTLE_MS;
  await executor.bases.look();
}
const move = (from: string, to: string): Promise<string> => ending(deliver(executor, moveTask(`${disk}/${from}`, `${disk}/${to}`)));

await put(disk, 'a');
answers['move before'] = await move('a', 'b');
mount('-t', 'tmpfs', 'tmpfs', disk);
await put(disk, 'b');
answers['move under a mount'] = await move('b', 'c');
umount(disk);
answers['move after the mount is gone again'] = await move('b', 'c');

mount('-t', 'tmpfs', 'tmpfs', disk);
await put(disk, 'new');
await settle();
answers['move in a mount that stands long enough'] = await move('new', 'newer');
answers['file of that move'] = existsSync(`${disk}/newer`) ? 'moved' : 'not there';

// Lazily, as nobody can do it otherwise while a worker holds it: both mounts go, and the empty directory comes to light.
umount('-l', disk);
umount('-l', disk);
answers['unmounted: move'] = await move('newer', 'newest');
await settle();
await settle();
answers['unmounted: state'] = executor.bases.states()[0]?.detail ?? '';
answers['unmounted: names beneath'] = readdirSync(disk).join();
mountDisk();
await settle();
answers['the same disk mounted again'] = await move('c', 'd');
answers['file of the move on the same disk'] = existsSync(`${disk}/d`) ? 'moved' : 'not there';

// A base that is no top of its mount, on a disk that goes and comes back: its vault tells that it is ours.
const [deepDisk, deepStore] = [path.join(root, 'deep'), path.join(root, 'deep-store')];
for (const directory of [deepDisk, deepStore]) mkdirSync(directory);
mount('-t', 'tmpfs', 'tmpfs', deepStore);
mkdirSync(`${deepStore}/inbox`);
mount('--bind', deepStore, deepDisk);
const deep = await rig.executor({
  bases: [{ id: 'deep', path: `${deepDisk}/inbox` }],
  clock: { now: systemClock.now, monotonic: () => ms },
  settleMs: SETTLE_MS,
});
await put(deepDisk, 'inbox/f');
umount('-l', deepDisk);
mount('--bind', deepStore, deepDisk);
await deep.bases.look();
ms += SETTLE_MS;
await deep.bases.look();
answers['a base below the top of its disk, mounted again'] = await ending(deliver(deep, moveTask(`${deepDisk}/inbox/f`, `${deepDisk}/inbox/g`)));
await deep.stop();

await put(disk, 'inner/e', 'inside');
mkdirSync(`${disk}/to`);
onPoint = (point) => {
  if (point === 'M1') mount('-t', 'tmpfs', 'tmpfs', `${disk}/to`);
};
answers['mounted over a directory inside, after the effect'] = await move('inner/e', 'to/e');
answers['file before that mount'] = readFileSync(`${disk}/inner/e`, 'utf8');

await executor.stop();
process.stdout.write(JSON.stringify(answers));
process.exit(0);
