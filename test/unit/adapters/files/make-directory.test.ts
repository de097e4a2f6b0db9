import { mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeDirectory } from '../../../../src/adapters/files/make-directory.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'writ-make-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const modeOf = (directory: string): number => statSync(directory).mode & 0o777;

describe('a directory that is made', () => {
  it('has all that it lies in, each with its mode, and may be there already', () => {
    const directory = path.join(root, 'a', 'b', 'c');
    makeDirectory(directory);
    makeDirectory(directory);
    expect([modeOf(path.join(root, 'a')), modeOf(path.join(root, 'a', 'b')), modeOf(directory)]).toEqual([0o700, 0o700, 0o700]);
    makeDirectory(path.join(root, 'open'), 0o755);
    expect(modeOf(path.join(root, 'open'))).toBe(0o755);
  });

  it('may be a link to a directory, and may be the root', () => {
    symlinkSync(root, path.join(root, 'link'));
    makeDirectory(path.join(root, 'link'));
    makeDirectory('/');
    expect(statSync(path.join(root, 'link')).isDirectory()).toBe(true);
  });

  it.each(['/proc/writ', '/proc/writ/a/b'])('is given up where a file system denies a parent that is there: %s', (directory) => {
    expect(() => makeDirectory(directory)).toThrow(
      expect.objectContaining({ code: 'STORAGE_UNAVAILABLE', message: expect.stringMatching(/^\/proc takes no new directory: ENOENT/) }),
    );
  });

  it('is not made in a file, nor behind a link to nothing', () => {
    writeFileSync(path.join(root, 'file'), '');
    symlinkSync(path.join(root, 'nowhere'), path.join(root, 'dangling'));
    expect(() => makeDirectory(path.join(root, 'file'))).toThrow(expect.objectContaining({ code: 'EEXIST' }));
    expect(() => makeDirectory(path.join(root, 'file', 'below'))).toThrow(expect.objectContaining({ code: 'ENOTDIR' }));
    expect(() => makeDirectory(path.join(root, 'dangling', 'below'))).toThrow(expect.objectContaining({ code: 'EEXIST' }));
  });
});
