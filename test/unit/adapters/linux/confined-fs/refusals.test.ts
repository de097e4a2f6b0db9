import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allowedTypes, judgeType, LOCAL_FILESYSTEMS } from '../../../../../src/adapters/linux/confined-fs/filesystem-types.ts';
import { readableNames, refuseName } from '../../../../../src/adapters/linux/confined-fs/names.ts';
import { refusedByErrno } from '../../../../../src/adapters/linux/confined-fs/refusals.ts';
import { timespecs } from '../../../../../src/adapters/linux/libc.ts';

describe('names', () => {
  it('are accepted exactly when their bytes are one component that no one resolves specially', { tags: ['FE-21'] }, () => {
    const pieces = fc.constantFrom('.', '..', '/', '\0', '\ud800', '\udc00', 'a', '\\', '\n', '😀', ' ', '-');
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 4 }), (parts) => {
        const name = parts.join('');
        const roundTrip = Buffer.from(name, 'utf8').toString('utf8') === name;
        const allowed = roundTrip && name.length > 0 && name !== '.' && name !== '..' && !name.includes('/') && !name.includes('\0');
        expect(refuseName(name) === undefined).toBe(allowed);
      }),
    );
  });

  it('are listed only when the string yields the same bytes again', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ minLength: 1, maxLength: 6 })), (raw) => {
        const buffers = raw.map((bytes) => Buffer.from(bytes));
        const expected = buffers.filter((bytes) => Buffer.from(bytes.toString('utf8')).equals(bytes));
        expect(readableNames(buffers).map((name) => Buffer.from(name))).toEqual(expected);
      }),
    );
  });
});

describe('refusals', () => {
  it.each([
    ['ENOENT', 'other', 'missing'],
    ['EXDEV', 'resolve', 'mount'],
    ['EXDEV', 'rename', 'cross-device'],
    ['EXDEV', 'other', 'cross-device'],
    ['EINVAL', 'rename', 'unsupported'],
    ['EINVAL', 'other', 'io'],
    ['ENOSYS', 'rename', 'unsupported'],
    ['EDQUOT', 'other', 'no-space'],
    ['EPERM', 'rename', 'permission'],
    ['EROFS', 'other', 'read-only'],
    ['EIO', 'other', 'io'],
    ['ESTALE', 'other', 'io'],
  ] as const)('%s while %s means %s', (errno, doing, refusal) => {
    expect(refusedByErrno(errno, doing)).toEqual({ ok: false, refusal, errno });
  });
});

describe('types of file systems', () => {
  const all = allowedTypes(LOCAL_FILESYSTEMS);

  it('are known by their magic number, also when the kernel extends its sign', () => {
    expect(judgeType(0xef53n, all)).toEqual({ name: 'ext4/ext3/ext2', allowed: true });
    expect(judgeType(BigInt.asIntN(32, 0x9123683en), all)).toEqual({ name: 'btrfs', allowed: true });
  });

  it.each([
    [0x6969n, 'nfs'],
    [0xff534d42n, 'cifs'],
    [0xfe534d42n, 'smb2'],
    [0x01021997n, '9p'],
    [0x65735546n, 'fuse'],
    [0xdeadn, '0xdead'],
  ])('refuse %s (%s) whatever is allowed', { tags: ['FE-13'] }, (magic, name) => {
    expect(judgeType(magic, all)).toEqual({ name, allowed: false });
  });

  it('allow ext4 by any name of its family, and only what is listed', () => {
    expect(judgeType(0xef53n, allowedTypes(['ext3'])).allowed).toBe(true);
    expect(judgeType(0x58465342n, allowedTypes(['ext4'])).allowed).toBe(false);
    expect(judgeType(0xef53n, allowedTypes([])).allowed).toBe(false);
  });
});

describe('timespecs', () => {
  it('hold any time in nanoseconds with a fraction between 0 and a second', () => {
    const time = fc.bigInt({ min: -(10n ** 18n), max: 4n * 10n ** 18n });
    fc.assert(
      fc.property(time, time, (atime, mtime) => {
        const bytes = Buffer.from(timespecs(String(atime), String(mtime)));
        [atime, mtime].forEach((ns, i) => {
          const fraction = bytes.readBigInt64LE(i * 16 + 8);
          expect(fraction >= 0n && fraction < 1_000_000_000n).toBe(true);
          expect(bytes.readBigInt64LE(i * 16) * 1_000_000_000n + fraction).toBe(ns);
        });
      }),
    );
  });
});
