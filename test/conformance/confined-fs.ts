import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ConfinementLevel } from '../../src/core/ports/confined-fs.ts';
import { type ConfinedRig, createConfinedRig, expectRefusal, must, openDescriptors, refusalOf } from '../support/confined-fs.ts';

/** What every implementation of the port promises about names, directories and renames. */
export function confinedFsConformance(level: ConfinementLevel): void {
  describe(`the confined file system at level ${level}`, () => {
    let rig: ConfinedRig;
    const at = (...segments: string[]): string => path.join(rig.inside, ...segments);

    beforeEach(async () => {
      rig = await createConfinedRig(level);
      fs.mkdirSync(at('a/b/c'), { recursive: true });
      fs.writeFileSync(at('a/b/file'), 'inside');
      fs.mkdirSync(path.join(rig.outside, 'b/c'), { recursive: true });
      fs.writeFileSync(path.join(rig.outside, 'secret'), 'secret');
    });
    afterEach(() => rig.close());

    describe('opening directories', () => {
      it('opens the base itself and a directory at any depth', async () => {
        expect((await rig.open()).identity).toEqual(rig.base.identity);
        const stats = fs.statSync(at('a/b/c'), { bigint: true });
        expect((await rig.open('a', 'b', 'c')).identity).toEqual({ dev: String(stats.dev), ino: String(stats.ino) });
      });

      it.each([0, 1, 2])('refuses a symbolic link as component %i', { tags: ['FE-09', 'FE-22'] }, async (position) => {
        const segments = ['a', 'b', 'c'];
        const link = at(...segments.slice(0, position + 1));
        fs.renameSync(link, `${link}.away`);
        // One that leads out, and one whose target is inside: both are refused, because both can change.
        for (const target of [rig.outside, `${link}.away`]) {
          fs.symlinkSync(target, link);
          expectRefusal(await rig.base.directory(segments), 'symlink');
          fs.unlinkSync(link);
        }
      });

      it('refuses magic links of /proc behind a symbolic link', { tags: ['FE-22'] }, async () => {
        const outside = fs.openSync(rig.outside, 'r');
        fs.symlinkSync(`/proc/self/fd/${outside}`, at('magic'));
        expectRefusal(await rig.base.directory(['magic']), 'symlink');
        expectRefusal(await rig.base.directory(['magic', 'b']), 'symlink');
        fs.closeSync(outside);
      });

      it.each([['..'], ['.'], [''], ['a/..'], ['../outside'], ['/etc']])(
        'refuses the segment %j before the kernel sees it',
        { tags: ['FE-12', 'FE-21'] },
        async (segment) => {
          expectRefusal(await rig.base.directory([segment]), 'escape');
          expectRefusal(await rig.base.directory(['a', segment]), 'escape');
          const directory = await rig.open('a', 'b');
          expectRefusal(await directory.entry(segment), 'escape');
          expectRefusal(await directory.openFile(segment), 'escape');
          expectRefusal(await directory.createFile(segment), 'escape');
          expectRefusal(await directory.makeDirectory(segment, 0o700), 'escape');
          expectRefusal(await directory.unlink(segment), 'escape');
          for (const act of ['renameNoReplace', 'link'] as const) {
            expectRefusal(await directory[act](segment, directory, 'x'), 'escape');
            expectRefusal(await directory[act]('file', directory, segment), 'escape');
          }
        },
      );

      it('refuses a missing directory and a file in its place', async () => {
        expectRefusal(await rig.base.directory(['a', 'none', 'c']), 'missing');
        expectRefusal(await rig.base.directory(['a', 'b', 'file']), 'not-a-directory');
        expectRefusal(await rig.base.directory(['a', 'b', 'file', 'x']), 'not-a-directory');
      });

      it('keeps acting on the directory that was opened when its name is given to a link', { tags: ['FE-22'] }, async () => {
        const directory = await rig.open('a', 'b');
        fs.renameSync(at('a/b'), at('a/moved'));
        fs.symlinkSync(path.join(rig.outside, 'b'), at('a/b'));
        await must(await directory.createFile('new')).close();
        expect(fs.readdirSync(at('a/moved')).sort()).toEqual(['c', 'file', 'new']);
        expect(fs.readdirSync(path.join(rig.outside, 'b'))).toEqual(['c']);
      });
    });

    describe('looking at names', () => {
      it('tells files, directories, links and others apart without following', { tags: ['FE-09'] }, async () => {
        const directory = await rig.open('a', 'b');
        fs.symlinkSync(path.join(rig.outside, 'secret'), at('a/b/link'));
        execFileSync('mkfifo', [at('a/b/fifo')]);
        const types = await Promise.all(['file', 'c', 'link', 'fifo'].map(async (name) => must(await directory.entry(name)).type));
        expect(types).toEqual(['file', 'directory', 'symlink', 'other']);
        expectRefusal(await directory.entry('none'), 'missing');
      });

      it('answers integers beyond 2^53 as exact decimal strings', async () => {
        fs.chmodSync(at('a/b/file'), 0o4751);
        const stats = fs.lstatSync(at('a/b/file'), { bigint: true });
        expect(must(await (await rig.open('a', 'b')).entry('file'))).toEqual({
          type: 'file',
          dev: String(stats.dev),
          ino: String(stats.ino),
          size: '6',
          mtimeNs: String(stats.mtimeNs),
          ctimeNs: String(stats.ctimeNs),
          atimeNs: String(stats.atimeNs),
          nlink: 1,
          mode: 0o4751,
          uid: Number(stats.uid),
          gid: Number(stats.gid),
          allocatedBytes: String(stats.blocks * 512n),
        });
      });

      it('takes names of 255 bytes, with line ends, backslashes and blanks, and refuses 256 bytes', async () => {
        const directory = await rig.open('a', 'b', 'c');
        const names = ['x'.repeat(255), '€'.repeat(85), 'a\nb', 'back\\slash', ' ', '*', '-rf', "'; rm -rf '"];
        for (const name of names) await must(await directory.createFile(name)).close();
        expect([...must(await directory.names())].sort()).toEqual([...names].sort());
        expect(fs.readdirSync(at('a/b/c')).sort()).toEqual([...names].sort());
        expectRefusal(await directory.createFile('x'.repeat(256)), 'name-too-long');
        expectRefusal(await directory.entry('€'.repeat(86)), 'name-too-long');
        expectRefusal(await rig.base.directory(['a', 'y'.repeat(256)]), 'name-too-long');
      });

      it('refuses NUL and lone surrogates, which the C library would turn into other names', async () => {
        const directory = await rig.open('a', 'b');
        for (const name of ['file\0x', '\ud800']) {
          expectRefusal(await directory.entry(name), 'io');
          expectRefusal(await directory.unlink(name), 'io');
        }
        expect(fs.existsSync(at('a/b/file'))).toBe(true);
      });

      it('leaves names that are not UTF-8 out of the list and never opens them under another name', async () => {
        const directory = await rig.open('a', 'b', 'c');
        fs.writeFileSync(Buffer.concat([Buffer.from(`${at('a/b/c')}/bad-`), Buffer.from([0xff])]), '');
        fs.writeFileSync(at('a/b/c/good'), '');
        expect(must(await directory.names())).toEqual(['good']);
        expectRefusal(await directory.entry('bad-\ufffd'), 'missing');
      });
    });

    describe('opening and creating files', () => {
      it('opens a regular file for reading', async () => {
        const file = must(await (await rig.open('a', 'b')).openFile('file'));
        const buffer = Buffer.alloc(10);
        expect(must(await file.read(buffer, 2))).toBe(4);
        expect(buffer.toString('utf8', 0, 4)).toBe('side');
        expect(must(await file.read(buffer, 6))).toBe(0);
        await file.close();
      });

      it('opens no link, directory, FIFO, socket or device, and waits for none of them', { tags: ['FE-09', 'FE-17'] }, async () => {
        const directory = await rig.open('a', 'b');
        fs.symlinkSync(path.join(rig.outside, 'secret'), at('a/b/link'));
        execFileSync('mkfifo', [at('a/b/fifo')]);
        const server = createServer();
        await new Promise<void>((resolve) => server.listen(at('a/b/socket'), resolve));
        expectRefusal(await directory.openFile('link'), 'symlink');
        for (const name of ['c', 'fifo', 'socket']) expectRefusal(await directory.openFile(name), 'not-a-file');
        await new Promise((resolve) => server.close(resolve));
      });

      it('creates a file that is new and private, never through an existing name', { tags: ['FE-31'] }, async () => {
        const directory = await rig.open('a', 'b');
        const file = must(await directory.createFile('new'));
        must(await file.write(Buffer.from('text'), 0));
        must(await file.sync());
        expect(await file.stat()).toMatchObject({ type: 'file', mode: 0o600, size: '4' });
        await file.close();
        expectRefusal(await directory.createFile('new'), 'exists');
        expectRefusal(await directory.createFile('c'), 'exists');
        fs.symlinkSync(path.join(rig.outside, 'planted'), at('a/b/dangling'));
        expectRefusal(await directory.createFile('dangling'), 'exists');
        expect(fs.existsSync(path.join(rig.outside, 'planted'))).toBe(false);
      });

      it('makes a directory and refuses an existing one', async () => {
        const directory = await rig.open('a', 'b');
        must(await directory.makeDirectory('made', 0o700));
        expect(fs.statSync(at('a/b/made')).mode & 0o777).toBe(0o700);
        expectRefusal(await directory.makeDirectory('made', 0o700), 'exists');
      });
    });

    describe('renaming, linking, unlinking', () => {
      it('renames between directories and keeps the file', { tags: ['FE-27'] }, async () => {
        const [from, to] = [await rig.open('a', 'b'), await rig.open('a')];
        const before = must(await from.entry('file'));
        must(await from.renameNoReplace('file', to, 'there'));
        expect(must(await to.entry('there'))).toMatchObject({ dev: before.dev, ino: before.ino, mtimeNs: before.mtimeNs });
        expectRefusal(await from.entry('file'), 'missing');
        expectRefusal(await from.renameNoReplace('file', to, 'x'), 'missing');
      });

      it('replaces nothing: no file, directory or dangling link', { tags: ['FE-26'] }, async () => {
        const directory = await rig.open('a', 'b');
        fs.writeFileSync(at('a/b/taken'), 'theirs');
        fs.symlinkSync('/nowhere', at('a/b/dangling'));
        for (const name of ['taken', 'c', 'dangling', 'file']) expectRefusal(await directory.renameNoReplace('file', directory, name), 'exists');
        expect(fs.readFileSync(at('a/b/taken'), 'utf8')).toBe('theirs');
      });

      it('lets exactly one of many concurrent renames have a name', { tags: ['FE-26'] }, async () => {
        const [from, to] = [await rig.open('a', 'b', 'c'), await rig.open('a')];
        for (let round = 0; round < 10; round++) {
          const names = Array.from({ length: 50 }, (_, i) => `r${round}-${i}`);
          for (const name of names) fs.writeFileSync(at('a/b/c', name), name);
          const results = await Promise.all(names.map((name) => from.renameNoReplace(name, to, `won-${round}`)));
          const winners = names.filter((_, i) => results[i]?.ok);
          expect(winners).toHaveLength(1);
          expect(new Set(results.map(refusalOf))).toEqual(new Set(['ok', 'exists']));
          expect(fs.readFileSync(at('a', `won-${round}`), 'utf8')).toBe(winners[0]);
        }
        expect(fs.readdirSync(at('a/b/c'))).toHaveLength(10 * 49);
      });

      it('moves a symbolic link itself and touches nothing behind it', { tags: ['FE-09'] }, async () => {
        const directory = await rig.open('a', 'b');
        const secret = path.join(rig.outside, 'secret');
        fs.symlinkSync(secret, at('a/b/link'));
        const before = fs.statSync(secret, { bigint: true });
        must(await directory.renameNoReplace('link', directory, 'link2'));
        must(await directory.link('link2', directory, 'link3'));
        expect(must(await directory.entry('link3')).type).toBe('symlink');
        must(await directory.unlink('link2'));
        expect(fs.statSync(secret, { bigint: true })).toEqual(before);
      });

      it('does not take a directory that would move into itself for a file system without no-replace', async () => {
        const [root, inner] = [await rig.open(), await rig.open('a', 'b')];
        expectRefusal(await root.renameNoReplace('a', inner, 'a'), 'not-a-file');
      });

      it('links a file under a free name only, and unlinks files only', async () => {
        const directory = await rig.open('a', 'b');
        must(await directory.link('file', directory, 'second'));
        expect(must(await directory.entry('second')).nlink).toBe(2);
        expectRefusal(await directory.link('file', directory, 'second'), 'exists');
        must(await directory.unlink('file'));
        expectRefusal(await directory.unlink('file'), 'missing');
        expectRefusal(await directory.unlink('c'), 'not-a-file');
      });

      it('answers cross-device between bases on two file systems', async () => {
        const [near, far] = [await rig.open('a', 'b'), await rig.openFar()];
        expectRefusal(await near.renameNoReplace('file', far, 'file'), 'cross-device');
        expectRefusal(await near.link('file', far, 'file'), 'cross-device');
        expect(fs.existsSync(at('a/b/file'))).toBe(true);
      });
    });

    describe('handles', () => {
      it('closes every descriptor, also after refusals', async () => {
        const directory = await rig.open('a', 'b');
        fs.symlinkSync(rig.outside, at('a/b/link'));
        fs.writeFileSync(at('a/b/big'), randomBytes(1000));
        const round = async (i: number): Promise<void> => {
          await must(await rig.base.directory(['a', 'b', 'c'])).close();
          for (const segments of [['a', 'b', 'link'], ['a', 'none'], ['a', 'b', 'file'], ['..']]) await rig.base.directory(segments);
          for (const name of ['file', 'link', 'none', '..', 'z'.repeat(300)]) await directory.entry(name);
          for (const name of ['link', 'c', 'none']) await directory.openFile(name);
          const [source, target] = [must(await directory.openFile('big')), must(await directory.createFile(`t${i}`))];
          must(await source.copyTo(target));
          await Promise.all([source.close(), target.close()]);
          await directory.createFile(`t${i}`);
          must(await directory.unlink(`t${i}`));
        };
        await round(-1);
        const before = openDescriptors();
        for (let i = 0; i < 200; i += 8) await Promise.all(Array.from({ length: 8 }, (_, lane) => round(i + lane)));
        expect(openDescriptors()).toBe(before);
      });

      it('waits with closing for the calls that still use the descriptor, and refuses later ones', async () => {
        const directory = must(await rig.base.directory(['a', 'b']));
        const working = Promise.all(Array.from({ length: 20 }, () => directory.sync()));
        const closed = directory.close();
        expect((await working).every((result) => result.ok)).toBe(true);
        await closed;
        await directory.close();
        await expect(directory.entry('file')).rejects.toThrow('used after it was closed');
      });

      it('answers many concurrent syncs of several handles of one directory', async () => {
        const handles = await Promise.all(Array.from({ length: 8 }, () => rig.open('a', 'b')));
        const results = await Promise.all(Array.from({ length: 256 }, (_, i) => handles[i % handles.length]?.sync()));
        expect(results.every((result) => result?.ok)).toBe(true);
      });
    });
  });
}
