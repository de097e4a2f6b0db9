/**
 * Runs with mounts of its own (see `inMountNamespace`) and prints, as JSON, how the adapter answered each question.
 * Arguments: level, an empty directory.
 */
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import path from 'node:path';
import { createConfinedFileSystem } from '../../../src/adapters/linux/confined-fs/index.ts';
import type { ConfinementLevel, FsResult } from '../../../src/core/ports/confined-fs.ts';

const [level, root] = process.argv.slice(2) as [ConfinementLevel, string];
const answers: Record<string, string | number> = {};
const note = (question: string, result: FsResult<unknown>): void => {
  answers[question] = result.ok ? 'ok' : result.refusal;
};
const mount = (...args: string[]): void => void execFileSync('mount', args);

const [base, outside] = [path.join(root, 'base'), path.join(root, 'outside')];
for (const directory of ['base/bound', 'base/real', 'base/inner', 'base/tmpfs', 'base/deep/er', 'outside/x'])
  fs.mkdirSync(path.join(root, directory), { recursive: true });
fs.writeFileSync(path.join(outside, 'secret'), 'secret');
for (const name of ['file', 'free']) fs.writeFileSync(path.join(base, name), 'inside');
mount('--bind', outside, path.join(base, 'bound'));
mount('--bind', path.join(base, 'real'), path.join(base, 'inner'));
mount('-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', path.join(base, 'tmpfs'));
mount('--bind', path.join(outside, 'secret'), path.join(base, 'file'));
mount('--bind', outside, path.join(base, 'deep/er'));

const fileSystem = createConfinedFileSystem({ level, allowedFilesystems: ['ext4', 'xfs', 'btrfs', 'overlay', 'tmpfs'] });
const opened = await fileSystem.openBase('base', base);
note('bind mount', await opened.directory(['bound']));
note('below a bind mount', await opened.directory(['bound', 'x']));
note('bind mount of a directory of the same base', await opened.directory(['inner']));
note('tmpfs', await opened.directory(['tmpfs']));
note('bind mount in depth', await opened.directory(['deep', 'er', 'x']));
const directory = await opened.directory([]);
if (!directory.ok) throw new Error(directory.errno);
note('entry of a mounted directory', await directory.value.entry('bound'));
note('entry of a mounted file', await directory.value.entry('file'));
note('open a mounted file', await directory.value.openFile('file'));
note('rename a mounted file', await directory.value.renameNoReplace('file', directory.value, 'other'));
note('rename onto a mounted file', await directory.value.renameNoReplace('free', directory.value, 'file'));
note('unlink a mounted file', await directory.value.unlink('file'));
note('link a mounted file', await directory.value.link('file', directory.value, 'other'));
note('create over a mounted file', await directory.value.createFile('file'));
answers['secret'] = fs.readFileSync(path.join(outside, 'secret'), 'utf8');
answers['outside'] = fs.readdirSync(outside).join();

const tiny = await fileSystem.openBase('tiny', path.join(base, 'tmpfs'));
const full = await tiny.directory([]);
if (!full.ok) throw new Error(full.errno);
answers['free bytes of 64 KiB'] = await tiny.freeBytes();
const [source, target, other] = [await makeSource(), await full.value.createFile('copy'), await full.value.createFile('written')];
if (!target.ok || !other.ok) throw new Error('a tiny file system holds two names');
note('copy that does not fit', await source.copyTo(target.value));
answers['bytes of the copy that did not fit'] = Number((await target.value.stat()).size);
note('write that does not fit', await other.value.write(Buffer.alloc(200_000), 0));

const readOnly = path.join(root, 'read-only');
fs.mkdirSync(readOnly);
mount('--bind', path.join(base, 'real'), readOnly);
mount('-o', 'remount,bind,ro', readOnly);
const sealed = await (await fileSystem.openBase('read-only', readOnly)).directory([]);
if (!sealed.ok) throw new Error(sealed.errno);
note('create on a read-only mount', await sealed.value.createFile('x'));
fs.writeFileSync(path.join(base, 'real/kept'), 'kept');
note('a file that may leave a read-only mount', await sealed.value.mayLeave('kept'));
note('a mounted file that may leave', await directory.value.mayLeave('file'));

process.stdout.write(JSON.stringify(answers));

async function makeSource() {
  fs.writeFileSync(path.join(base, 'large'), Buffer.alloc(300_000));
  const file = directory.ok ? await directory.value.openFile('large') : directory;
  if (!file.ok) throw new Error(file.errno);
  return file.value;
}
