import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createConfinedFileSystem, LOCAL_FILESYSTEMS } from '../../../src/adapters/linux/confined-fs/index.ts';
import { mountIdOf } from '../../../src/adapters/linux/confined-fs/mount-id.ts';
import { createOpenat2Resolver } from '../../../src/adapters/linux/confined-fs/openat2.ts';
import { createWalkResolver } from '../../../src/adapters/linux/confined-fs/walk.ts';
import { libc } from '../../../src/adapters/linux/libc.ts';
import { expectRefusal, openDescriptors } from '../../support/confined-fs.ts';
import { makeOnSecondFilesystem } from '../../support/mounts.ts';

describe('base directories', () => {
  const fileSystem = createConfinedFileSystem({ level: 'auto', allowedFilesystems: LOCAL_FILESYSTEMS });
  let root: string;

  beforeAll(() => {
    root = fs.mkdtempSync(path.join(tmpdir(), 'writ-bases-'));
    fs.mkdirSync(path.join(root, 'real/inner'), { recursive: true });
    fs.writeFileSync(path.join(root, 'file'), '');
    fs.symlinkSync('real', path.join(root, 'link'));
  });
  afterAll(() => fs.rmSync(root, { recursive: true }));

  it('uses openat2 where the kernel has it', () => {
    expect(fileSystem.level).toBe('openat2');
  });

  it('opens a directory and follows links above it, not the directory itself', async () => {
    const base = await fileSystem.openBase('b', path.join(root, 'link/inner'));
    const stats = fs.statSync(path.join(root, 'real/inner'), { bigint: true });
    expect(base).toMatchObject({ id: 'b', path: path.join(root, 'link/inner'), identity: { dev: String(stats.dev), ino: String(stats.ino) } });
    await base.close();
  });

  it.each([
    ['link', /symbolic link/],
    ['file', /is no directory/],
    ['none', /does not exist/],
    ['real/', /absolute and normalized/],
    ['real/../real', /absolute and normalized/],
  ])('refuses %s as a base with INVALID_CONFIG and leaves nothing open', { tags: ['FE-12'] }, async (name, message) => {
    const before = openDescriptors();
    await expect(fileSystem.openBase('b', `${root}/${name}`)).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      message: expect.stringMatching(message) as string,
    });
    await expect(fileSystem.openBase('b', `real`)).rejects.toMatchObject({ code: 'INVALID_CONFIG' });
    expect(openDescriptors()).toBe(before);
  });

  it('refuses a base on a type of file system that is not allowed, and names the type', { tags: ['FE-13'] }, async () => {
    const far = makeOnSecondFilesystem('writ-bases-');
    const onlyDisks = createConfinedFileSystem({ level: 'auto', allowedFilesystems: ['xfs'] });
    await expect(onlyDisks.openBase('far', far)).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      message: expect.stringContaining('type tmpfs, allowed are: xfs') as string,
    });
    await expect(fileSystem.openBase('proc', '/proc/self')).rejects.toMatchObject({ code: 'INVALID_CONFIG' });
    await expect(fileSystem.openBase('proc', '/proc')).rejects.toMatchObject({ message: expect.stringContaining('type proc') as string });
    fs.rmSync(far, { recursive: true });
  });

  it.each(['nfs', 'cifs', '9p', 'fuse', 'proc', 'floppy'])('cannot be configured to allow %s', { tags: ['FE-13'] }, (name) => {
    expect(() => createConfinedFileSystem({ level: 'auto', allowedFilesystems: ['ext4', name] })).toThrow(`'${name}' is no local file system type`);
  });

  it('keeps its directory when its path is given to another one', async () => {
    const [here, away] = [path.join(root, 'kept'), path.join(root, 'away')];
    fs.mkdirSync(path.join(here, 'sub'), { recursive: true });
    const base = await fileSystem.openBase('b', here);
    fs.renameSync(here, away);
    fs.mkdirSync(here);
    const opened = await base.directory(['sub']);
    expect(opened.ok).toBe(true);
    if (opened.ok) await opened.value.close();
    await base.close();
  });

  it('knows the free space of its file system', async () => {
    const base = await fileSystem.openBase('b', path.join(root, 'real'));
    const { bavail, bsize } = fs.statfsSync(root);
    expect(Math.abs((await base.freeBytes()) / (bavail * bsize) - 1)).toBeLessThan(0.1);
    await base.close();
  });

  it.each([createOpenat2Resolver, createWalkResolver])(
    'follows no magic link of /proc, even with /proc as the base (%o)',
    { tags: ['FE-22'] },
    async (create) => {
      const fd = fs.openSync('/proc/self', fs.constants.O_RDONLY | fs.constants.O_DIRECTORY);
      const anchor = { fd, dev: fs.fstatSync(fd, { bigint: true }).dev, mountId: mountIdOf(fd) };
      const resolver = create(libc());
      for (const segments of [['cwd'], ['root', 'etc'], ['fd', String(fd)], ['task', String(process.pid), 'cwd']]) {
        expectRefusal(await resolver.directory(anchor, segments), 'symlink');
      }
      fs.closeSync(fd);
    },
  );
});
