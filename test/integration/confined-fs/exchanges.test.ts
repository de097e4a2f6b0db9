import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createConfinedFileSystem, LOCAL_FILESYSTEMS } from '../../../src/adapters/linux/confined-fs/index.ts';
import { holdPlace } from '../../../src/adapters/linux/hold-place.ts';
import type { ConfinedBase } from '../../../src/core/ports/confined-fs.ts';
import { openDescriptors } from '../../support/confined-fs.ts';
import { asUnprivileged, inMountNamespace } from '../../support/mounts.ts';

const fileSystem = createConfinedFileSystem({ level: 'auto', allowedFilesystems: LOCAL_FILESYSTEMS });

describe('a base directory and its path', () => {
  let root: string;
  let directory: string;
  let base: ConfinedBase;

  beforeEach(async () => {
    root = fs.mkdtempSync(path.join(tmpdir(), 'writ-exchange-'));
    directory = path.join(root, 'above', 'base');
    fs.mkdirSync(directory, { recursive: true });
    base = await fileSystem.openBase('b', directory);
  });
  afterEach(async () => {
    await base.close();
    fs.rmSync(root, { recursive: true });
  });

  it('are the same while nobody exchanges anything, whatever happens inside', () => {
    fs.mkdirSync(path.join(directory, 'inner'));
    fs.chmodSync(directory, 0o700);
    expect(base.standing()).toEqual({ same: true });
  });

  it.each<[string, (away: string) => void, string]>([
    ['renamed away', () => undefined, 'nothing stands at its path'],
    ['renamed away, and a new one made', () => fs.mkdirSync(directory), 'something else stands at its path'],
    ['renamed away, and a link to it made', (away) => fs.symlinkSync(away, directory), 'a symbolic link stands at its path'],
    ['renamed away, and a file made', () => fs.writeFileSync(directory, ''), 'something else stands at its path'],
  ])('differ when it was %s, and are the same when it is back', { tags: ['FE-12'] }, (_how, instead, why) => {
    const away = path.join(root, 'away');
    fs.renameSync(directory, away);
    instead(away);
    expect(base.standing()).toMatchObject({ same: false, why });
    fs.rmSync(directory, { recursive: true, force: true });
    fs.renameSync(away, directory);
    expect(base.standing()).toEqual({ same: true });
  });

  it('differ when a directory above was exchanged', () => {
    fs.renameSync(path.join(root, 'above'), path.join(root, 'away'));
    expect(base.standing()).toMatchObject({ same: false, why: 'nothing stands at its path' });
    fs.mkdirSync(directory, { recursive: true });
    expect(base.standing()).toMatchObject({ same: false, why: 'something else stands at its path' });
    // The path leads to the very directory again, by a link above it, which is the operator's.
    fs.rmSync(path.join(root, 'above'), { recursive: true });
    fs.symlinkSync('away', path.join(root, 'above'));
    expect(base.standing()).toEqual({ same: true });
  });

  it('differ when it was removed, though its inode number may be given to the next', () => {
    fs.rmdirSync(directory);
    fs.mkdirSync(directory);
    expect(base.standing()).toMatchObject({ same: false });
  });

  it('are compared for a file as well, and holding it leaves nothing open', () => {
    const file = path.join(root, 'journal');
    fs.writeFileSync(file, 'one');
    const before = openDescriptors();
    const held = holdPlace(file);
    fs.appendFileSync(file, 'more');
    expect(held.standing()).toEqual({ same: true });
    fs.writeFileSync(`${file}.new`, 'two');
    fs.renameSync(`${file}.new`, file);
    expect(held.standing()).toMatchObject({ same: false, why: 'something else stands at its path' });
    held.close();
    expect(openDescriptors()).toBe(before);
    expect(() => held.standing()).toThrow('used after it was closed');
    expect(() => holdPlace(path.join(root, 'none'))).toThrow(expect.objectContaining({ code: 'STORAGE_UNAVAILABLE' }));
  });

  it('are compared by an account without privileges too', async () => {
    fs.chmodSync(root, 0o777);
    fs.chmodSync(path.join(root, 'above'), 0o777);
    expect(await asUnprivileged(new URL('./exchange-unprivileged.ts', import.meta.url), [path.join(root, 'above')])).toEqual([
      'same',
      'something else stands at its path',
      'a symbolic link stands at its path',
      'same',
    ]);
  });
});

describe.each(['statx', 'old'])('mounts over a base, by a kernel with %s', (kernel) => {
  it('are told from the directory that was opened', { tags: ['FE-12'] }, async () => {
    const root = fs.mkdtempSync(path.join(tmpdir(), 'writ-exchange-'));
    try {
      expect(await inMountNamespace(new URL('./exchange-scenario.ts', import.meta.url), [root, kernel])).toEqual({
        untouched: 'same',
        'untouched is the top of a mount': false,
        'tmpfs over it': 'its path leads to another mount',
        'tmpfs is the top of a mount': true,
        'tmpfs is another mount': true,
        'tmpfs gone again': 'same',
        'bound over itself': 'its path leads to another mount',
        'mount over the directory above': 'nothing stands at its path',
        'all mounts gone again': 'same',
        unmounted: 'its path leads to another mount',
        'mounted again': 'its path leads to another mount',
        'two looks at two mounts differ': true,
      });
    } finally {
      fs.rmSync(root, { recursive: true });
    }
  });
});
