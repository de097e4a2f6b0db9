import { createHash, randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import path from 'node:path';
import koffi from 'koffi';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ConfinedDirectory, ConfinedFile } from '../../../src/core/ports/confined-fs.ts';
import { type ConfinedRig, createConfinedRig, must, openDescriptors } from '../../support/confined-fs.ts';

const MIB = 1024 * 1024;

describe('open files', () => {
  let rig: ConfinedRig;
  let directory: ConfinedDirectory;
  const files: ConfinedFile[] = [];
  const at = (name: string): string => path.join(rig.inside, name);

  async function open(name: string, bytes: Uint8Array): Promise<ConfinedFile> {
    fs.writeFileSync(at(name), bytes);
    const file = must(await directory.openFile(name));
    files.push(file);
    return file;
  }
  async function create(name: string): Promise<ConfinedFile> {
    const file = must(await directory.createFile(name));
    files.push(file);
    return file;
  }

  // One adapter for all: its copy threads start once.
  beforeAll(async () => {
    rig = await createConfinedRig('openat2');
    directory = await rig.open();
  });
  afterEach(async () => {
    await Promise.all(files.splice(0).map((file) => file.close()));
    for (const name of fs.readdirSync(rig.inside)) fs.unlinkSync(at(name));
  });
  afterAll(() => rig.close());

  describe('copies', () => {
    it.each([0, 1, 4095, 64 * 1024, 64 * 1024 + 1, 256 * 1024, 3 * 256 * 1024 + 17, 20 * MIB + 5])(
      'copies %i bytes and answers the digest of what it wrote',
      { tags: ['FE-29'] },
      async (size) => {
        const bytes = randomBytes(size);
        const [source, target] = [await open('source', bytes), await create('target')];
        const summary = must(await source.copyTo(target));
        expect(summary).toEqual({ bytes: size, sha256: createHash('sha256').update(bytes).digest('hex') });
        expect(fs.readFileSync(at('target')).equals(bytes)).toBe(true);
      },
    );

    describe('of sparse files', () => {
      /** Bytes that stand at these places of a file; the rest of its length are holes. */
      type Pieces = Readonly<Record<number, number>>;
      const layouts: readonly (readonly [string, number, Pieces])[] = [
        ['nothing but a hole', 8 * MIB, {}],
        ['data, a hole, data', 40 * MIB, { 0: 70_000, [20 * MIB + 4096]: 300_000, [40 * MIB - 10]: 10 }],
        ['a hole first and last', 20 * MIB + 77, { [6 * MIB]: 5 * MIB }],
        ['many small pieces', 24 * MIB, Object.fromEntries(Array.from({ length: 96 }, (_, i) => [i * 256 * 1024, 100 + i]))],
        ['no more than a page of data in a small file', 60_000, { 0: 100 }],
      ];

      function write(file: string, size: number, pieces: Pieces): Buffer {
        const whole = Buffer.alloc(size);
        const fd = fs.openSync(file, 'wx');
        for (const [position, length] of Object.entries(pieces)) {
          const bytes = randomBytes(length);
          bytes.copy(whole, Number(position));
          fs.writeSync(fd, bytes, 0, length, Number(position));
        }
        fs.ftruncateSync(fd, size);
        fs.fsyncSync(fd);
        fs.closeSync(fd);
        return whole;
      }

      it.each(layouts)('keeps its holes and its bytes: %s', { tags: ['FE-29'] }, async (_what, size, pieces) => {
        const whole = write(at('source'), size, pieces);
        const source = must(await directory.openFile('source'));
        const target = await create('target');
        files.push(source);
        const seen: number[] = [];
        const summary = must(await source.copyTo(target, { onBytes: (total) => seen.push(total) }));
        must(await target.sync());
        expect(summary).toEqual({ bytes: size, sha256: createHash('sha256').update(whole).digest('hex') });
        expect(fs.readFileSync(at('target')).equals(whole)).toBe(true);
        expect(seen.at(-1)).toBe(size);
        // Not the very number: a file system may take blocks for its own map of the file.
        expect(fs.statSync(at('target')).blocks - fs.statSync(at('source')).blocks).toBeLessThan(64);
      });

      it('keeps them without a digest, and onto another file system', { tags: ['FE-29'] }, async () => {
        const whole = write(at('source'), 30 * MIB, { [10 * MIB]: 100_000 });
        const source = must(await directory.openFile('source'));
        files.push(source);
        const far = await rig.openFar();
        const target = must(await far.createFile('far'));
        files.push(target);
        expect(must(await source.copyTo(target, { hash: false }))).toEqual({ bytes: whole.length, sha256: undefined });
        const read = Buffer.alloc(whole.length);
        must(await target.read(read, 0));
        expect(read.equals(whole)).toBe(true);
        expect(Number((await target.stat()).allocatedBytes)).toBeLessThan(MIB);
      });

      it('takes no room for a hole that is larger than any disk', async () => {
        const size = 2 ** 42;
        write(at('source'), 0, {});
        fs.truncateSync(at('source'), size);
        const source = must(await directory.openFile('source'));
        files.push(source);
        const target = await create('target');
        expect(must(await source.copyTo(target, { hash: false })).bytes).toBe(size);
        expect(await target.stat()).toMatchObject({ size: String(size), allocatedBytes: (await source.stat()).allocatedBytes });
      });

      it('stops in a hole when it is aborted', async () => {
        write(at('source'), 0, {});
        fs.truncateSync(at('source'), 2 ** 42);
        const source = must(await directory.openFile('source'));
        files.push(source);
        const control = new AbortController();
        const reason = new Error('cancelled');
        const copying = source.copyTo(await create('target'), { signal: control.signal, onBytes: () => control.abort(reason) });
        await expect(copying).rejects.toBe(reason);
      });
    });

    it('runs several large copies at once without mixing them', async () => {
      const contents = Array.from({ length: 6 }, (_, i) => Buffer.alloc(5 * MIB + i, i + 1));
      const sums = await Promise.all(contents.map(async (bytes, i) => must(await (await open(`s${i}`, bytes)).copyTo(await create(`t${i}`))).sha256));
      expect(sums).toEqual(contents.map((bytes) => createHash('sha256').update(bytes).digest('hex')));
    });

    it('tells progress that grows to the size', async () => {
      const [source, target] = [await open('source', Buffer.alloc(40 * MIB)), await create('target')];
      const seen: number[] = [];
      must(await source.copyTo(target, { onBytes: (total) => seen.push(total) }));
      expect(seen.at(-1)).toBe(40 * MIB);
      expect(seen).toEqual([...new Set(seen)].sort((a, b) => a - b));
      expect(seen.length).toBeGreaterThan(3);
    });

    it('stops between chunks when it is aborted, and lets go of both files', async () => {
      const [source, target] = [await open('source', Buffer.alloc(40 * MIB)), await create('target')];
      const control = new AbortController();
      const reason = new Error('cancelled');
      await expect(source.copyTo(target, { signal: control.signal, onBytes: () => control.abort(reason) })).rejects.toBe(reason);
      expect(Number((await target.stat()).size)).toBeLessThan(40 * MIB);
      await expect(source.copyTo(target, { signal: control.signal })).rejects.toBe(reason);
      const before = openDescriptors();
      await Promise.all([source.close(), target.close()]);
      expect(openDescriptors()).toBe(before - 2);
    });

    it('leaves the event loop free while it hashes', async () => {
      const [source, target] = [await open('source', Buffer.alloc(100 * MIB)), await create('target')];
      const turnsOfACopy = async (): Promise<number> => {
        let turns = 0;
        let copying = true;
        const turn = (): void => {
          turns += 1;
          if (copying) setImmediate(turn);
        };
        turn();
        must(await source.copyTo(target));
        copying = false;
        return turns;
      };
      // Hashing 100 MiB here would leave a turn per chunk of 256 KiB at best, however often; other work may leave this thread as few now and then.
      while ((await turnsOfACopy()) <= 4 * 400);
    });
  });

  describe('attributes', () => {
    it('keeps mode, owner and nanoseconds, before 1970 too', { tags: ['FE-11'] }, async () => {
      const file = await create('new');
      for (const mtimeNs of ['1700000000123456789', '-1', '0']) {
        must(
          await file.setAttributes({
            mode: 0o640,
            uid: fs.statSync(rig.inside).uid,
            gid: fs.statSync(rig.inside).gid,
            atimeNs: '1600000000987654321',
            mtimeNs,
          }),
        );
        expect(await file.stat()).toMatchObject({ mode: 0o640, mtimeNs, atimeNs: '1600000000987654321' });
      }
    });

    it('lists extended attributes, an ACL among them', async () => {
      const file = await open('source', Buffer.from('x'));
      expect(must(await file.extendedAttributes())).toEqual([]);
      setAttribute(at('source'), 'user.note', Buffer.from('n'));
      setAttribute(at('source'), 'system.posix_acl_access', aclForUser(12_345));
      expect([...must(await file.extendedAttributes())].sort()).toEqual(['system.posix_acl_access', 'user.note']);
    });

    it('lists more names than fit into the first buffer', async () => {
      const file = await open('source', Buffer.from('x'));
      const names = Array.from({ length: 12 }, (_, i) => `user.${'n'.repeat(200)}${i}`);
      for (const name of names) setAttribute(at('source'), name, Buffer.from('v'));
      expect([...must(await file.extendedAttributes())].sort()).toEqual(names.sort());
    });
  });
});

function setAttribute(file: string, name: string, value: Uint8Array): void {
  const setxattr: (path: string, name: string, value: Uint8Array, size: number, flags: number) => number = koffi
    .load(null)
    .func('int setxattr(const char *path, const char *name, void *value, size_t size, int flags)');
  expect(setxattr(file, name, value, value.byteLength, 0), `setxattr ${name} on the file system of TMPDIR: errno ${koffi.errno()}`).toBe(0);
}

/** The kernel's format: version 2, then (tag, permissions, id) of owner, one named user, group, mask and others. */
function aclForUser(uid: number): Uint8Array {
  const NOBODY_IN_PARTICULAR = 0xffffffff;
  const entries = [
    [0x01, 6, NOBODY_IN_PARTICULAR],
    [0x02, 4, uid],
    [0x04, 4, NOBODY_IN_PARTICULAR],
    [0x10, 4, NOBODY_IN_PARTICULAR],
    [0x20, 0, NOBODY_IN_PARTICULAR],
  ] as const;
  const acl = Buffer.alloc(4 + entries.length * 8);
  acl.writeUInt32LE(2, 0);
  entries.forEach(([tag, permissions, id], i) => {
    acl.writeUInt16LE(tag, 4 + i * 8);
    acl.writeUInt16LE(permissions, 6 + i * 8);
    acl.writeUInt32LE(id, 8 + i * 8);
  });
  return acl;
}
