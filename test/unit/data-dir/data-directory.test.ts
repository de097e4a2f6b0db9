import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ErrorCode, isWritError, messageOf } from '../../../src/core/errors.ts';
import { assertReadableDataDirectory, ensureDataDirectory } from '../../../src/data-dir/data-directory.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'writ-data-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const thrownBy = (run: () => unknown): unknown => {
  try {
    run();
    return undefined;
  } catch (error) {
    return error;
  }
};
const codeOf = (run: () => unknown): ErrorCode | undefined => {
  const error = thrownBy(run);
  return isWritError(error) ? error.code : undefined;
};

describe('the data directory', () => {
  it('is created for its owner alone, and keeps its id', () => {
    const directory = path.join(root, 'a', 'b');
    const first = ensureDataDirectory(directory);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    expect(first.id).toMatch(/^[0-9a-f-]{36}$/);
    expect(ensureDataDirectory(directory)).toEqual(first);
  });

  it('has another id than any other', () => {
    expect(ensureDataDirectory(path.join(root, 'a')).id).not.toBe(ensureDataDirectory(path.join(root, 'b')).id);
  });

  it.each([0o750, 0o701, 0o777, 0o720])('is refused with mode %o', (mode) => {
    const directory = path.join(root, 'open');
    mkdirSync(directory);
    chmodSync(directory, mode);
    expect(() => ensureDataDirectory(directory)).toThrow(/is open to others/);
    expect(codeOf(() => ensureDataDirectory(directory))).toBe('INVALID_CONFIG');
  });

  it('is no file, also for who only reads it, and need not be there yet', () => {
    const file = path.join(root, 'file');
    writeFileSync(file, '');
    expect(codeOf(() => assertReadableDataDirectory(file))).toBe('INVALID_CONFIG');
    expect(() => assertReadableDataDirectory(path.join(root, 'none'))).not.toThrow();
    expect(() => assertReadableDataDirectory(root)).not.toThrow();
  });

  it('says how to close it with its path as a shell takes it', () => {
    const directory = path.join(root, "it's open");
    mkdirSync(directory, { mode: 0o755 });
    const [, command = ''] = /run: (.+)$/.exec(messageOf(thrownBy(() => ensureDataDirectory(directory)))) ?? [];
    expect(spawnSync('sh', ['-c', command]).status).toBe(0);
    expect(ensureDataDirectory(directory).path).toBe(directory);
  });

  it('is refused when it belongs to somebody else', () => {
    const isRoot = process.geteuid?.() === 0;
    // Who may not give a directory away has one of somebody else's before them.
    const directory = isRoot ? path.join(root, 'foreign') : '/';
    if (isRoot) {
      mkdirSync(directory, { mode: 0o700 });
      chownSync(directory, 65534, 65534);
    }
    expect(() => ensureDataDirectory(directory)).toThrow(isRoot ? /belongs to user 65534/ : /belongs to user 0/);
  });

  it('is refused, and not asked for again and again, where no directory can be made', () => {
    expect(() => ensureDataDirectory('/proc/writ')).toThrow(
      expect.objectContaining({ code: 'STORAGE_UNAVAILABLE', field: 'data_dir', message: expect.stringContaining('/proc takes no new directory') }),
    );
  });

  it('is refused when it is a file, or its id is damaged', () => {
    const file = path.join(root, 'file');
    writeFileSync(file, '');
    expect(codeOf(() => ensureDataDirectory(file))).toBe('INVALID_CONFIG');
    expect(codeOf(() => ensureDataDirectory(path.join(file, 'below')))).toBe('INVALID_CONFIG');
    const damaged = path.join(root, 'damaged');
    ensureDataDirectory(damaged);
    writeFileSync(path.join(damaged, 'data-dir-id'), 'nonsense');
    expect(() => ensureDataDirectory(damaged)).toThrow(/damaged/);
  });
});
