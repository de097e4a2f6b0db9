import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { armAndPublish, createWatchRig } from './watch-rig.ts';

/** Runs in a mount namespace of its own; `argv[2]` is an empty directory. Prints what the watch said at each step. */
const [, , outside = ''] = process.argv;
const answers: Record<string, unknown> = {};
const mount = (...args: string[]): void => void execFileSync('mount', args);

using rig = createWatchRig();
const { watch, at } = rig;
const note = (question: string): void => {
  watch.look();
  answers[question] = watch.veto;
};

mkdirSync(at('real'));
mkdirSync(at('bound'));
mkdirSync(path.join(outside, 'unrelated'));
await armAndPublish(watch);
note('nothing');
mount('-t', 'tmpfs', 'writ-test', path.join(outside, 'unrelated'));
note('a mount elsewhere');
mount('--bind', at('real'), at('bound'));
note('a mount beneath the root');

await armAndPublish(watch);
note('armed over a mount');
writeFileSync(at('real', 'a'), '');
watch.look();
answers['told for both paths'] = watch.overlay().files;
execFileSync('umount', [at('bound')]);
note('a mount that went');

await armAndPublish(watch);
mount('--bind', outside, rig.root);
note('a mount over the root');
execFileSync('umount', [rig.root]);

mount('--rbind', '/proc', at('bound'));
answers['a file system that does not tell everything'] = await watch.arm();
execFileSync('umount', ['-l', at('bound')]);
console.log(JSON.stringify(answers));
