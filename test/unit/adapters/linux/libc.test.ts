import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errnoName, libc, openHow } from '../../../../src/adapters/linux/libc.ts';

describe('errno under load', () => {
  let root: string;
  let fd: number;

  beforeAll(() => {
    root = fs.mkdtempSync(path.join(tmpdir(), 'writ-errno-'));
    fs.mkdirSync(path.join(root, 'directory/full'), { recursive: true });
    fs.writeFileSync(path.join(root, 'file'), '');
    fs.symlinkSync('loop', path.join(root, 'loop'));
    fd = fs.openSync(root, 'r');
  });
  afterAll(() => {
    fs.closeSync(fd);
    fs.rmSync(root, { recursive: true });
  });

  it('is the errno of its own call, with eight kinds of failure and successes running at once', async () => {
    const c = libc();
    const BENEATH = 0x08;
    const kinds: readonly [expected: string, call: () => Promise<number>][] = [
      ['ENOENT', () => c.openat(fd, 'none', 0, 0)],
      ['ENOTDIR', () => c.openat(fd, 'file/x', 0, 0)],
      ['ELOOP', () => c.openat(fd, 'loop', 0, 0)],
      ['ENAMETOOLONG', () => c.unlinkat(fd, 'x'.repeat(256))],
      ['EEXIST', () => c.mkdirat(fd, 'directory', 0o700)],
      ['EISDIR', () => c.unlinkat(fd, 'directory')],
      ['EBADF', () => c.renameat2(1_000_000, 'a', fd, 'b', 1)],
      ['EXDEV', () => c.openat2(fd, '..', openHow(0, BENEATH))],
      ['OK', () => c.renameat2(fd, 'file', fd, 'file', 0)],
    ];
    const wrong: string[] = [];
    let turns = 0;
    let busy = true;
    // The main thread's own errno changes all the time, by calls and by garbage.
    const disturb = (): void => {
      turns += 1;
      c.openat2Sync(fd, turns % 2 === 0 ? 'none' : 'file/x', openHow(0, 0));
      fs.existsSync(`${root}/${'y'.repeat(turns % 2 === 0 ? 300 : 3)}`);
      if (turns % 500 === 0) Array.from({ length: 20_000 }, (_, i) => ({ i }));
      if (busy) setImmediate(disturb);
    };
    disturb();
    await Promise.all(
      Array.from({ length: 300 }, async (_, lane) => {
        for (let i = 0; i < 60 || turns <= 100; i++) {
          const [expected, call] = kinds[(lane + i) % kinds.length] ?? ['', () => Promise.resolve(0)];
          const result = await call();
          const got = result < 0 ? errnoName(result) : 'OK';
          if (got !== expected) wrong.push(`${expected} came as ${got}`);
        }
      }),
    );
    busy = false;
    expect(wrong).toEqual([]);
    expect(turns).toBeGreaterThan(100);
  });

  it('is right behind a blocking call too', () => {
    const c = libc();
    for (let i = 0; i < 5000; i++) {
      expect(errnoName(c.openat2Sync(fd, 'none', openHow(0, 0)))).toBe('ENOENT');
      expect(errnoName(c.openat2Sync(fd, 'file/x', openHow(0, 0)))).toBe('ENOTDIR');
    }
  });
});
